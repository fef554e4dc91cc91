package once_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
)

// inBubble runs a test in time of its own, with a gateway.
func inBubble(t *testing.T, test func(t *testing.T, g *gateway)) {
	synctest.Test(t, func(t *testing.T) {
		g := open(t, audittest.NewMemory(), newService())
		defer g.close()
		test(t, g)
	})
}

func enter(t *testing.T, g *gateway, r *once.Request) *once.Turn {
	t.Helper()
	turn, err := g.coordinator.Enter(t.Context(), g.terms(r), g.service)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func TestRequestsOfASeriesPassInTheOrderOfArrival(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		first := enter(t, g, request("100", 1))
		var order []int64
		var mu sync.Mutex
		var all sync.WaitGroup
		for n := int64(2); n <= 9; n++ {
			all.Go(func() {
				turn := enter(t, g, request("100", n))
				mu.Lock()
				order = append(order, n)
				mu.Unlock()
				turn.Leave(once.Result{State: once.Approved, Last: n})
			})
			synctest.Wait() // it waits behind the others
		}
		other := request("100", 1)
		other.Key.PtoVta = 2
		enter(t, g, other).Leave(once.Result{}) // another series is not held up
		first.Leave(once.Result{State: once.Approved, Last: 1})
		all.Wait()
		for i, n := range order {
			if n != int64(i)+2 {
				t.Fatalf("order %v", order)
			}
		}
	})
}

func TestTurnThatDoesNotComeInTimeIsGivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.sentWith.SeriesWait = 7 * time.Second
		first := enter(t, g, request("100", 1))
		began := time.Now()
		if _, err := g.coordinator.Enter(t.Context(), g.terms(request("100", 2)), g.service); !errors.Is(err, once.ErrBusy) || time.Since(began) != 7*time.Second {
			t.Errorf("%v after %v, want ErrBusy after 7s", err, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := g.coordinator.Enter(ctx, request("100", 3), g.service); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that has left: %v", err)
		}
		first.Leave(once.Result{})
		enter(t, g, request("100", 2)).Leave(once.Result{}) // requests that gave up do not block
	})
}

func TestSameRequestSharesTheResultAndAnotherOneConflicts(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		first := enter(t, g, request("100", 1))
		var waiting sync.WaitGroup
		for range 5 {
			waiting.Go(func() {
				turn := enter(t, g, request("100", 1))
				defer turn.Leave(once.Result{})
				if turn.Repeat == nil || !turn.Repeat.Shared || turn.Repeat.Reply != "reply" {
					t.Errorf("the repeat got %+v", turn.Repeat)
				}
			})
		}
		synctest.Wait()
		if _, err := g.coordinator.Enter(t.Context(), request("101", 1), g.service); !errors.Is(err, once.ErrConflict) {
			t.Errorf("another content: %v, want ErrConflict", err)
		}
		first.Leave(once.Result{State: once.Approved, Reply: "reply", Last: 1})
		waiting.Wait()
	})
}

func TestIdempotencyKeyBelongsToOneRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		keyed := func(amount string, number int64) *once.Request {
			r := request(amount, number)
			r.IdempotencyKey = [16]byte{7}
			return r
		}
		if result, err := g.issue(t.Context(), keyed("100", 1), nothingLost); err != nil || result.State != once.Approved {
			t.Fatalf("%+v, %v", result, err)
		}
		for _, reopened := range []bool{false, true} {
			if reopened {
				g.close()
				*g = *open(t, g.store, g.service)
			}
			if result, err := g.issue(t.Context(), keyed("100", 1), nothingLost); err != nil || result.State != once.Approved {
				t.Errorf("the same again: %+v, %v", result, err)
			}
			if _, err := g.issue(t.Context(), keyed("100", 2), nothingLost); !errors.Is(err, once.ErrKeyReused) {
				t.Errorf("another request: %v, want ErrKeyReused", err)
			}
		}
	})
}

