package caddymodule_test

import (
	"strings"
	"testing"
)

// TestStoreFailsWhileAnInvoiceIsIssued: with refuse nothing is sent; with forward it is
// sent once, and a repeat gets its answer although there is no record of it yet.
func TestStoreFailsWhileAnInvoiceIsIssued(t *testing.T) {
	for _, onFailure := range []string{"refuse", "forward"} {
		t.Run(onFailure, func(t *testing.T) {
			u := newIssuing(t)
			s := startFailing(t, "respond 503")
			s.load(s.config(strings.Join(exactly, "\n")+"\naudit failing {\non_failure "+onFailure+"\n}", proxyTo(u.URL)))
			s.post("FECAESolicitar", invoice(1))
			breakDisk(true)
			got := s.post("FECAESolicitar", invoice(2))
			again := s.post("FECAESolicitar", invoice(2))
			sent := u.timesAsked(2)
			breakDisk(false)
			if onFailure == "refuse" {
				if got.status != 503 || again.status != 503 || sent != 0 {
					t.Errorf("got %d, again %d, sent %d times", got.status, again.status, sent)
				}
			} else if string(got.body) != approvalOf(2) || string(again.body) != approvalOf(2) ||
				again.header.Get("Wsfev1-Outcome") != "replayed" || sent != 1 {
				t.Errorf("got %d %s, again %v %s, sent %d times", got.status, got.body, again.header, again.body, sent)
			}
			eventually(t, "the store takes records again", func() bool {
				return s.post("FECAESolicitar", invoice(3)).status == 200
			})
			if n := u.timesAsked(3); n != 1 {
				t.Errorf("invoice 3 was sent %d times", n)
			}
		})
	}
}
