package postgres_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestStoreConformsWithRuns makes runs of many levels of few records, while the store is used.
func TestStoreConformsWithRuns(t *testing.T) {
	t.Parallel()
	audittest.SearchSuite(t, func(t *testing.T) audittest.Open {
		dsn := postgrestest.Shared(t).Database(t)
		return func(t *testing.T) audit.Store { return open(t, dsn, postgres.WithShape(postgres.Options{}, 1, 30)) }
	})
}

// commitInvoices commits small records, each with a number of its own: the one after its index.
func commitInvoices(t *testing.T, s audit.Store, first, n int) {
	t.Helper()
	var records []*audit.Record
	for i := first; i < first+n; i++ {
		records = append(records, &audit.Record{
			Kind: audit.KindExchange, Operation: "FECAESolicitar", Cuit: 20000000001, PtoVta: 1, CbteTipo: 6,
			Vouchers: []audit.Voucher{{CbteDesde: int64(i) + 1, CbteHasta: int64(i) + 1}},
		})
	}
	commit(t, s, records...)
}

// findsEach fails the test unless a search finds some of so many invoices, and nothing else.
func findsEach(t *testing.T, s audit.Store, n, step int) {
	t.Helper()
	for i := 0; i < n; i += step {
		found := 0
		for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1", PtoVta: 1, Number: int64(i) + 1}) {
			if err != nil || r.Index != uint64(i) {
				t.Fatalf("invoice %d of %d: %v, %v", i, n, r, err)
			}
			found++
		}
		if found != 1 {
			t.Fatalf("invoice %d of %d is found %d times", i, n, found)
		}
	}
}

// TestADatabaseOfAnEarlierBuildIsMerged by the gateway that claims the log. Two processes that merge it, of which one
// was paused and another has taken over, do no harm.
func TestADatabaseOfAnEarlierBuildIsMerged(t *testing.T) {
	const records, batch = 560, 4
	dsn := postgrestest.Shared(t).Database(t)
	s := open(t, dsn, postgres.WithShape(postgres.Options{}, 20, batch)) // which is never merged
	for n := 0; n < records; n += batch {
		commitInvoices(t, s, n, batch)
	}
	closeStore(t, s)
	exec(t, dsn, "DROP TABLE audit_runs")
	exec(t, dsn, "DROP TABLE audit_lists")
	exec(t, dsn, "ALTER TABLE audit_series DROP COLUMN waiting, DROP COLUMN last, DROP COLUMN counted")
	exec(t, dsn, "UPDATE fielato_migrations SET version = 2 WHERE component = 'audit'")

	var mu sync.Mutex // guards told
	var told []audit.Merging
	options := postgres.WithShape(postgres.Options{Merging: func(m audit.Merging) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, m)
	}}, 2, batch)
	s = open(t, dsn, options)
	findsEach(t, s, records, 61)
	claim, err := s.Claim(t.Context(), "gateway-1", "process 1")
	if err != nil {
		t.Fatal(err)
	}
	paused := open(t, dsn, options)
	defer closeStore(t, paused)
	var wg sync.WaitGroup
	wg.Go(func() { paused.Merge(t.Context(), "gateway-1") })
	s.Merge(t.Context(), "gateway-1")
	wg.Wait()
	s.Merge(t.Context(), "gateway-1") // the other one may have been first
	findsEach(t, s, records, 61)
	audittest.Verify(t, s, "gateway-1")
	commitInvoices(t, s, records, batch)
	if levels, err := s.Cover(t.Context(), "gateway-1"); err != nil || slices.Max(levels) != 3 || len(levels) > 12 {
		t.Errorf("runs of the levels %v, %v", levels, err)
	}
	if err := claim.Release(t.Context()); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	// Each of the two may be first. The other one is told of a row that is there already.
	mu.Lock()
	if !slices.ContainsFunc(told, func(m audit.Merging) bool { return m.Records == records }) {
		t.Errorf("the progress: %+v", told)
	}
	mu.Unlock()
	reader, err := postgres.OpenReader(t.Context(), dsn, options)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, reader)
	findsEach(t, reader, records+batch, 61)
	report, err := verify.Log(t.Context(), reader, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), verify.Options{})
	if err != nil || !report.Sound() {
		t.Errorf("%v: %v", err, report.Flaws.Items)
	}
}

// TestWhatSomebodyDidToRunsIsNamed: the owner of the tables can change them.
func TestWhatSomebodyDidToRunsIsNamed(t *testing.T) {
	const batch = 4
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	original := postgrestest.DatabaseOf(t, dsn)
	options := postgres.WithShape(postgres.Options{}, 1, batch)
	s := open(t, dsn, options)
	for n := 0; n < 8*batch+2; n += batch {
		commitInvoices(t, s, n, batch)
	}
	s.Merge(t.Context(), "gateway-1")
	closeStore(t, s)
	for statement, want := range map[string]string{
		"SELECT 1":                               "",
		"DELETE FROM audit_runs WHERE level = 3": "runs: of level 3: its lists are there, and it is not",
		"DELETE FROM audit_runs WHERE level = 1 AND first = 8":                         "runs: of level 1, where the one at 8 was to follow",
		"DELETE FROM audit_lists WHERE level = 2 AND first = 16 AND length(terms) > 0": "is not that of its parts",
		"UPDATE audit_runs SET newest = newest + 1 WHERE level = 2":                    "runs: of level 2: its times or parts are not theirs",
		"UPDATE audit_runs SET late = '\\x07' WHERE level = 3":                         "runs: of level 3: its open intents are not those of its parts",
		"UPDATE audit_runs SET level = 99 WHERE level = 3":                             "runs: there is no level 99",
		"UPDATE audit_lists SET level = 0 WHERE level = 3":                             "lists: there is no level 0",
		"UPDATE audit_lists SET first = 5 WHERE level = 1 AND first = 8":               "lists: of level 1, at 5, where no run is",
	} {
		copied := original + "_copy"
		cluster.Exec(t, "postgres", "CREATE DATABASE "+copied+" TEMPLATE "+original)
		cluster.Exec(t, copied, statement)
		reader, err := postgres.OpenReader(t.Context(), cluster.DSN(copied), options)
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.Log(t.Context(), reader, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), verify.Options{Listed: 1000})
		if found := slices.ContainsFunc(report.Flaws.Items, func(f audit.Flaw) bool { return strings.Contains(f.String(), want) }); err != nil || found != (want != "") || want == "" && !report.Sound() {
			t.Errorf("%s: %v, %v\nwant %s", statement, err, report.Flaws.Items, want)
		}
		closeStore(t, reader)
		cluster.Exec(t, "postgres", "DROP DATABASE "+copied)
	}
}
