package once_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
)

func TestTheSameRequestAtTwoGatewaysIsSentOnce(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		for number := int64(1); number <= 20; number++ {
			var running sync.WaitGroup
			for _, n := range []*node{a, b} {
				running.Go(func() { c.wantApproved(n, request("100", number)) })
			}
			running.Wait()
		}
		if issued := len(c.service.invoices); issued != 20 {
			t.Errorf("%d invoices", issued)
		}
		for _, log := range []string{a.log, b.log} {
			audittest.Verify(t, c.store, log)
		}
	})
}

func TestGatewaysTakeTurnsInASeries(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		nodes := []*node{c.join(), c.join(), c.join()}
		began := time.Now()
		for number := int64(1); number <= 30; number++ {
			c.wantApproved(nodes[number%3], request("100", number))
		}
		if took := time.Since(began); took > 30*time.Second/4 {
			t.Errorf("30 changes of the gateway took %s", took)
		}
	})
}

func TestAGatewayThatDiesLosesItsSeriesAndAnotherOneSettles(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		if _, err := a.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		a.die()
		b.sentWith.SeriesWait = 20 * time.Second
		if result, err := b.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.Kept == nil {
			t.Fatalf("the same again: %+v, %v; want it from the trail", result, err)
		}
		c.wantApproved(b, request("100", 2))
		settled := 0
		for r, err := range c.store.Search(t.Context(), audit.Query{Log: b.log, Kind: audit.KindSettlement}) {
			if err != nil || r.IntentLog != a.log || r.Intent != 0 || r.Outcome != "recovered" {
				t.Errorf("%+v, %v", r, err)
			}
			settled++
		}
		if settled != 1 {
			t.Errorf("%d settlements, want 1", settled)
		}
		// A later request does not ask again.
		d := c.join()
		before := c.service.questions()
		c.wantApproved(d, request("100", 3))
		if asked := c.service.questions() - before; asked != 0 {
			t.Errorf("%d further questions", asked)
		}
	})
}

// TestWhatADeadGatewaySentMayStillBeOnItsWay: while the service may be working on a request,
// its not knowing the invoice proves nothing.
func TestWhatADeadGatewaySentMayStillBeOnItsWay(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		intent := a.record(request("100", 1), audit.KindIntent)
		turn, err := a.coordinator.Enter(t.Context(), request("100", 1), c.service)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.write(intent); err != nil {
			t.Fatal(err)
		}
		a.die()
		time.Sleep(15 * time.Second) // of the bubble
		if turn.Held() {
			t.Error("a gateway that lost the store still counts on its lease")
		}
		var unsettled *once.UnsettledError
		if _, err := b.issue(t.Context(), request("100", 1), nothingLost); !errors.As(err, &unsettled) {
			t.Errorf("%v, want that it is not settled yet", err)
		}
		turn.Leave(once.Result{})
		time.Sleep(2 * time.Minute)
		c.wantApproved(b, request("100", 1))
	})
}

func TestSeriesOfADeadGatewayAreSettledInTheBackground(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		if _, err := a.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		a.die()
		for !b.coordinator.Needs(issuer) {
			time.Sleep(time.Second)
		}
		b.coordinator.Meet(issuer, c.service, once.Policy{})
		if got := <-b.settled; got.verdict != once.Recovered {
			t.Errorf("%v", got)
		}
	})
}

func TestASeriesThatAnotherGatewayKeepsIsBusy(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		turn, err := a.coordinator.Enter(t.Context(), request("100", 1), c.service)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.issue(t.Context(), request("200", 1), nothingLost); !errors.Is(err, once.ErrBusy) {
			t.Errorf("%v, want ErrBusy", err)
		}
		time.Sleep(time.Minute) // the lease is renewed
		if !turn.Held() {
			t.Error("the lease was not renewed")
		}
		turn.Leave(once.Result{State: once.NotSent})
		c.wantApproved(b, request("200", 1))
	})
}

// TestARepeatWaitsForAnotherGatewaysAnswer for longer than for a turn.
func TestARepeatWaitsForAnotherGatewaysAnswer(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		r := request("100", 1)
		turn, err := a.coordinator.Enter(t.Context(), r, c.service)
		if err != nil {
			t.Fatal(err)
		}
		intent, err := turn.Commit(a.record(r, audit.KindIntent), a.writeWith)
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan error, 1)
		go func() {
			result, err := b.issue(t.Context(), request("100", 1), nothingLost)
			if err == nil && result.Kept == nil {
				err = errors.New("it was sent a second time")
			}
			answered <- err
		}()
		time.Sleep(50 * time.Second) // the service is slow
		c.service.issue(r)
		outcome := a.record(r, audit.KindOutcome)
		outcome.Intent, outcome.Certainty, outcome.Resultado = intent, audit.Answered, "A"
		for i := range outcome.Vouchers {
			outcome.Vouchers[i].Resultado = "A"
		}
		if _, err := turn.Commit(outcome, a.writeWith); err != nil {
			t.Fatal(err)
		}
		turn.Leave(once.Result{State: once.Approved, Last: 1})
		if err := <-answered; err != nil {
			t.Error(err)
		}
	})
}

// TestARepeatIsNoConflictBeforeTheSeriesIsTakenOver: a gateway that waits for a series does
// not know what others have sent in it. A client that got a conflict would take another
// number and issue the invoice twice.
func TestARepeatIsNoConflictBeforeTheSeriesIsTakenOver(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		c.wantApproved(b, request("100", 1))
		if _, err := a.issue(t.Context(), request("100", 2), crash); err != nil {
			t.Fatal(err)
		}
		a.die()
		b.sentWith.SeriesWait = 30 * time.Second
		other := make(chan once.Result, 1)
		go func() {
			result, err := b.issue(t.Context(), request("200", 2), nothingLost)
			if err != nil {
				t.Error(err)
			}
			other <- result
		}()
		synctest.Wait() // it waits for the lease of the dead
		result, err := b.issue(t.Context(), request("100", 2), nothingLost)
		if err != nil || result.Kept == nil {
			t.Errorf("the same again: %+v, %v; want it from the trail", result, err)
		}
		if got := <-other; got.State != once.Rejected {
			t.Errorf("another one under the same number: %+v", got)
		}
	})
}

