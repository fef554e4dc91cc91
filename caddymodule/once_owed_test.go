package caddymodule_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestRepeatWaitsForTheRecordThatIsOwed: the store refused the outcome and takes records again
// when the same comes again. The answer is too large to be remembered besides the trail.
func TestRepeatWaitsForTheRecordThatIsOwed(t *testing.T) {
	large := approval + strings.Repeat(" ", 20<<10)
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
			breakDisk(true)
			answering(200, large)(w, r)
			return
		}
		answering(200, `{"RegXReq":250}`)(w, r)
	})
	s := startFailing(t, "respond 503")
	s.load(s.config("audit failing\nreplay on\nrecover within 400ms", proxyTo(upstream.URL)))
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 || got.header.Get("Wsfev1-Unrecorded") == "" {
		t.Fatalf("got %d %v", got.status, got.header)
	}
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 503 || got.codes(t)[0] != "audit.unavailable" {
		t.Errorf("while the store takes nothing: %d %s", got.status, got.body)
	}
	breakDisk(false)
	if got := s.post("FECAESolicitar", invoice(1)); got.header.Get("Wsfev1-Outcome") != "replayed" || string(got.body) != large {
		t.Errorf("again: %d %v", got.status, got.header)
	}
	if n := upstream.hits.Load(); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}
