package once_test

import (
	"errors"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
)

// inEnvironment has the gateway send to a kind of service, which it reaches from now on.
func (g *gateway) inEnvironment(environment audit.Environment, service *fakeService) {
	g.sentWith.Environment, g.service = environment, service
}

// TestWhatAnotherServiceHasIsNoAnswer: the trail of the tests is the one of production too. The same request is sent
// there, in memory and after a restart, with an Idempotency-Key and without.
func TestWhatAnotherServiceHasIsNoAnswer(t *testing.T) {
	for name, reopened := range map[string]bool{"the same process": false, "a restart": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, g *gateway) {
				keyed := func() *once.Request {
					r := request("100", 1)
					r.IdempotencyKey = [16]byte{7}
					return r
				}
				g.inEnvironment(audit.EnvironmentTesting, newService())
				if _, err := g.issue(t.Context(), keyed(), nothingLost); err != nil {
					t.Fatal(err)
				}
				production := newService()
				g.inEnvironment(audit.EnvironmentProduction, production)
				if reopened {
					g.close()
					*g = *open(t, g.store, production)
					g.inEnvironment(audit.EnvironmentProduction, production)
				}
				if repeats, err := g.coordinator.MayRepeat(t.Context(), g.terms(keyed())); repeats || err != nil {
					t.Errorf("it may be a repeat: %v, %v", repeats, err)
				}
				if result, err := g.issue(t.Context(), keyed(), nothingLost); err != nil || result.Kept != nil || len(production.invoices) != 1 {
					t.Errorf("in production: %+v, %v", result, err)
				}
				if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.State != once.Approved || len(production.invoices) != 1 {
					t.Errorf("again in production: %+v, %v", result, err)
				}
			})
		})
	}
}

// TestAnotherServiceIsNotAskedWhatBecameOfARequest: it knows nothing of it, and would say that it was not issued. Nor
// does the request hold up those to the other service, whose answers do not hide it.
func TestAnotherServiceIsNotAskedWhatBecameOfARequest(t *testing.T) {
	for name, reopened := range map[string]bool{"the same process": false, "a restart": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, g *gateway) {
				production, testing := newService(), newService()
				production.down = true
				g.inEnvironment(audit.EnvironmentProduction, production)
				if result, err := g.issue(t.Context(), request("100", 1), answerLost); err != nil || result.State != once.Unknown {
					t.Fatalf("%+v, %v", result, err)
				}
				g.inEnvironment(audit.EnvironmentTesting, testing)
				if result, err := g.issue(t.Context(), request("200", 1), nothingLost); err != nil || result.State != once.Approved || testing.questions() > 0 {
					t.Errorf("in testing: %+v, %v, after %d questions", result, err, testing.questions())
				}
				if reopened {
					g.close()
					*g = *open(t, g.store, production)
				}
				g.inEnvironment(audit.EnvironmentProduction, production)
				var unsettled *once.UnsettledError
				if _, err := g.coordinator.Enter(t.Context(), g.terms(request("100", 1)), production); !errors.As(err, &unsettled) {
					t.Errorf("in production: %v, want an UnsettledError", err)
				}
				production.set(func(s *fakeService) { s.down = false })
				if result, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil || result.Kept == nil || len(production.invoices) != 1 {
					t.Errorf("in production, which answers: %+v, %v", result, err)
				}
			})
		})
	}
}
