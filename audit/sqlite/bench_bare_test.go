//go:build unix

package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// bareRounds is how often trail and bare loop take turns, so that a machine whose disk
// or clock drifts is as good or as bad to both.
const bareRounds = 50

// BenchmarkAgainstBare compares durable appends of exchanges of 2.5 kB (request of 1,500 bytes,
// answer of 720) with bare inserts: the same records uncompressed in a table with one index, in
// one goroutine, in transactions of as many records as the trail's commits just had, WAL,
// synchronous=FULL.
//
// go test ./audit/sqlite -run '^$' -bench AgainstBare -benchtime 100000x
//
// of-bare is the ratio, which should be 0.8 or more.
func BenchmarkAgainstBare(b *testing.B) {
	for _, writers := range []int{1, 64, 256} {
		b.Run(strconv.Itoa(writers), func(b *testing.B) { benchmarkAgainstBare(b, writers) })
	}
}

func benchmarkAgainstBare(b *testing.B, writers int) {
	records := exchanges(512, 2)
	path := filepath.Join(b.TempDir(), "evidence.db")
	s := open(b, path)
	defer closeStore(b, s)
	var batches []int // appended to by the trail's goroutine, read when appendAll has returned
	trail, err := audit.Open(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{
		First: true, Observe: func(n int, _ time.Duration, _ error) { batches = append(batches, n) },
	})
	if err != nil {
		b.Fatal(err)
	}
	bare := openBare(b, filepath.Join(b.TempDir(), "bare.db"), records)
	each := b.N/bareRounds + 1
	appendAll(b, trail, records, writers, min(each, 2000)) // warm
	var took []time.Duration
	var ours, theirs time.Duration
	commits := 0
	b.ResetTimer()
	for range bareRounds {
		batches = batches[:0]
		began := time.Now()
		took = append(took, appendAll(b, trail, records, writers, each)...)
		ours += time.Since(began)
		commits += len(batches)
		began = time.Now()
		bare.insert(b, batches)
		theirs += time.Since(began)
	}
	b.StopTimer()
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	total := float64(bareRounds * each)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(total/ours.Seconds(), "records/s")
	b.ReportMetric(total/theirs.Seconds(), "bare-records/s")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-bare")
	b.ReportMetric(total/float64(commits), "records/commit")
	b.ReportMetric(float64(diskSize(path))/float64(trail.Size()), "bytes/record")
	reportLatency(b, took)
}

// reportLatency reports how long appends took.
func reportLatency(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for name, share := range map[string]int{"p50-µs": 500, "p99-µs": 990, "p99.9-µs": 999} {
		b.ReportMetric(float64(took[(len(took)-1)*share/1000].Microseconds()), name)
	}
}

// exchanges are n answered exchanges of so many invoices each.
func exchanges(n, vouchers int) []audit.Record {
	source := audittest.NewSource(1)
	records := make([]audit.Record, n)
	for i := range records {
		r := source.Issue(vouchers)
		for len(r.Vouchers) != vouchers {
			r = source.Issue(vouchers)
		}
		source.Answer(r)
		records[i] = *r
	}
	return records
}

// bare is a table of records and nothing else.
type bare struct {
	conn   *sql.Conn
	begin  *sql.Stmt
	add    *sql.Stmt
	commit *sql.Stmt
	forms  [][]byte
	next   int
}

func openBare(b *testing.B, path string, records []audit.Record) *bare {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	s := &bare{}
	b.Cleanup(func() { _ = db.Close() })
	if s.conn, err = db.Conn(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.conn.Close() })
	_, err = s.conn.ExecContext(b.Context(),
		"CREATE TABLE records (id INTEGER PRIMARY KEY, code TEXT NOT NULL, form BLOB NOT NULL); CREATE INDEX by_code ON records (code)")
	if err != nil {
		b.Fatal(err)
	}
	for text, into := range map[string]**sql.Stmt{
		"BEGIN IMMEDIATE": &s.begin, "COMMIT": &s.commit, "INSERT INTO records VALUES (?, ?, ?)": &s.add,
	} {
		if *into, err = s.conn.PrepareContext(b.Context(), text); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = (*into).Close() })
	}
	for i := range records {
		form := records[i].Encode(nil)
		s.forms = append(s.forms, slices.Concat(form.Summary, form.Content))
	}
	return s
}

// insert commits batches of these sizes.
func (s *bare) insert(b *testing.B, batches []int) {
	run := func(statement *sql.Stmt, args ...any) {
		if _, err := statement.ExecContext(context.Background(), args...); err != nil {
			b.Fatal(err)
		}
	}
	for _, n := range batches {
		run(s.begin)
		for range n {
			run(s.add, s.next, codeOf(s.next), s.forms[s.next%len(s.forms)])
			s.next++
		}
		run(s.commit)
	}
}

// codeOf returns a code of its own for each record, spread like the service's codes.
func codeOf(i int) string { return fmt.Sprintf("8601%010d", uint64(i)*0x9e3779b97f4a7c15%1e10) }
