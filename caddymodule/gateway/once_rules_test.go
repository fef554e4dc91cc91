package gateway_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestARepeatIsAnsweredOnTheNextDay: its date is out of time by then, and the rules refuse it for that.
func TestARepeatIsAnsweredOnTheNextDay(t *testing.T) {
	sent := caddytest.InvoiceOf(1, `,"CbteFch":"20261115"`) // products: five days
	backend := caddytest.WithBackend(t)
	on := func(day string) string {
		return strings.Replace(backend, "{", "{\n\t\tclock fixed "+day+"T12:00:00-03:00", 1)
	}
	s := caddytest.Start(t, on("2026-11-20"), caddytest.Exactly...)
	first := s.Post("FECAESolicitar", sent)
	if first.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("got %v %s", first.Header, first.Body)
	}
	s.Load(s.Config(s.WithAudit(caddytest.Exactly...), on("2026-11-21")))
	if got := s.Post("FECAESolicitar", sent); got.Header.Get("Wsfev1-Outcome") != "replayed" || string(got.Body) != string(first.Body) {
		t.Errorf("repeated on the next day: %d %v %s", got.Status, got.Header, got.Body)
	}
	other := strings.Replace(sent, `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":30111222`, 1)
	if got := s.Post("FECAESolicitar", other); got.Header.Get("Wsfev1-Outcome") != "refused" || !strings.Contains(string(got.Body), "10016") {
		t.Errorf("another with the number: %d %v %s", got.Status, got.Header, got.Body)
	}
}

// TestARepeatIsAnsweredWhateverTheRulesSayByNow: the gateway has taken the request under other options, and refuses it
// under these. What was not issued stays refused.
func TestARepeatIsAnsweredWhateverTheRulesSayByNow(t *testing.T) {
	wrong := strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":150.00`, 1)
	observing := append([]string{"mode observe"}, caddytest.Exactly...)
	for name, test := range map[string]struct {
		answers, silent, idle bool
		first, repeated       string
		issued                int
	}{
		"approved":        {true, false, false, "approved", "replayed", 1},
		"outcome unknown": {false, true, false, "unknown", "replayed", 1},
		"not issued":      {false, true, true, "unknown", "refused", 0},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := newLosing(t)
			upstream.answers, upstream.silent, upstream.idle = test.answers, test.silent, test.idle
			upstream.alter = strings.NewReplacer(`"ImpTotal":121.00`, `"ImpTotal":150.00`)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), observing...)
			if got := s.Post("FECAESolicitar", wrong); got.Header.Get("Wsfev1-Outcome") != test.first {
				t.Fatalf("got %v %s", got.Header, got.Body)
			}
			startAnew(s, s.Config(s.WithAudit(caddytest.Exactly...), caddytest.ProxyTo(upstream.URL)))
			upstream.set(func() { upstream.silent = false })
			if got := s.Post("FECAESolicitar", wrong); got.Header.Get("Wsfev1-Outcome") != test.repeated {
				t.Errorf("repeated: %d %v %s", got.Status, got.Header, got.Body)
			}
			next := strings.Replace(caddytest.Invoice(2), `"ImpTotal":121.00`, `"ImpTotal":150.00`, 1)
			if got := s.Post("FECAESolicitar", next); got.Header.Get("Wsfev1-Outcome") != "refused" {
				t.Errorf("the next one: %d %v %s", got.Status, got.Header, got.Body)
			}
			if n := upstream.timesIssued("1") + upstream.timesIssued("2"); n != test.issued {
				t.Errorf("%d invoices were issued, want %d", n, test.issued)
			}
		})
	}
}

// TestWhatIsRefusedDoesNotWaitForItsSeries: it is no repeat, and its client learns its mistake at once.
func TestWhatIsRefusedDoesNotWaitForItsSeries(t *testing.T) {
	u := caddytest.NewIssuing(t)
	release := u.Hold(t, 1)
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), caddytest.Exactly...)
	first := caddytest.HeldRequest(t, s, u.Arrived)
	wrong := strings.Replace(caddytest.Invoice(2), `"ImpTotal":121.00`, `"ImpTotal":150.00`, 1)
	if got := s.Post("FECAESolicitar", wrong); got.Header.Get("Wsfev1-Outcome") != "refused" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	release()
	if got := <-first; got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("the first: %v %s", got.Header, got.Body)
	}
}
