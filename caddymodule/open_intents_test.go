package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestOpenIntentsAreWarnedOfAtStart, once, with how to list them; a reload that keeps
// the trail does not say it again.
func TestOpenIntentsAreWarnedOfAtStart(t *testing.T) {
	kept := keptTrail(t, &audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar"})
	s := start(t, "respond ok")
	s.store = kept.store
	file := filepath.Join(t.TempDir(), "log")
	caddyfile := strings.Replace(s.config("audit sqlite "+s.store, "respond ok"), "admin off", "log {\n"+logTo(file)+"}\nadmin off", 1)
	s.load(caddyfile)
	s.load(strings.Replace(caddyfile, "respond ok", "respond OK", 1))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `"intents":1,"list_them":"fielato wsfev1 audit search --outcome open --store sqlite:` + s.store + `"`
	if n := strings.Count(string(text), want); n != 1 {
		t.Errorf("said %d times, want once: %s\n%s", n, want, text)
	}
}

// TestSettledIntentIsNotOpenAnyMore: what was found out about it is its outcome, for who
// counts and for who searches.
func TestSettledIntentIsNotOpenAnyMore(t *testing.T) {
	kept := keptTrail(t, &audit.Record{
		Kind: audit.KindIntent, ID: "lost", Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Certainty: audit.Unknown, Vouchers: []audit.Voucher{{CbteDesde: 1, CbteHasta: 1}}, Request: []byte(invoice(1)),
	})
	s := start(t, "respond ok")
	s.store = kept.store
	s.load(s.config(strings.Join(append(exactly, "audit sqlite "+s.store), "\n"), withBackend(t)))
	if open := s.metric("wsfev1_audit_open_intents"); open != "1" {
		t.Errorf("at start %s are open", open)
	}
	if got := s.post("FECAESolicitar", invoice(1)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if open := s.metric("wsfev1_audit_open_intents"); open != "0" {
		t.Errorf("when it is settled %s are open", open)
	}
	if found := s.search("--outcome", "open"); len(found) != 0 {
		t.Errorf("search --outcome open: %q", found)
	}
	found := s.search("--id", "lost")
	if len(found) != 1 || !strings.Contains(found[0], "not_issued") {
		t.Errorf("search --id: %q", found)
	}
}

// TestIntentSettledByAnotherGatewayIsNotOpen: it settled one before this gateway's start, and
// one after it, of which this one learns when it looks at the series.
func TestIntentSettledByAnotherGatewayIsNotOpen(t *testing.T) {
	kept := share(t, "north", "south")
	before, after := lostIntent(1, 2), lostIntent(2, 3)
	kept.write("north", before, after)
	kept.write("south", settlement(3, "north", before))
	t.Setenv(dsnVariable, kept.dsn)
	t.Setenv(keyVariable, kept.keys["north"].Private())
	next := "respond `" + approval + "`"
	s := start(t, next)
	s.load(s.config(sharedAudit("north", trailOption+"key {env."+keyVariable+"}", "recover within 400ms"), next))
	s.wantMetrics(t, "at start", map[string]string{"wsfev1_audit_open_intents": "1", "wsfev1_unknown_outcomes": "1"})
	kept.write("south", settlement(4, "north", after))
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.wantMetrics(t, "when it has looked", map[string]string{"wsfev1_audit_open_intents": "0", "wsfev1_unknown_outcomes": "0"})
}

// keyVariable gives the private key of a log to a gateway.
const keyVariable = "FIELATO_TEST_KEY"
