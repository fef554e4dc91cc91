package caddymodule_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPanicFailsOneExchange: the client is told that nothing was sent, there is a record, it is
// counted and logged without what the panic said, and the series is free for the next one.
func TestAPanicFailsOneExchange(t *testing.T) {
	u := newStub(t, answering(200, approval))
	log := filepath.Join(t.TempDir(), "log")
	s := startFailing(t, proxyTo(u.URL))
	config := s.config("audit failing\n\t\treplay on", proxyTo(u.URL))
	s.load(strings.Replace(config, "{\n", "{\n\tlog {\n"+logTo(log)+"}\n", 1))
	before := s.metric("wsfev1_panics_total")
	searchPanics.Store(true)
	defer searchPanics.Store(false)
	got := s.post("FECAESolicitar", invoice(1))
	if codes := got.codes(t); got.status != 500 || len(codes) != 1 || codes[0] != "internal" ||
		got.header.Get("Wsfev1-Outcome") != "not_sent" || got.header.Get("Wsfev1-Record") == "" || u.hits.Load() != 0 {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	if after := s.metric("wsfev1_panics_total"); after != plus(t, before, 1) {
		t.Errorf("panics: %s, then %s", before, after)
	}
	all := kept(t)
	if r := all[len(all)-1]; r.Outcome != "not_sent" || r.Status != 500 || !strings.Contains(r.Detail, "panic") || strings.Contains(r.Detail, token) {
		t.Errorf("recorded %s %d %q", r.Outcome, r.Status, r.Detail)
	}
	searchPanics.Store(false)
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 || u.hits.Load() != 1 {
		t.Errorf("the same again: %d %s, %d requests", got.status, got.body, u.hits.Load())
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(text); !strings.Contains(text, "a panic was recovered") || strings.Contains(text, token) {
		t.Errorf("logged %s", text)
	}
}

// TestAPanicBehindTheGatewayIsCounted: it is in a handler of somebody else's.
func TestAPanicBehindTheGatewayIsCounted(t *testing.T) {
	s := start(t, "test_panic")
	before := s.metric("wsfev1_panics_total")
	if got := s.post("FECompTotXRequest", "{"+authText+"}"); got.status != http.StatusGatewayTimeout {
		t.Errorf("%d %s", got.status, got.body)
	}
	if after := s.metric("wsfev1_panics_total"); after != plus(t, before, 1) {
		t.Errorf("panics: %s, then %s", before, after)
	}
}
