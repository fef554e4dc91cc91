package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAPanicFailsOneExchange: the client is told that nothing was sent, and there is a record.
// The panic is counted, and logged without its text. The series is free for the next request.
func TestAPanicFailsOneExchange(t *testing.T) {
	u := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	log := filepath.Join(t.TempDir(), "log")
	s := caddytest.StartFailing(t, caddytest.ProxyTo(u.URL))
	config := s.Config("audit failing\n\t\treplay on", caddytest.ProxyTo(u.URL))
	s.Load(strings.Replace(config, "{\n", "{\n\tlog {\n"+caddytest.LogTo(log)+"}\n", 1))
	before := s.Metric("wsfev1_panics_total")
	caddytest.SearchPanics.Store(true)
	defer caddytest.SearchPanics.Store(false)
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if codes := got.Codes(t); got.Status != 500 || len(codes) != 1 || codes[0] != "internal" ||
		got.Header.Get("Wsfev1-Outcome") != "not_sent" || got.Header.Get("Wsfev1-Record") == "" || u.Hits.Load() != 0 {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if after := s.Metric("wsfev1_panics_total"); after != caddytest.Plus(t, before, 1) {
		t.Errorf("panics: %s, then %s", before, after)
	}
	all := caddytest.Kept(t)
	if r := all[len(all)-1]; r.Outcome != "not_sent" || r.Status != 500 || !strings.Contains(r.Detail, "panic") || strings.Contains(r.Detail, caddytest.Token) {
		t.Errorf("recorded %s %d %q", r.Outcome, r.Status, r.Detail)
	}
	caddytest.SearchPanics.Store(false)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 || u.Hits.Load() != 1 {
		t.Errorf("the same again: %d %s, %d requests", got.Status, got.Body, u.Hits.Load())
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(text); !strings.Contains(text, "a panic was recovered") || strings.Contains(text, caddytest.Token) {
		t.Errorf("logged %s", text)
	}
}

// TestAPanicBehindTheGatewayIsCounted: it is in a handler of somebody else's.
func TestAPanicBehindTheGatewayIsCounted(t *testing.T) {
	s := caddytest.Start(t, "test_panic")
	before := s.Metric("wsfev1_panics_total")
	if got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); got.Status != http.StatusGatewayTimeout {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if after := s.Metric("wsfev1_panics_total"); after != caddytest.Plus(t, before, 1) {
		t.Errorf("panics: %s, then %s", before, after)
	}
}
