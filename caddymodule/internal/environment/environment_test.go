package environment_test

import (
	"slices"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/internal/audittest"
)

// TestARecordTellsItsService by name, or by the address in records of earlier builds.
func TestARecordTellsItsService(t *testing.T) {
	for _, c := range []struct {
		named    audit.Environment
		upstream string
		want     environment.Environment
	}{
		{"", "servicios1.afip.gov.ar:443", environment.Production},
		{"", "WSWHOMO.afip.gob.ar", environment.Testing},
		{"", audit.BuiltInUpstream, environment.BuiltIn},
		{"", "proxy.internal:8443", environment.Another},
		{"", "", ""},
		{audit.EnvironmentProduction, "", environment.Production},
		{audit.EnvironmentTesting, "proxy.internal:8443", environment.Testing},
		{"of a newer build", "servicios1.afip.gov.ar:443", environment.Production},
		{"of a newer build", "", ""},
	} {
		if got := environment.Of(&audit.Record{Environment: c.named, Upstream: c.upstream}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestOtherRecordsTellTheService of a settlement or a repeat that does not tell it itself.
func TestOtherRecordsTellTheService(t *testing.T) {
	store := audittest.NewMemory()
	add := func(log string, r audit.Record) *audit.Record {
		r.Log, r.Index = log, audittest.Append(t, store, log, &r)
		return &r
	}
	intent := add("a", audit.Record{Kind: audit.KindIntent, ID: "lost", Operation: "FECAESolicitar"})
	add("b", audit.Record{Kind: audit.KindExchange, ID: "lost", Operation: "FECompConsultar", Decision: audit.DecisionAsk, Upstream: "servicios1.afip.gov.ar:443"})
	alone := add("a", audit.Record{Kind: audit.KindIntent, ID: "alone", Operation: "FECAESolicitar"})
	test := add("a", audit.Record{Kind: audit.KindExchange, ID: "test", Operation: "FECAESolicitar", Upstream: audit.BuiltInUpstream})
	for name, c := range map[string]struct {
		r    audit.Record
		want environment.Environment
	}{
		"a settlement in another log":     {audit.Record{Log: "b", Kind: audit.KindSettlement, ID: "lost", IntentLog: "a", Intent: intent.Index}, environment.Production},
		"an intent":                       {*alone, ""},
		"a repeat":                        {audit.Record{Log: "a", Kind: audit.KindExchange, ID: "again", Origin: test.Address()}, environment.BuiltIn},
		"a repeat of what is not here":    {audit.Record{Log: "a", Kind: audit.KindExchange, ID: "again", Origin: "c/7"}, ""},
		"a repeat of what does not tell":  {audit.Record{Log: "a", Kind: audit.KindExchange, ID: "again", Origin: alone.Address()}, ""},
		"one that tells asks nobody else": {audit.Record{Log: "a", ID: "test", Environment: audit.EnvironmentTesting}, environment.Testing},
	} {
		if got, err := environment.Find(t.Context(), store, &c.r); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestWhatCountsMostComesFirst: no test may hide what became of a number in production.
func TestWhatCountsMostComesFirst(t *testing.T) {
	all := []environment.Environment{environment.BuiltIn, "", environment.Testing, environment.Another, environment.Production}
	slices.SortFunc(all, environment.Compare)
	if want := []environment.Environment{environment.Production, environment.Another, "", environment.Testing, environment.BuiltIn}; !slices.Equal(all, want) {
		t.Errorf("%q", all)
	}
}
