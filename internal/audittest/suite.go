package audittest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/testrun"
)

// Open opens the store of a test. Called again in the same test, after the store
// was closed, it opens the same one with what was committed to it.
type Open func(t *testing.T) audit.Store

// Suite checks that a store keeps the contract of audit.Store, but for its searches: Searches checks those. The
// function fresh is called once for each test, for a store of its own.
func Suite(t *testing.T, fresh func(t *testing.T) Open) {
	run(t, fresh, map[string]func(*testing.T, Open){
		"a new log is empty":                               newLogIsEmpty,
		"what was committed is read back after opening":    committedIsReadBack,
		"a batch is there whole or not at all":             batchIsAllOrNothing,
		"a batch that does not start at the end conflicts": wrongStartConflicts,
		"logs do not see each other":                       logsAreSeparate,
		"all logs are named":                               logsAreNamed,
		"many append at once":                              manyAppendAtOnce,
		"a secret stays the same":                          secretStays,
		"a setting is what it was last set to":             settingIsTheLast,
		"a closed store refuses":                           closedStoreRefuses,
		"a checkpoint alone takes the place of another":    checkpointAlone,
		"tiles of each level come back":                    tilesOfEachLevel,
		"what was purged elsewhere is taken over":          purgedIsTakenOver,
	})
}

// Searches is Suite for the searches of a store.
func Searches(t *testing.T, fresh func(t *testing.T) Open) {
	// One block of 2,048 records and what follows it, and two and three of them in a long campaign.
	run(t, fresh, searches(testrun.Full(t, 2300, 4700), testrun.Full(t, 2300, 7600)))
}

// SearchSuite is the part of both that depends on how the store's index is divided. The store makes small blocks: a
// thousand records fill more than a hundred.
func SearchSuite(t *testing.T, fresh func(t *testing.T) Open) {
	run(t, fresh, map[string]func(*testing.T, Open){
		"what was committed is read back after opening": committedIsReadBack,
		"logs do not see each other":                    logsAreSeparate,
		"many append at once":                           manyAppendAtOnce,
		"what was purged elsewhere is taken over":       purgedIsTakenOver,
	})
	run(t, fresh, searches(testrun.Full(t, 1200, 4700), testrun.Full(t, 1200, 7600)))
}

// searches are the tests of searches, among so many records of varied kinds.
func searches(complete, withoutContent int) map[string]func(*testing.T, Open) {
	return map[string]func(*testing.T, Open){
		"search finds what a look at each record finds": func(t *testing.T, open Open) { searchIsComplete(t, open, complete) },
		"search without content finds the same records": func(t *testing.T, open Open) { searchWithoutContent(t, open, withoutContent) },
		"search finds each voucher of a lot":            lotIsFoundByEachVoucher,
		"search by each field":                          searchByEachField,
		"search by what only records hold":              searchByOwnFields,
		"search is bounded to issuers":                  searchOfIssuers,
		"search is bounded to many issuers":             searchOfManyIssuers,
		"access is found when it is asked for":          accessWhenAsked,
		"readings are found by identity":                readingsByIdentity,
		"open intents among many":                       openIntentsAmongMany,
		"an intent is found until it has an outcome":    intentUntilOutcome,
		"an outcome is found by what its intent holds":  outcomeByItsIntent,
		"search stops at the limit and on demand":       searchStops,
		"search sees each record once it is committed":  searchSeesTheLatest,
	}
}

func run(t *testing.T, fresh func(t *testing.T) Open, tests map[string]func(*testing.T, Open)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
	}
}

func newLogIsEmpty(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	check(t, s, logName, nil)
	for _, err := range s.Search(t.Context(), audit.Query{Log: logName}) {
		t.Fatalf("a record or an error in an empty log: %v", err)
	}
}

func committedIsReadBack(t *testing.T, open Open) {
	s := open(t)
	all := fill(t, s, 700, NewSource(1).Next)
	check(t, s, logName, all)
	s = reopen(t, s, open)
	check(t, s, logName, all)
	more := NewSource(2).Issue(250)
	must(t, s, logName, uint64(len(all)), more)
	s = reopen(t, s, open)
	defer closeStore(t, s)
	check(t, s, logName, append(all, more))
}

