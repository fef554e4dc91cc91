package audittest

import (
	"context"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Access is a record about purges and holds, made at the end of 2026.
func Access(outcome audit.Outcome, cuit wsfev1.CUIT, scope *audit.PurgeScope) *audit.Record {
	return &audit.Record{
		Kind: audit.KindAccess, Outcome: outcome, Cuit: cuit, Purge: scope,
		Time: time.Date(2026, time.December, 31, 12, 0, 0, 0, time.UTC), ClientIdentity: "ana@host", Detail: "audit " + string(outcome),
	}
}

// late is a day on which the content of all records of a test may go.
var late = time.Date(2060, time.January, 1, 12, 0, 0, 0, time.UTC)

// Purge purges as the command does: a record of it first, by the trail that writes the
// log. Without one it opens it for a moment.
func Purge(t testing.TB, s audit.Store, trail *audit.Writer, p audit.Purger, request audit.PurgeRequest) audit.PurgeResult {
	t.Helper()
	if request.Now.IsZero() {
		request.Now = late
	}
	result, err := audit.PurgeRecorded(t.Context(), s, p, request, recordIn(t, s, trail, request.Log))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// recordIn writes the record of a purge into a log.
func recordIn(t testing.TB, s audit.Store, trail *audit.Writer, log string) func(context.Context, audit.PurgeScope) (uint64, error) {
	return func(ctx context.Context, scope audit.PurgeScope) (uint64, error) {
		return append1(ctx, t, s, trail, log, Access(audit.AccessPurge, 0, &scope))
	}
}

// Append appends a record by a trail that is opened for it.
func Append(t testing.TB, s audit.Store, log string, r *audit.Record) uint64 {
	t.Helper()
	index, err := append1(t.Context(), t, s, nil, log, r)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// append1 appends a record.
func append1(ctx context.Context, t testing.TB, s audit.Store, trail *audit.Writer, log string, r *audit.Record) (uint64, error) {
	t.Helper()
	if trail != nil {
		return trail.Append(ctx, r)
	}
	trail, err := audit.Open(ctx, s, log, Key(t, log), audit.Options{First: true})
	if err != nil {
		return 0, err
	}
	index, err := trail.Append(ctx, r)
	if err == nil {
		err = trail.Close()
	}
	return index, err
}

// recordedMonths is a log as a build writes it that records its purges.
func recordedMonths(t *testing.T, s audit.Store, log string, all []*audit.Record) []*audit.Record {
	t.Helper()
	trail, err := audit.Open(t.Context(), s, log, Key(t, log), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := audit.OpenCheckpoint(head.Checkpoint, Key(t, log).Verifier()); err != nil || !c.Purges || c.PurgesFrom != 0 {
		t.Fatalf("the first checkpoint: %+v, %v", c, err)
	}
	trail, err = audit.Open(t.Context(), s, log, Key(t, log), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if _, err := trail.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// mixed are records of four months, of all kinds and issuers.
func mixed(seed uint64, each int) (all []*audit.Record) {
	source := NewSource(seed)
	for month := range 4 {
		source.now = time.Date(2026, time.Month(1+month), 2, 12, 0, 0, 0, time.UTC)
		for range each {
			all = append(all, source.Next(uint64(len(all))))
		}
	}
	return all
}

// plain are records of four months in their order, each an exchange of its own.
func plain(seed uint64, each int) (all []*audit.Record) {
	source := NewSource(seed)
	for n := range 4 * each {
		r := source.Issue(1)
		r.Time = time.Date(2026, time.Month(1+n/each), 2, 12, 0, n%each, 0, time.UTC)
		all = append(all, r)
	}
	return all
}
