package limit_test

import (
	"maps"
	"slices"

	"github.com/fielato/fielato/internal/limit"
)

// naive is a limit that looks at all requests for each decision.
type naive struct {
	slots    int
	pool     bool // of bytes
	divided  bool
	clients  map[string]*naiveClient
	requests []*request
	clock    int
}

type naiveClient struct {
	name  string
	share limit.Share
	named bool
	// since is when it came into line, 0 if it is not in line.
	since int
}

type request struct {
	client   *naiveClient
	weight   int
	patience int
	state    string // "waits", "in", "left", "canceled" or "refused"
}

func newNaive(slots int, pool bool) *naive {
	n := &naive{slots: slots, pool: pool, clients: map[string]*naiveClient{}}
	n.clients[""] = &naiveClient{named: true, share: limit.Share{Slots: slots, Waiting: 1 << 30}}
	return n
}

// all returns the requests in a state, by arrival.
func (n *naive) all(state string) (ids []int) {
	for id, r := range n.requests {
		if r.state == state {
			ids = append(ids, id)
		}
	}
	return ids
}

// count returns how many requests of the client are in a state.
func (n *naive) count(c *naiveClient, state string) (number int) {
	for _, id := range n.all(state) {
		if n.requests[id].client == c {
			number++
		}
	}
	return number
}

// taken returns how many slots the client has, or all have for nil.
func (n *naive) taken(c *naiveClient) (number int) {
	for _, id := range n.all("in") {
		if r := n.requests[id]; c == nil || r.client == c {
			number += r.weight
		}
	}
	return number
}

// named returns the client that requests of a name count as.
func (n *naive) named(name string) *naiveClient {
	if c := n.clients[name]; c != nil && c.named {
		return c
	}
	return n.clients[""]
}

func (n *naive) enter(name string, weight, patience int) {
	c := n.named(name)
	r := &request{client: c, weight: min(weight, n.slots), patience: patience, state: "waits"}
	n.requests = append(n.requests, r)
	n.serve()
	if r.state == "waits" && n.count(c, "waits") > c.share.Waiting {
		r.state = "refused"
		n.line()
	}
}

func (n *naive) leave(id int) {
	n.requests[id].state = "left"
	n.line()
}

// shrink leaves a request half of its slots.
func (n *naive) shrink(id int) (to int) {
	n.requests[id].weight /= 2
	n.line()
	return n.requests[id].weight
}

// assign makes a request count as another client's, if that may have as much more.
func (n *naive) assign(id int, name string) (assigned bool) {
	r, to := n.requests[id], n.named(name)
	if r.client == to || r.weight == 0 {
		return true
	}
	from := r.client
	r.state = "left"
	fits := n.below(to, r.weight) && n.leaves(to, r.weight)
	if r.state = "in"; fits {
		r.client = to
		n.line()
	}
	return fits || from == to
}

// pass lets half seconds go by.
func (n *naive) pass(halves int) {
	for range halves {
		for _, id := range n.all("waits") {
			r := n.requests[id]
			if r.patience--; r.patience < 0 && r.state == "waits" {
				r.state = "refused"
				n.serve()
			}
		}
	}
}

// below reports whether the client's share allows it so many slots more.
func (n *naive) below(c *naiveClient, weight int) bool {
	return n.taken(c) == 0 || n.taken(c)+weight <= c.share.Slots
}

// leaves reports whether as many slots stay free as the client has then.
func (n *naive) leaves(c *naiveClient, weight int) bool {
	return !n.pool || !n.divided || n.taken(c) == 0 || n.taken(c)+weight <= n.slots-n.taken(nil)-weight
}

// first returns the request of the client that has waited longest, nil for none.
func (n *naive) first(c *naiveClient) *request {
	for _, id := range n.all("waits") {
		if n.requests[id].client == c {
			return n.requests[id]
		}
	}
	return nil
}

func (n *naive) divide(shares map[string]limit.Share) {
	n.divided = true
	for name, c := range n.clients {
		_, c.named = shares[name]
		c.named = c.named || name == ""
		if !c.named && n.count(c, "in")+n.count(c, "waits") == 0 {
			delete(n.clients, name)
		}
	}
	for name, share := range shares {
		if n.clients[name] == nil {
			n.clients[name] = &naiveClient{name: name}
		}
		n.clients[name].named, n.clients[name].share = true, share
	}
	if _, ok := shares[""]; !ok {
		n.clients[""].share = limit.Share{Waiting: 1024}
	}
	for _, c := range n.clients {
		if c.share.Slots == 0 || c.share.Slots > n.slots {
			c.share.Slots = n.slots
		}
	}
}

// line puts the clients in line that wait and are below their share, and takes out the others.
func (n *naive) line() {
	for _, name := range slices.Sorted(maps.Keys(n.clients)) {
		c := n.clients[name]
		switch r := n.first(c); {
		case r == nil || !n.below(c, r.weight):
			c.since = 0
		case c.since == 0:
			n.clock++
			c.since = n.clock
		}
	}
}

// serve hands out the free slots.
func (n *naive) serve() {
	for n.line(); ; n.line() {
		next := n.next()
		if next == nil {
			return
		}
		next.client.since = 0
		next.state = "in"
	}
}

// next returns the request that is handed slots now, nil for none.
func (n *naive) next() *request {
	var line []*naiveClient
	for _, c := range n.clients {
		if c.since > 0 {
			line = append(line, c)
		}
	}
	slices.SortFunc(line, func(a, b *naiveClient) int { return a.since - b.since })
	for _, c := range line {
		r := n.first(c)
		switch {
		case !n.leaves(c, r.weight):
		case n.taken(nil)+r.weight <= n.slots:
			return r
		case !n.pool || !n.divided || 2*r.weight <= n.slots:
			return nil
		}
	}
	return nil
}

func (n *naive) usage() (all []limit.Usage) {
	for _, name := range slices.Sorted(maps.Keys(n.clients)) {
		if c := n.clients[name]; c.named {
			all = append(all, limit.Usage{Client: name, Share: c.share.Slots, Taken: n.taken(c), Waiting: n.count(c, "waits")})
		}
	}
	return all
}
