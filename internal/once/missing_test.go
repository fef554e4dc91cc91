package once_test

import (
	"testing"
	"testing/synctest"

	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
)

// TestARestoredJournalAsksForWhatItLacks: once for each series, before its first new request. The service
// judges a repeat of a missing request. Later requests are predicted by the service's last number.
func TestARestoredJournalAsksForWhatItLacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newService()
		var found []once.Missing
		g := openNode(t, audittest.NewMemory(), service, logName, once.Settings{
			Restored: true, Missing: func(m once.Missing) { found = append(found, m) },
		}, nil)
		defer g.close()
		for number := range int64(7) {
			service.issue(request("100", number+1)) // before the loss
		}
		service.set(func(s *fakeService) { s.down = true })
		enter(t, g, request("100", 8)).Leave(once.Result{})
		if len(found) != 0 {
			t.Errorf("without an answer: %+v", found)
		}
		service.set(func(s *fakeService) { s.down = false })
		repeat := enter(t, g, request("100", 7))
		if repeat.Prediction != nil {
			t.Errorf("a number that the service has used is refused: %+v", repeat.Prediction)
		}
		repeat.Leave(once.Result{})
		want := once.Missing{Key: request("100", 1).Key.OrderingKey, Last: 7, Found: 7}
		if len(found) != 1 || found[0] != want {
			t.Errorf("%+v, want %+v", found, want)
		}
		asked := service.questions()
		ahead := enter(t, g, request("100", 9))
		if p := ahead.Prediction; p == nil || p.Last != 7 {
			t.Errorf("%+v; number 8 was not issued", p)
		}
		ahead.Leave(once.Result{})
		if n := service.questions(); n != asked {
			t.Errorf("the service was asked %d times more", n-asked)
		}
	})
}

// TestWhatWasApprovedSinceTheRestoreEndsTheQuestions: after a restart too.
func TestWhatWasApprovedSinceTheRestoreEndsTheQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, service := audittest.NewMemory(), newService()
		settings := once.Settings{Restored: true}
		g := openNode(t, store, service, logName, settings, nil)
		if _, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil {
			t.Fatal(err)
		}
		g.close()
		g = openNode(t, store, service, logName, settings, nil)
		defer g.close()
		asked := service.questions()
		enter(t, g, request("100", 2)).Leave(once.Result{})
		if n := service.questions(); n != asked {
			t.Errorf("the service was asked %d times", n-asked)
		}
	})
}

// TestManyMissingInvoicesAreAskedForUpToABound: a client waits.
func TestManyMissingInvoicesAreAskedForUpToABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newService()
		var found []once.Missing
		g := openNode(t, audittest.NewMemory(), service, logName, once.Settings{
			Restored: true, Missing: func(m once.Missing) { found = append(found, m) },
		}, nil)
		defer g.close()
		for number := range int64(300) {
			service.issue(request("100", number+1))
		}
		enter(t, g, request("100", 301)).Leave(once.Result{})
		if len(found) != 1 || found[0].Last != 300 || found[0].Found != 100 {
			t.Errorf("%+v", found)
		}
	})
}
