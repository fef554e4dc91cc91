package gateway_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// explicitAndLacking are lots of two invoices that become the same by fillsFive.
func explicitAndLacking(t *testing.T, first int64) map[string]string {
	t.Helper()
	explicit := caddytest.LotText(0, first, 2)
	if strings.Count(explicit, conditionMember) != 2 {
		t.Fatalf("there is no %s in %s", conditionMember, explicit)
	}
	at := strings.LastIndex(explicit, conditionMember)
	return map[string]string{
		"explicit": explicit, "lacking": lacking(explicit),
		"explicit and lacking": explicit[:at] + explicit[at+len(conditionMember):],
		"lacking and explicit": strings.Replace(explicit, conditionMember, "", 1),
	}
}

// TestWhatWasFilledInMayComeExplicitly: a client that has come to send the member repeats the request that
// was completed, and the other way round; in memory, after a restart, after the content was purged, in JSON
// and in SOAP, with an Idempotency-Key and without.
func TestWhatWasFilledInMayComeExplicitly(t *testing.T) {
	for first, body := range explicitAndLacking(t, 1) {
		for _, life := range []string{"the same", "a restart", "a purge"} {
			t.Run(first+", "+life, func(t *testing.T) {
				service := newSOAPService(t)
				next := toSOAP(service.URL)
				options := append([]string{"ticket off", fillsFive}, caddytest.Exactly...)
				s := caddytest.Start(t, next, options...)
				if got := keyed(s, `"k-1"`, body); got.Header.Get("Wsfev1-Outcome") != "approved" {
					t.Fatalf("%v %s", got.Header, got.Body)
				}
				if life != "the same" {
					s.Load(caddytest.Quietly)
					if life == "a purge" {
						purgeAll(t, s.Store)
					}
					s.Load(s.Config(s.WithAudit(options...), next))
				}
				before := outcomesOf(t, s.Store)
				for repeat, again := range explicitAndLacking(t, 1) {
					for _, got := range []caddytest.Response{s.Post("FECAESolicitar", again), keyed(s, `"k-1"`, again), s.Call(soap.V11, "FECAESolicitar", again), s.Call(soap.V12, "FECAESolicitar", again)} {
						if got.Header.Get("Wsfev1-Outcome") != "replayed" {
							t.Errorf("%s: %d %v %s", repeat, got.Status, got.Header, got.Body)
						}
					}
				}
				other := strings.Replace(explicitAndLacking(t, 1)["explicit"], conditionMember, `"CondicionIVAReceptorId":4,`, 1)
				if got := keyed(s, `"k-1"`, other); got.Status != 422 {
					t.Errorf("another content with the key: %d %s", got.Status, got.Body)
				}
				if got := s.Post("FECAESolicitar", other); got.Header.Get("Wsfev1-Outcome") == "replayed" {
					t.Errorf("another content: %v %s", got.Header, got.Body)
				}
				if n := outcomesOf(t, s.Store); n != before+1 { // the other content
					t.Errorf("%d requests were sent again", n-before-1)
				}
			})
		}
	}
}

// outcomesOf counts the requests that were sent to change something. It does not verify the trail: purgeAll
// records no purge.
func outcomesOf(t *testing.T, path string) (n int) {
	t.Helper()
	store, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	logs, err := store.Logs(t.Context())
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	for _, err := range store.Search(t.Context(), audit.Query{Log: logs[0], Kind: audit.KindOutcome}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// purgeAll removes the content of a trail that nobody has open.
func purgeAll(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	purger, err := sqlite.OpenPurger(path)
	if err != nil {
		t.Fatal(err)
	}
	defer purger.Close()
	logs, err := store.Logs(t.Context())
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	result, err := purger.Purge(t.Context(), audit.PurgeRequest{Log: logs[0], Before: audit.PeriodOf(time.Now().AddDate(0, 2, 0))})
	if err != nil || result.Total().Purged == 0 {
		t.Fatalf("%+v, %v", result, err)
	}
}

// TestALostFilledInvoiceMayComeExplicitly: nothing tells what became of it when the repeat comes.
func TestALostFilledInvoiceMayComeExplicitly(t *testing.T) {
	behind, ledger := caddytest.FreeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	s := caddytest.NewSite(t)
	options := append([]string{fillsFive}, caddytest.Exactly...)
	load := func(faults string) {
		s.Load(s.Config(s.WithAudit(options...), caddytest.ProxyTo(behind)) + caddytest.ServiceSite(behind, ledger, faults))
	}
	load("fault drop {\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n}")
	if got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1))); got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%v %s", got.Header, got.Body)
	}
	if again := s.Post("FECAESolicitar", caddytest.Invoice(1)); !strings.Contains(string(again.Body), "Este mismo pedido") {
		t.Errorf("%d %v %s", again.Status, again.Header, again.Body)
	}
	s.Load(caddytest.Quietly)
	load("")
	caddytest.Eventually(t, "the repeat", func() bool {
		return s.Post("FECAESolicitar", caddytest.Invoice(1)).Header.Get("Wsfev1-Outcome") == "replayed"
	})
}

// TestTwoGatewaysKnowWhatTheOtherHasFilledIn: they share a database, and one of them fills in nothing.
func TestTwoGatewaysKnowWhatTheOtherHasFilledIn(t *testing.T) {
	service := newSOAPService(t)
	database := caddytest.EmptyDatabase(t)
	t.Setenv("FIELATO_TEST_DATABASE", strings.TrimPrefix(database, "postgres:"))
	a, b := caddytest.NewSite(t), caddytest.NewSite(t)
	site := func(s *caddytest.Site, node string, options ...string) string {
		_, block, _ := strings.Cut(s.Config(strings.Join(append(append(options, caddytest.Patiently...),
			fmt.Sprintf("audit postgres {env.FIELATO_TEST_DATABASE} {\nnode %s\nkey %s\n}", node, filepath.Join(t.TempDir(), "key"))), "\n"), toSOAP(service.URL)), "\n}\n")
		return block
	}
	a.Load(caddytest.Quietly + site(a, "a", fillsFive) + site(b, "b"))
	if got := a.Post("FECAESolicitar", lacking(caddytest.Invoice(1))); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%v %s", got.Header, got.Body)
	}
	if got := b.Post("FECAESolicitar", caddytest.Invoice(2)); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%v %s", got.Header, got.Body)
	}
	for name, got := range map[string]caddytest.Response{
		"explicitly, at the other": b.Post("FECAESolicitar", caddytest.Invoice(1)), "as it came, at the other": b.Post("FECAESolicitar", lacking(caddytest.Invoice(1))),
		"filled in": a.Post("FECAESolicitar", lacking(caddytest.Invoice(2))), "explicitly": a.Post("FECAESolicitar", caddytest.Invoice(1)),
	} {
		if got.Header.Get("Wsfev1-Outcome") != "replayed" {
			t.Errorf("%s: %d %v %s", name, got.Status, got.Header, got.Body)
		}
	}
}