// TestGatewaysShareASeriesFairly: three that want it all the time.
func TestGatewaysShareASeriesFairly(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		nodes := []*node{c.join(), c.join(), c.join()}
		turns := make([]int, len(nodes))
		began := time.Now()
		var running sync.WaitGroup
		for i, n := range nodes {
			for range 4 {
				running.Go(func() {
					for time.Since(began) < 20*time.Second {
						r := request("100", 1)
						r.Doubtful = true
						r.Policy.NoReplay = true // each is a request of its own
						turn, err := n.coordinator.Enter(t.Context(), r, c.service)
						if err != nil {
							t.Error(err)
							return
						}
						time.Sleep(10 * time.Millisecond) // it is at the service
						turns[i]++                        // there is one turn at a time
						turn.Leave(once.Result{State: once.NotSent})
					}
				})
			}
		}
		running.Wait()
		sum := turns[0] + turns[1] + turns[2]
		for i, n := range turns {
			if n < sum/5 {
				t.Errorf("gateway %d had %d of %d turns", i+1, n, sum)
			}
		}
		if sum < 800 {
			t.Errorf("%d turns in 20 s", sum)
		}
		t.Logf("%v turns", turns)
	})
}

// TestAGatewayThatDiesBetweenTwoInvoicesHoldsNobodyUp.
func TestAGatewayThatDiesBetweenTwoInvoicesHoldsNobodyUp(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		for number := int64(1); number <= 3; number++ {
			c.wantApproved(a, request("100", number))
		}
		a.die()
		died := time.Now()
		c.wantApproved(b, request("100", 4))
		if took := time.Since(died); took > 100*time.Millisecond {
			t.Errorf("the next invoice took %s", took)
		}
	})
}

// TestANumberThatAnotherGatewayHasIssuedIsNoNewOne: the intent of one that does not know it takes no lease.
func TestANumberThatAnotherGatewayHasIssuedIsNoNewOne(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		c.wantApproved(a, request("100", 1))
		c.wantApproved(b, request("100", 2))
		c.wantApproved(b, request("100", 3))
		result, err := a.issue(t.Context(), request("100", 3), nothingLost)
		if err != nil || result.Kept == nil {
			t.Errorf("the same again: %+v, %v; want it from the trail", result, err)
		}
		c.wantApproved(a, request("100", 4))
		if issued := len(c.service.invoices); issued != 4 {
			t.Errorf("%d invoices", issued)
		}
	})
}

// TestARepeatIsFoundBeforeItIsTurnedAway, although its gateway knows nothing of it.
func TestARepeatIsFoundBeforeItIsTurnedAway(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		c.wantApproved(a, request("100", 1))
		c.wantApproved(b, request("100", 2))
		turn := enter(t, a.gateway, request("100", 2))
		if turn.Repeat != nil {
			t.Fatal("it is known already: nothing is put to the proof")
		}
		if err := turn.LookBack(t.Context()); err != nil || turn.Repeat == nil {
			t.Errorf("%+v, %v", turn.Repeat, err)
		}
		turn.Leave(*turn.Repeat)
		turn = enter(t, a.gateway, request("100", 3))
		if err := turn.LookBack(t.Context()); err != nil || turn.Repeat != nil {
			t.Errorf("a new one: %+v, %v", turn.Repeat, err)
		}
		turn.Leave(once.Result{State: once.NotSent})
	})
}

// TestANumberThatOnlyTheServiceHasNamedIsNotKept: a wrong one would cost each invoice of the series a search from
// then on.
func TestANumberThatOnlyTheServiceHasNamedIsNotKept(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a := c.join()
		c.wantApproved(a, request("100", 1))
		c.service.set(func(s *fakeService) { s.lastNamed = 1_000_000 })
		turn := enter(t, a.gateway, request("100", 5))
		if err := turn.LookBack(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := turn.Confirm(t.Context(), c.service); err != nil || turn.Prediction == nil || turn.Prediction.Last != 1_000_000 {
			t.Fatalf("%+v, %v", turn.Prediction, err)
		}
		turn.Leave(once.Result{State: once.NotSent})
		time.Sleep(time.Second) // it is returned in the background
		holder := audit.Holder{Process: "look", Turn: 1}
		if lease, err := c.leases.TakeLease(t.Context(), "/20111111112/1/6/", holder, time.Minute); err != nil || lease != (audit.Lease{Held: true, Settled: true, Last: 1}) {
			t.Errorf("%+v, %v", lease, err)
		}
	})
}

// TestAnOpenRequestIsSeenByAllWhoDoNotRecover: nobody asks the service, and the request stays open.
func TestAnOpenRequestIsSeenByAllWhoDoNotRecover(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a, b := c.join(), c.join()
		if _, err := a.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		a.die()
		b.sentWith = once.Policy{SeriesWait: 20 * time.Second, NoRecovery: true}
		c.wantApproved(b, request("100", 2))
		d := c.join()
		d.sentWith = once.Policy{SeriesWait: 20 * time.Second}
		c.wantApproved(d, request("100", 3))
		if n := c.settlements(d.log); n != 1 {
			t.Errorf("it was settled %d times, want once", n)
		}
	})
}
