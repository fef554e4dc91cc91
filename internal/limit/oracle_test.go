package limit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/limit"
)

// event is one step of a history. Events are a second apart, and no patience ends at a whole second.
type event struct {
	kind string // "enter", "leave", "shrink", "assign", "cancel", "divide" or "pass"
	// client enters, with so many slots and half seconds of patience, or is assigned a request.
	client   string
	weight   int
	patience int
	// which request leaves, shrinks or is assigned, of all inside, or is canceled, of all that wait.
	which  int
	shares map[string]limit.Share
}

func (e event) String() string {
	return fmt.Sprintf("%s %s %d %d #%d %v", e.kind, e.client, e.weight, e.patience, e.which, e.shares)
}

var names = []string{"", "a", "b", "c", "d"}

// history draws events. Clients that the division does not name enter too. A request takes at most so many slots.
func history(t *rapid.T, most int) (events []event) {
	kinds := []string{"enter", "enter", "enter", "leave", "leave", "cancel", "divide", "pass"}
	if most > 1 {
		kinds = append(kinds, "shrink", "assign")
	}
	for range rapid.IntRange(1, 60).Draw(t, "events") {
		e := event{kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch e.kind {
		case "enter":
			e.client = rapid.SampledFrom(names).Draw(t, "client")
			e.weight = rapid.IntRange(1, most).Draw(t, "weight")
			e.patience = 2*rapid.IntRange(0, 20).Draw(t, "patience") + 1
		case "divide":
			e.shares = rapid.MapOfN(rapid.SampledFrom(names), rapid.Custom(func(t *rapid.T) limit.Share {
				return limit.Share{Slots: rapid.IntRange(0, 4).Draw(t, "share"), Waiting: rapid.IntRange(1, 4).Draw(t, "waiting")}
			}), 0, len(names)).Draw(t, "shares")
		default:
			e.client = rapid.SampledFrom(names).Draw(t, "client")
			e.which = rapid.IntRange(0, 20).Draw(t, "which")
		}
		events = append(events, e)
	}
	return events
}

// TestSharesAgreeWithANaiveLimit plays random histories against a naive limit, and compares the state of each
// request after each event.
func TestSharesAgreeWithANaiveLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		slots := rapid.IntRange(1, 6).Draw(rt, "slots")
		events := history(rt, 1)
		var differs error
		synctest.Test(t, func(t *testing.T) { differs = play(t, limit.NewLimit(slots), newNaive(slots, false), events) })
		if differs != nil {
			rt.Fatalf("%d slots, %v: %v", slots, events, differs)
		}
	})
}

// TestPoolsAgreeWithANaivePool does the same with requests of many bytes.
func TestPoolsAgreeWithANaivePool(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 40).Draw(rt, "size")
		events := history(rt, rapid.SampledFrom([]int{2, 10, 50}).Draw(rt, "most"))
		var differs error
		synctest.Test(t, func(t *testing.T) { differs = play(t, limit.NewPool(int64(size)), newNaive(size, true), events) })
		if differs != nil {
			rt.Fatalf("%d bytes, %v: %v", size, events, differs)
		}
	})
}

// visit is a request, as the driver sees it.
type visit struct {
	cancel context.CancelFunc
	part   limit.Part
	err    error
	ended  bool
}

// play returns the first difference between the limit and the naive one.
func play(t *testing.T, l *limit.Limit, n *naive, events []event) error {
	var visits []*visit
	for i, e := range events {
		switch e.kind {
		case "enter":
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			v := &visit{cancel: cancel}
			visits = append(visits, v)
			// No two requests lose their patience in the same moment.
			patience := time.Duration(e.patience)*time.Second/2 + time.Duration(len(visits))
			go func() {
				v.part, v.err = l.TakeAs(ctx, e.client, int64(e.weight), patience)
				v.ended = true
			}()
			n.enter(e.client, e.weight, e.patience)
		case "leave", "shrink", "assign":
			if inside := n.all("in"); len(inside) > 0 {
				id := inside[e.which%len(inside)]
				if err := change(e, &visits[id].part, n, id); err != nil {
					return fmt.Errorf("event %d, %v: %w", i, e, err)
				}
			}
		case "cancel":
			if waiting := n.all("waits"); len(waiting) > 0 {
				id := waiting[e.which%len(waiting)]
				visits[id].cancel()
				n.requests[id].state = "canceled"
			}
		case "divide":
			l.Divide(e.shares)
			n.divide(e.shares)
		}
		synctest.Wait()
		n.serve()
		if err := compare(l, n, visits); err != nil {
			return fmt.Errorf("event %d, %v: %w", i, e, err)
		}
		<-time.After(time.Second)
		synctest.Wait()
		n.pass(2)
	}
	return finish(l, n, visits)
}

// change changes what a request has.
func change(e event, held *limit.Part, n *naive, id int) error {
	switch e.kind {
	case "leave":
		held.Release()
		n.leave(id)
	case "shrink":
		held.Shrink(int64(n.shrink(id)))
	case "assign":
		if err, may := held.Assign(e.client), n.assign(id, e.client); (err == nil) != may {
			return fmt.Errorf("assigned: %w, want %v", err, may)
		}
	}
	return nil
}

// finish lets all requests leave, one after the other, and returns an error if one waits for ever.
func finish(l *limit.Limit, n *naive, visits []*visit) error {
	for {
		inside := n.all("in")
		if len(inside) == 0 {
			break
		}
		visits[inside[0]].part.Release()
		n.leave(inside[0])
		n.serve()
		synctest.Wait()
		if err := compare(l, n, visits); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
	}
	for id, v := range visits {
		if !v.ended {
			return fmt.Errorf("request %d waits for ever", id)
		}
	}
	if l.Divide(nil); l.Fullness() != 0 || l.Remembered() != 0 {
		return fmt.Errorf("in the end %v is taken, %d clients are remembered", l.Fullness(), l.Remembered())
	}
	return nil
}

// compare returns how the limit differs from the naive one.
func compare(l *limit.Limit, n *naive, visits []*visit) error {
	for id, v := range visits {
		state := "waits"
		switch {
		case v.ended && v.err == nil:
			state = "in"
		case errors.Is(v.err, context.Canceled):
			state = "canceled"
		case errors.Is(v.err, limit.ErrFull):
			state = "refused"
		}
		want := n.requests[id].state
		if want == "left" {
			want = "in"
		}
		if state != want {
			return fmt.Errorf("request %d of %q: %s, want %s", id, n.requests[id].client.name, state, want)
		}
	}
	if got, want := l.Fullness(), float64(n.taken(nil))/float64(n.slots); got != want {
		return fmt.Errorf("fullness %v, want %v", got, want)
	}
	if got, want := l.Usage(), n.usage(); !slices.Equal(got, want) {
		return fmt.Errorf("usage %+v, want %+v", got, want)
	}
	return nil
}