// TestARejectionThatAKeyStandsForHidesNoApproval: the same came without the key and was approved. Its client must not
// be told that it was rejected, or it issues it again under another number.
func TestARejectionThatAKeyStandsForHidesNoApproval(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		keyed := request("100", 2)
		keyed.IdempotencyKey = [16]byte{7}
		for _, r := range []*once.Request{keyed, request("100", 1), request("100", 2)} { // 2 is rejected until there is 1
			if _, err := g.issue(t.Context(), r, nothingLost); err != nil {
				t.Fatal(err)
			}
		}
		for _, reopened := range []bool{false, true} {
			if reopened {
				g.close()
				*g = *open(t, g.store, g.service)
			}
			turn := enter(t, g, keyed)
			if turn.Repeat == nil || turn.Repeat.Kept != nil && turn.Repeat.Kept.Resultado != "A" {
				t.Errorf("reopened %v: answered as %+v", reopened, turn.Repeat)
			}
			turn.Leave(once.Result{})
		}
	})
}

// TestARejectionThatAKeyStandsForWaitsForWhatIsOpen: the same came without the key, and may have been approved.
func TestARejectionThatAKeyStandsForWaitsForWhatIsOpen(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		keyed := request("100", 2)
		keyed.IdempotencyKey = [16]byte{7}
		for _, r := range []*once.Request{keyed, request("100", 1)} { // 2 is rejected until there is 1
			if _, err := g.issue(t.Context(), r, nothingLost); err != nil {
				t.Fatal(err)
			}
		}
		g.service.set(func(s *fakeService) { s.down = true })
		if result, err := g.issue(t.Context(), request("100", 2), answerLost); err != nil || result.State != once.Unknown {
			t.Fatalf("%+v, %v", result, err)
		}
		var unsettled *once.UnsettledError
		if turn, err := g.coordinator.Enter(t.Context(), keyed, g.service); !errors.As(err, &unsettled) {
			t.Errorf("while it is open: %+v, %v, want an UnsettledError", turn, err)
		}
		g.service.set(func(s *fakeService) { s.down = false })
		if turn := enter(t, g, keyed); turn.Repeat == nil || turn.Repeat.Kept == nil || turn.Repeat.Kept.Resultado != "A" {
			t.Errorf("settled: answered as %+v", turn.Repeat)
		}
	})
}

// TestIdempotencyKeyBelongsToOneSeriesAtATime: a request on its way is in no trail yet.
func TestIdempotencyKeyBelongsToOneSeriesAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		here, there := request("100", 1), request("100", 1)
		here.IdempotencyKey, there.IdempotencyKey = [16]byte{7}, [16]byte{7}
		there.Key.PtoVta = 2
		turn, err := g.coordinator.Enter(t.Context(), here, g.service)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.coordinator.Enter(t.Context(), there, g.service); !errors.Is(err, once.ErrKeyReused) {
			t.Errorf("in another series meanwhile: %v, want ErrKeyReused", err)
		}
		turn.Leave(once.Result{State: once.NotSent})
		if turn, err = g.coordinator.Enter(t.Context(), there, g.service); err != nil {
			t.Fatalf("when the first one was not sent: %v", err)
		}
		turn.Leave(once.Result{})
	})
}

func TestRepeatIsAnsweredFromTheTrailAfterARestart(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		for n := int64(1); n <= 20; n++ {
			if result, err := g.issue(t.Context(), request("100", n), nothingLost); err != nil || result.State != once.Approved {
				t.Fatalf("%d: %+v, %v", n, result, err)
			}
		}
		g.close()
		*g = *open(t, g.store, g.service)
		turn := enter(t, g, request("100", 7))
		if turn.Repeat == nil || turn.Repeat.Kept == nil || turn.Repeat.Kept.Vouchers[0].CbteDesde != 7 {
			t.Errorf("number 7 again: %+v", turn.Repeat)
		}
		turn.Leave(once.Result{})
		if turn := enter(t, g, request("101", 7)); turn.Repeat != nil || turn.Prediction == nil || turn.Prediction.Last != 20 {
			t.Errorf("number 7 with another content: %+v, %+v", turn.Repeat, turn.Prediction)
		} else {
			turn.Leave(once.Result{})
		}
		if turn := enter(t, g, request("100", 21)); turn.Repeat != nil || turn.Prediction != nil {
			t.Errorf("the next number: %+v, %+v", turn.Repeat, turn.Prediction)
		} else {
			turn.Leave(once.Result{})
		}
	})
}

