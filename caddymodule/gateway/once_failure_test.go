package gateway_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestStoreFailsWhileAnInvoiceIsIssued: with refuse nothing is sent; with forward it is
// sent once, and a repeat gets its answer although there is no record of it yet.
func TestStoreFailsWhileAnInvoiceIsIssued(t *testing.T) {
	for _, onFailure := range []string{"refuse", "forward"} {
		t.Run(onFailure, func(t *testing.T) {
			u := caddytest.NewIssuing(t)
			s := caddytest.StartFailing(t, "respond 503")
			s.Load(s.Config(strings.Join(caddytest.Exactly, "\n")+"\naudit failing {\non_failure "+onFailure+"\n}", caddytest.ProxyTo(u.URL)))
			s.Post("FECAESolicitar", caddytest.Invoice(1))
			caddytest.BreakDisk(true)
			got := s.Post("FECAESolicitar", caddytest.Invoice(2))
			again := s.Post("FECAESolicitar", caddytest.Invoice(2))
			sent := u.TimesAsked(2)
			caddytest.BreakDisk(false)
			if onFailure == "refuse" {
				if got.Status != 503 || again.Status != 503 || sent != 0 {
					t.Errorf("got %d, again %d, sent %d times", got.Status, again.Status, sent)
				}
			} else if string(got.Body) != caddytest.ApprovalOf(2) || string(again.Body) != caddytest.ApprovalOf(2) ||
				again.Header.Get("Wsfev1-Outcome") != "replayed" || sent != 1 {
				t.Errorf("got %d %s, again %v %s, sent %d times", got.Status, got.Body, again.Header, again.Body, sent)
			}
			caddytest.Eventually(t, "the store takes records again", func() bool {
				return s.Post("FECAESolicitar", caddytest.Invoice(3)).Status == 200
			})
			if n := u.TimesAsked(3); n != 1 {
				t.Errorf("invoice 3 was sent %d times", n)
			}
		})
	}
}
