package limit_test

import (
	"maps"
	"slices"

	"github.com/fielato/fielato/internal/limit"
)

// naive is a limit that looks at all requests for each decision.
type naive struct {
	slots    int
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
	patience int
	state    string // "waits", "in", "left", "canceled" or "refused"
}

func newNaive(slots int) *naive {
	n := &naive{slots: slots, clients: map[string]*naiveClient{}}
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

func (n *naive) enter(name string, patience int) {
	c := n.clients[name]
	if c == nil || !c.named {
		c = n.clients[""]
	}
	r := &request{client: c, patience: patience, state: "waits"}
	if n.count(c, "waits") >= c.share.Waiting && (len(n.all("in")) == n.slots || n.count(c, "in") >= c.share.Slots) {
		r.state = "refused"
	}
	n.requests = append(n.requests, r)
}

func (n *naive) leave(id int) {
	n.requests[id].state = "left"
	n.line()
}

// pass lets half seconds go by.
func (n *naive) pass(halves int) {
	for _, id := range n.all("waits") {
		r := n.requests[id]
		if r.patience -= halves; r.patience < 0 {
			r.state = "refused"
		}
	}
	n.line()
}

func (n *naive) divide(shares map[string]limit.Share) {
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
		switch {
		case n.count(c, "waits") == 0 || n.count(c, "in") >= c.share.Slots:
			c.since = 0
		case c.since == 0:
			n.clock++
			c.since = n.clock
		}
	}
}

// serve hands out the free slots.
func (n *naive) serve() {
	for n.line(); len(n.all("in")) < n.slots; n.line() {
		var next *naiveClient
		for _, c := range n.clients {
			if c.since > 0 && (next == nil || c.since < next.since) {
				next = c
			}
		}
		if next == nil {
			return
		}
		next.since = 0
		for _, id := range n.all("waits") {
			if n.requests[id].client == next {
				n.requests[id].state = "in"
				break
			}
		}
	}
}

func (n *naive) usage() (all []limit.Usage) {
	for _, name := range slices.Sorted(maps.Keys(n.clients)) {
		if c := n.clients[name]; c.named {
			all = append(all, limit.Usage{Client: name, Share: c.share.Slots, Taken: n.count(c, "in"), Waiting: n.count(c, "waits")})
		}
	}
	return all
}
