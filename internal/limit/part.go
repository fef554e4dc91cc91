package limit

// Part is a number of slots that a request holds. The zero value holds none. One goroutine uses it.
type Part struct {
	client *client
	weight int64
}

// Size returns how many slots are held.
func (p *Part) Size() int64 { return p.weight }

// Shrink returns all but so many slots.
func (p *Part) Shrink(size int64) {
	if size >= p.weight {
		return
	}
	l := p.client.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free(p.client, p.weight-size)
	p.weight = size
}

// Add takes over the slots of another part of the same limit and client.
func (p *Part) Add(more *Part) {
	p.weight += more.weight
	*more = Part{}
}

// Release returns all. It may be called more than once.
func (p *Part) Release() { p.Shrink(0) }

// Assign makes a part that is held without a client count as a client's. It does not wait: if the client may not
// have as much more, the part stays as it is (ErrShare).
func (p *Part) Assign(name string) error {
	if p.weight == 0 {
		return nil
	}
	l := p.client.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	from, to := p.client, l.client(name)
	if from == to {
		return nil
	}
	l.taken -= p.weight // they are free to be taken, by this client alone
	fits := l.fits(to, p.weight)
	l.taken += p.weight
	if !fits {
		return to.full(p.weight)
	}
	from.taken, to.taken = from.taken-p.weight, to.taken+p.weight
	p.client = to
	l.settle(from)
	l.settle(to)
	l.serve()
	return nil
}
