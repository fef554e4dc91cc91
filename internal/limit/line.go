package limit

// request waits in the queue of its client.
type request struct {
	// handed receives one value when the request is handed its slots.
	handed chan struct{}
	weight int64
}

// take gives the client slots. l.mu is held.
func (l *Limit) take(c *client, weight int64) {
	l.taken += weight
	c.taken += weight
}

// free takes slots from the client and gives them to the requests whose turn it is. l.mu is held.
func (l *Limit) free(c *client, weight int64) {
	l.taken -= weight
	c.taken -= weight
	l.settle(c)
	l.serve()
}

// leavesEnough reports whether as many slots stay free as the client has, once it has so many more. The first that it
// takes are its own in any case. l.mu is held.
func (l *Limit) leavesEnough(c *client, weight int64) bool {
	return !l.leaves || !l.divided || c.taken == 0 || c.taken+weight <= l.slots-l.taken-weight
}

// fits reports whether the client may have so many slots more, and they are free. l.mu is held.
func (l *Limit) fits(c *client, weight int64) bool {
	return l.taken+weight <= l.slots && c.belowShare(weight) && l.leavesEnough(c, weight)
}

// passes reports whether others pass a request in the line that does not fit: the client would have too much,
// or the slots might never be free at once while others come and go. l.mu is held.
func (l *Limit) passes(c *client, weight int64) bool {
	return !l.leavesEnough(c, weight) || l.leaves && l.divided && weight > l.slots/2
}

// serve gives the free slots to the clients in line. l.mu is held.
func (l *Limit) serve() {
	for e := l.line.Front(); e != nil && l.taken < l.slots; {
		c := e.Value.(*client)
		place := c.queue.Front()
		turn := place.Value.(*request)
		next := e.Next()
		if !l.fits(c, turn.weight) {
			if !l.passes(c, turn.weight) {
				return
			}
			e = next
			continue
		}
		l.line.Remove(e)
		c.turn = nil
		c.queue.Remove(place)
		l.take(c, turn.weight)
		turn.handed <- struct{}{} // has room: a request is handed its slots once
		l.settle(c)
		if e = next; e == nil {
			e = c.turn
		}
	}
}

// settle puts the client at the end of the line or takes it out, after a change of its queue,
// slots or share. It forgets a client of an earlier division once nothing of it is left. l.mu is held.
func (l *Limit) settle(c *client) {
	ready := false
	if first := c.queue.Front(); first != nil {
		ready = c.belowShare(first.Value.(*request).weight)
	}
	switch {
	case ready && c.turn == nil:
		c.turn = l.line.PushBack(c)
	case !ready && c.turn != nil:
		l.line.Remove(c.turn)
		c.turn = nil
	}
	if c.dropped && c.taken == 0 && c.queue.Len() == 0 {
		delete(l.clients, c.name)
	}
}