func batchIsAllOrNothing(t *testing.T, open Open) {
	s := open(t)
	source := NewSource(3)
	first := source.Next(0)
	must(t, s, logName, 0, first)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var records []*audit.Record
	for range 300 {
		records = append(records, source.Issue(1))
	}
	batch := Seal(t, s, logName, records...)
	want := []*audit.Record{first}
	if err := s.Commit(ctx, batch); err == nil {
		for i, entry := range batch.Entries {
			entry.Record.Log, entry.Record.Index = logName, uint64(i+1)
			want = append(want, entry.Record)
		}
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	check(t, s, logName, want)
}

func wrongStartConflicts(t *testing.T, open Open) {
	s := open(t)
	source := NewSource(4)
	a, b := source.Next(0), source.Next(1)
	must(t, s, logName, 0, a, b)
	for _, start := range []uint64{0, 1, 3, 1000} {
		if err := commit(t, s, logName, start, source.Issue(1)); !errors.Is(err, audit.ErrConflict) {
			t.Errorf("batch at %d: %v, want ErrConflict", start, err)
		}
	}
	c := source.Next(2)
	must(t, s, logName, 2, c)
	s = reopen(t, s, open)
	defer closeStore(t, s)
	check(t, s, logName, []*audit.Record{a, b, c})
}

func logsAreSeparate(t *testing.T, open Open) {
	s := open(t)
	source := NewSource(5)
	var left, right []*audit.Record
	for i := range uint64(20) {
		l, r := source.Issue(1), source.Issue(1)
		must(t, s, "left", i, l)
		must(t, s, "right", i, r)
		left, right = append(left, l), append(right, r)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	check(t, s, "left", left)
	check(t, s, "right", right)
	compare(t, s, left, audit.Query{Log: "left", Operation: "FECAESolicitar"})
	compare(t, s, right, audit.Query{Log: "right"})
}

func logsAreNamed(t *testing.T, open Open) {
	s := open(t)
	want := func(want ...string) {
		t.Helper()
		if got, err := s.Logs(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Fatalf("logs: %q, %v; want %q", got, err, want)
		}
	}
	want()
	if _, err := s.Head(t.Context(), "asked for alone"); err != nil {
		t.Fatal(err)
	}
	want()
	must(t, s, "edge-2", 0, NewSource(28).Issue(1))
	if err := s.Commit(t.Context(), Seal(t, s, "Edge 10")); err != nil {
		t.Fatalf("a checkpoint alone: %v", err)
	}
	for _, log := range []string{"edge-10", "ñandú", "edge-1"} {
		must(t, s, log, 0, NewSource(29).Issue(1))
	}
	want("Edge 10", "edge-1", "edge-10", "edge-2", "ñandú")
	s = reopen(t, s, open)
	defer closeStore(t, s)
	want("Edge 10", "edge-1", "edge-10", "edge-2", "ñandú")
}

func manyAppendAtOnce(t *testing.T, open Open) {
	s := open(t)
	trail, err := audit.Open(t.Context(), s, logName, Key(t, logName), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	const writers, each = 16, 40
	all := make([]*audit.Record, writers*each)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			source := NewSource(uint64(w))
			for range each {
				r := source.Issue(1)
				source.Answer(r)
				index, err := trail.Append(t.Context(), r)
				if err != nil {
					t.Errorf("append: %v", err)
					return
				}
				all[index] = r // each index is given once: no two write the same place
			}
		})
	}
	wg.Wait()
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	check(t, s, logName, all)
}

func closedStoreRefuses(t *testing.T, open Open) {
	s := open(t)
	must(t, s, logName, 0, NewSource(6).Issue(1))
	closeStore(t, s)
	if err := commit(t, s, logName, 1, NewSource(7).Issue(1)); err == nil {
		t.Error("commit after close: no error")
	}
	if _, err := s.Get(t.Context(), logName, 0); err == nil {
		t.Error("get after close: no error")
	}
	s = open(t)
	defer closeStore(t, s)
	if head, err := s.Head(t.Context(), logName); err != nil || head.Size != 1 {
		t.Errorf("head: %d, %v; want 1", head.Size, err)
	}
}
