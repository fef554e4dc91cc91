package trail_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/audittest"
)

// TestOpenIntentsAreWarnedOfAtStart, once, with how to list them; a reload that keeps
// the trail does not say it again.
func TestOpenIntentsAreWarnedOfAtStart(t *testing.T) {
	kept := caddytest.KeptTrail(t, &audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar"})
	s := caddytest.Start(t, "respond ok")
	s.Store = kept.Store
	file := filepath.Join(t.TempDir(), "log")
	caddyfile := strings.Replace(s.Config("audit sqlite "+s.Store, "respond ok"), "admin off", "log {\n"+caddytest.LogTo(file)+"}\nadmin off", 1)
	s.Load(caddyfile)
	s.Load(strings.Replace(caddyfile, "respond ok", "respond OK", 1))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `"intents":1,"list_them":"fielato wsfev1 audit search --outcome open --store sqlite:` + s.Store + `"`
	if n := strings.Count(string(text), want); n != 1 {
		t.Errorf("said %d times, want once: %s\n%s", n, want, text)
	}
}

// TestSettledIntentIsNotOpenAnyMore: what was found out about it is its outcome, in
// counts and in searches.
func TestSettledIntentIsNotOpenAnyMore(t *testing.T) {
	kept := caddytest.KeptTrail(t, &audit.Record{
		Kind: audit.KindIntent, ID: "lost", Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Certainty: audit.Unknown, Vouchers: []audit.Voucher{{CbteDesde: 1, CbteHasta: 1}}, Request: []byte(caddytest.Invoice(1)),
	})
	s := caddytest.Start(t, "respond ok")
	s.Store = kept.Store
	s.Load(s.Config(strings.Join(append(caddytest.Exactly, "audit sqlite "+s.Store), "\n"), caddytest.WithBackend(t)))
	if open := s.Metric("wsfev1_audit_open_intents"); open != "1" {
		t.Errorf("at start %s are open", open)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if open := s.Metric("wsfev1_audit_open_intents"); open != "0" {
		t.Errorf("when it is settled %s are open", open)
	}
	if found := s.Search("--outcome", "open"); len(found) != 0 {
		t.Errorf("search --outcome open: %q", found)
	}
	found := s.Search("--id", "lost")
	if len(found) != 1 || !strings.Contains(found[0], "not_issued") {
		t.Errorf("search --id: %q", found)
	}
}

// TestIntentSettledByAnotherGatewayIsNotOpen: it settled one before this gateway's start, and
// one after it, of which this one learns when it looks at the series.
func TestIntentSettledByAnotherGatewayIsNotOpen(t *testing.T) {
	kept := caddytest.Share(t, "north", "south")
	before, after := caddytest.LostIntent(1, 2), caddytest.LostIntent(2, 3)
	kept.Write("north", before, after)
	kept.Write("south", caddytest.Settlement(3, "north", before))
	t.Setenv(dsnVariable, kept.DSN)
	t.Setenv(keyVariable, kept.Keys["north"].Private())
	next := "respond `" + caddytest.Approval + "`"
	s := caddytest.Start(t, next)
	s.Load(s.Config(sharedAudit("north", caddytest.TrailOption+"key {env."+keyVariable+"}", "recover within 400ms"), next))
	s.WantMetrics(t, "at start", map[string]string{"wsfev1_audit_open_intents": "1", "wsfev1_unknown_outcomes": "1"})
	kept.Write("south", caddytest.Settlement(4, "north", after))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	s.WantMetrics(t, "when it has looked", map[string]string{"wsfev1_audit_open_intents": "0", "wsfev1_unknown_outcomes": "0"})
}

// keyVariable gives the private key of a log to a gateway.
const keyVariable = "FIELATO_TEST_KEY"

// distant is a store that counts the records which a search reads one by one: over a network, a start has no
// time for thousands of answers.
type distant struct {
	audit.Store
	one int
}

func (s *distant) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		for r, err := range s.Store.Search(ctx, query) {
			if !query.SummaryOnly {
				s.one++
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// opens is a StoreOpener of one store, whose key is beside its file.
type opens struct {
	store audit.Store
	file  string
}

func (o opens) Key() string     { return o.file }
func (o opens) Address() string { return o.file }
func (o opens) LogName() string { return "" }
func (o opens) KeyFile() string { return o.file + ".key" }

func (o opens) OpenStore(context.Context, *audit.ContentKey) (audit.Store, error) {
	return o.store, nil
}

// TestAStartReadsNoContentOfTheNewestRecords: a store reads that one record at a time.
func TestAStartReadsNoContentOfTheNewestRecords(t *testing.T) {
	var records []*audit.Record
	for source := audittest.NewSource(1); len(records) < 50; {
		records = append(records, source.Issue(1))
	}
	file := caddytest.KeptTrail(t, records...).Store
	store, err := auditsqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	counted := &distant{Store: store}
	from := opens{counted, file}
	options := new(trail.Options)
	if err := options.Provision(from); err != nil {
		t.Fatal(err)
	}
	opened, err := trail.Open(t.Context(), from, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
	if counted.one > 0 {
		t.Errorf("%d records were read one by one", counted.one)
	}
}