func TestReplayOffLeavesRepeatsToTheService(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.sentWith.NoReplay = true
		for _, want := range []once.State{once.Approved, once.Rejected} {
			if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.State != want {
				t.Errorf("%+v, %v; want %v", result, err, want)
			}
		}
	})
}

func TestRejectedRequestGoesToTheServiceAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		if result, err := g.issue(t.Context(), request("100", 2), nothingLost); err != nil || result.State != once.Rejected {
			t.Fatalf("%+v, %v", result, err)
		}
		if _, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil {
			t.Fatal(err)
		}
		if result, err := g.issue(t.Context(), request("100", 2), nothingLost); err != nil || result.State != once.Approved {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

func TestPredictionNamesTheNumbersAndIsCorrectedByTheService(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		for n := int64(1); n <= 3; n++ {
			if _, err := g.issue(t.Context(), request("100", n), nothingLost); err != nil {
				t.Fatal(err)
			}
		}
		turn := enter(t, g, request("100", 5))
		if p := turn.Prediction; p == nil || p.Sent != 5 || p.Last != 3 || p.Sure {
			t.Fatalf("%+v", p)
		}
		g.service.issue(request("100", 4)) // by another program
		if err := turn.Confirm(t.Context(), g.service); err != nil || turn.Prediction != nil {
			t.Errorf("%v, %+v; the number follows", err, turn.Prediction)
		}
		turn.Leave(once.Result{})
		turn = enter(t, g, request("100", 9))
		if err := turn.Confirm(t.Context(), g.service); err != nil || turn.Prediction == nil || !turn.Prediction.Sure || turn.Prediction.Last != 4 {
			t.Errorf("%v, %+v", err, turn.Prediction)
		}
		turn.Leave(once.Result{})
	})
}

// TestRepeatOfAnApprovedRequestIsNoConflict: another program tries the same number, while
// the client that has it repeats its request because it never got the answer. A conflict
// would make it take another number.
func TestRepeatOfAnApprovedRequestIsNoConflict(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		if _, err := g.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		g.close()
		*g = *open(t, g.store, g.service)
		other := enter(t, g, request("200", 1)) // which settles the first
		repeat, err := g.coordinator.Enter(t.Context(), request("100", 1), g.service)
		if err != nil || repeat.Repeat == nil || repeat.Repeat.Kept.Vouchers[0].Code != "76000000000001" {
			t.Errorf("the repeat: %+v, %v", repeat, err)
		}
		if _, err := g.coordinator.Enter(t.Context(), request("300", 1), g.service); !errors.Is(err, once.ErrConflict) {
			t.Errorf("a third one: %v, want ErrConflict", err)
		}
		other.Leave(once.Result{State: once.Rejected})
	})
}

// TestWhoWaitsForARequestThatGivesUpTakesItsPlace: the first client leaves while it waits
// for its turn; it has no answer that the second could be given.
func TestWhoWaitsForARequestThatGivesUpTakesItsPlace(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		holder := enter(t, g, request("100", 1))
		ctx, leave := context.WithCancel(t.Context())
		var group sync.WaitGroup
		defer group.Wait()
		group.Go(func() {
			if _, err := g.coordinator.Enter(ctx, request("100", 2), g.service); !errors.Is(err, context.Canceled) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() {
			turn, err := g.coordinator.Enter(t.Context(), request("100", 2), g.service)
			if err != nil || turn.Repeat != nil {
				t.Errorf("the second: %+v, %v; want a turn of its own", turn, err)
				return
			}
			turn.Leave(once.Result{State: once.NotSent})
		})
		synctest.Wait()
		leave()
		synctest.Wait()
		holder.Leave(once.Result{State: once.NotSent})
	})
}
