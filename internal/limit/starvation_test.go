package limit_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/limit"
)

// A request is at the service for 25 to 75 ms.
const shortest, longest = 25 * time.Millisecond, 75 * time.Millisecond

// load sends requests and counts the slots of each client.
type load struct {
	limit *limit.Limit
	ctx   context.Context
	mu    sync.Mutex
	given map[string]int
	all   int
	most  map[string]int // at a time
	in    map[string]int
}

// request enters, stays for a random time and leaves. It returns how long it waited, and how many other
// requests entered meanwhile.
func (o *load) request(client string, random *rand.Rand) (waited time.Duration, turns int, err error) {
	o.mu.Lock()
	turns = -o.all
	o.mu.Unlock()
	began := time.Now()
	leave, err := o.limit.EnterAs(o.ctx, client, time.Hour)
	if err != nil {
		return 0, 0, err
	}
	waited = time.Since(began)
	o.mu.Lock()
	turns += o.all
	o.all++
	o.given[client]++
	o.in[client]++
	o.most[client] = max(o.most[client], o.in[client])
	o.mu.Unlock()
	<-time.After(between(random))
	o.mu.Lock()
	o.in[client]--
	o.mu.Unlock()
	leave()
	return waited, turns, nil
}

func between(random *rand.Rand) time.Duration {
	return shortest + time.Duration(random.Int64N(int64(longest-shortest)))
}

// seen has the measurements of the quiet client, which sends one request at a time.
type seen struct {
	latencies []time.Duration // with the service, in order of size
	waited    time.Duration   // the longest
	turns     int             // of others, the most while it waited
}

func (s seen) p99() time.Duration { return s.latencies[len(s.latencies)*99/100] }

// quietly makes requests of the client quiet, and has so many others flood meanwhile.
func quietly(t *testing.T, o *load, requests int, flood map[string]int) (s seen) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	o.ctx, o.given, o.most, o.in = ctx, map[string]int{}, map[string]int{}, map[string]int{}
	var floods sync.WaitGroup
	for client, at := range flood {
		for i := range at {
			random := rand.New(rand.NewPCG(uint64(i), uint64(len(client))))
			floods.Go(func() {
				for ctx.Err() == nil {
					o.request(client, random)
				}
			})
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range requests {
		<-time.After(between(random))
		began := time.Now()
		waited, turns, err := o.request("quiet", random)
		if err != nil {
			t.Fatal(err)
		}
		s.latencies = append(s.latencies, time.Since(began))
		s.waited, s.turns = max(s.waited, waited), max(s.turns, turns)
	}
	slices.Sort(s.latencies)
	cancel()
	floods.Wait()
	if o.limit.Fullness() != 0 {
		t.Errorf("in the end: %v", o.limit.Usage())
	}
	return s
}

// TestFloodSlowsNobodyElse: one client has 20 times its share of requests waiting, another one request at a
// time.
func TestFloodSlowsNobodyElse(t *testing.T) {
	const slots, requests = 8, 2000
	for name, share := range map[string]int{"half of the slots": slots / 2, "all slots": slots} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &load{limit: limit.NewLimit(slots)}
				o.limit.Divide(map[string]limit.Share{"loud": {Slots: share}, "quiet": {Slots: share}})
				alone := quietly(t, o, requests, nil)
				with := quietly(t, o, requests, map[string]int{"loud": 20 * share})
				ratio := float64(with.p99()) / float64(alone.p99())
				t.Logf("p99 %v, without the flood %v: %.3f; it waited for %v at most", with.p99(), alone.p99(), ratio, with.waited)
				if ratio > 1.3 {
					t.Errorf("p99 is %v, without the flood %v", with.p99(), alone.p99())
				}
				if with.waited > longest || with.turns > 0 {
					t.Errorf("a request waited for %v, %d requests of the flood were before it", with.waited, with.turns)
				}
				if o.most["loud"] != share {
					t.Errorf("the flood had %d slots, want %d", o.most["loud"], share)
				}
			})
		})
	}
}

// TestHundredClientsTakeTurns: 99 clients flood, and the hundredth still has its turn in each round.
func TestHundredClientsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slots, share, others = 20, 2, 99
		shares, flood := map[string]limit.Share{"quiet": {Slots: share}}, map[string]int{}
		for i := range others {
			name := "loud" + strconv.Itoa(i)
			shares[name], flood[name] = limit.Share{Slots: share}, share*(1+i%20)
		}
		o := &load{limit: limit.NewLimit(slots)}
		o.limit.Divide(shares)
		s := quietly(t, o, 100, flood)
		if s.turns > others {
			t.Errorf("%d requests of others were before one", s.turns)
		}
		fewest, most := o.given["loud0"], 0
		for name := range flood {
			fewest, most = min(fewest, o.given[name]), max(most, o.given[name])
			if o.most[name] > share {
				t.Errorf("%s had %d slots", name, o.most[name])
			}
		}
		t.Logf("of %d turns each had %d to %d; quiet waited for %d turns and %v at most", o.all, fewest, most, s.turns, s.waited)
		if 10*most > 11*fewest {
			t.Errorf("one had %d turns, another %d", most, fewest)
		}
	})
}

// TestNothingIsLostInAHurry: requests of many clients enter, lose patience, are canceled and are divided
// anew, all at once.
func TestNothingIsLostInAHurry(t *testing.T) {
	const slots, clients, share = 5, 10, 2
	l := divided(slots, clients, limit.Share{Slots: share, Waiting: 10})
	var mu sync.Mutex
	var all int
	in := map[string]int{}
	change := func(client string, by int) {
		mu.Lock()
		defer mu.Unlock()
		all, in[client] = all+by, in[client]+by
		if all > slots || in[client] > share {
			t.Errorf("%d requests are in, %d of %s", all, in[client], client)
		}
	}
	var requests sync.WaitGroup
	for i := range 8 * clients {
		client := "c" + strconv.Itoa(i%clients)
		requests.Go(func() {
			for n := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				patience := time.Duration((i+n)%4) * 10 * time.Microsecond
				if n%3 == 0 {
					time.AfterFunc(patience, cancel)
					patience = time.Minute
				}
				if leave, err := l.EnterAs(ctx, client, patience); err == nil {
					change(client, 1)
					if n%50 == 0 {
						l.Divide(sharesOf(clients, limit.Share{Slots: share, Waiting: 10 + n}))
					}
					change(client, -1)
					leave()
				}
				cancel()
			}
		})
	}
	requests.Wait()
	for _, u := range l.Usage() {
		if u.Taken != 0 || u.Waiting != 0 {
			t.Errorf("in the end: %+v", u)
		}
	}
}
