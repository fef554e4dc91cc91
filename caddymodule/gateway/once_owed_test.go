package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestRepeatWaitsForTheRecordThatIsOwed: the store refused the outcome and takes records again
// when the same comes again. The answer is too large to be remembered besides the trail.
func TestRepeatWaitsForTheRecordThatIsOwed(t *testing.T) {
	large := caddytest.Approval + strings.Repeat(" ", 20<<10)
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
			caddytest.BreakDisk(true)
			caddytest.Answering(200, large)(w, r)
			return
		}
		caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
	})
	s := caddytest.StartFailing(t, "respond 503")
	s.Load(s.Config("audit failing\nreplay on\nrecover within 400ms", caddytest.ProxyTo(upstream.URL)))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 || got.Header.Get("Wsfev1-Unrecorded") == "" {
		t.Fatalf("got %d %v", got.Status, got.Header)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 503 || got.Codes(t)[0] != "audit.unavailable" {
		t.Errorf("while the store takes nothing: %d %s", got.Status, got.Body)
	}
	caddytest.BreakDisk(false)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" || string(got.Body) != large {
		t.Errorf("again: %d %v", got.Status, got.Header)
	}
	if n := upstream.Hits.Load(); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}
