package once_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
)

func TestCrashBetweenIntentAndOutcomeIsSettledFirst(t *testing.T) {
	for name, eager := range map[string]bool{"by the next request": false, "at start": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, g *gateway) {
				if _, err := g.issue(t.Context(), request("100", 1), crash); err != nil {
					t.Fatal(err)
				}
				g.close()
				*g = *open(t, g.store, g.service)
				if eager {
					g.coordinator.Suspect([]once.OrderingKey{request("100", 1).Key.OrderingKey})
					g.coordinator.Meet(issuer, g.service, once.Policy{})
					if got := <-g.settled; got.verdict != once.Recovered {
						t.Errorf("%v", got)
					}
				}
				if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.Kept == nil || result.Kept.Kind != audit.KindOutcome {
					t.Errorf("the same again: %+v, %v", result, err)
				}
				audittest.Verify(t, g.store, logName)
			})
		})
	}
}

// TestCrashIsFoundBehindManyQuestions: queries about the series afterwards hide nothing.
func TestCrashIsFoundBehindManyQuestions(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		if _, err := g.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		for range 2100 {
			if _, err := g.write(&audit.Record{
				Kind: audit.KindExchange, Time: time.Now(), Operation: "FECompUltimoAutorizado",
				Cuit: issuer, PtoVta: 1, CbteTipo: 6, Certainty: audit.Answered,
			}); err != nil {
				t.Fatal(err)
			}
		}
		g.close()
		*g = *open(t, g.store, g.service)
		if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.Kept == nil {
			t.Errorf("the same again: %+v, %v", result, err)
		}
	})
}

// TestCrashIsFoundBehindManyRefusals: while the service is away, clients try again and again.
func TestCrashIsFoundBehindManyRefusals(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		if _, err := g.issue(t.Context(), request("100", 1), crash); err != nil {
			t.Fatal(err)
		}
		for range 2100 {
			refused := g.record(request("100", 2), audit.KindExchange)
			refused.Decision, refused.Outcome, refused.Certainty = "refuse", "unsettled", audit.NotSent
			if _, err := g.write(refused); err != nil {
				t.Fatal(err)
			}
		}
		g.close()
		*g = *open(t, g.store, g.service)
		if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.Kept == nil {
			t.Errorf("the same again: %+v, %v", result, err)
		}
	})
}

// interrupted leaves an intent in the trail as a process does that dies while the service is
// at work, and returns a gateway that was started after some time.
func (g *gateway) interrupted(t *testing.T, r *once.Request, down time.Duration) {
	t.Helper()
	if _, err := g.write(g.record(r, audit.KindIntent)); err != nil {
		t.Fatal(err)
	}
	g.close()
	time.Sleep(down)
	policy := g.sentWith
	*g = *open(t, g.store, g.service)
	g.sentWith = policy
}

// TestServiceMayBeAtWorkWhenTheGatewayDies: the time when the request was sent does not show
// when it was lost.
func TestServiceMayBeAtWorkWhenTheGatewayDies(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		r := request("100", 1)
		g.interrupted(t, r, time.Minute)
		time.AfterFunc(3*time.Second, func() { g.service.issue(r) })
		if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.Kept == nil {
			t.Errorf("the same again: %+v, %v; want it found out", result, err)
		}
	})
}

// TestTheBackgroundHasThePatienceOfTheTerms: a service that takes long is known to do so.
func TestTheBackgroundHasThePatienceOfTheTerms(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.sentWith.RecoverWithin = 2 * time.Minute
		r := request("100", 1)
		g.interrupted(t, r, 0)
		g.coordinator.Suspect([]once.OrderingKey{r.Key.OrderingKey})
		g.coordinator.Meet(issuer, g.service, g.sentWith)
		time.AfterFunc(30*time.Second, func() { g.service.issue(r) })
		if got := <-g.settled; got.verdict != once.Recovered {
			t.Errorf("settled: %v", got)
		}
	})
}

// TestTheBackgroundWaitsForSlowAnswers, as long as a request would.
func TestTheBackgroundWaitsForSlowAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.sentWith.RecoverWithin = 2 * time.Minute
		r := request("100", 1)
		g.service.issue(r)
		g.interrupted(t, r, 0)
		g.service.takes = 25 * time.Second
		g.coordinator.Suspect([]once.OrderingKey{r.Key.OrderingKey})
		g.coordinator.Meet(issuer, g.service, g.sentWith)
		select {
		case got := <-g.settled:
			if got.verdict != once.Recovered {
				t.Errorf("settled: %v", got)
			}
		case <-time.After(time.Hour): // of the bubble
			t.Error("not settled after an hour")
		}
	})
}

// TestAClockThatWasSetBackHoldsNothingUp: what was lost in the future was lost by now.
func TestAClockThatWasSetBackHoldsNothingUp(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		lost := g.record(request("100", 1), audit.KindIntent)
		lost.Time = time.Now().Add(time.Hour)
		if _, err := g.write(lost); err != nil {
			t.Fatal(err)
		}
		if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.State != once.Approved {
			t.Errorf("%+v, %v", result, err)
		}
	})
}
