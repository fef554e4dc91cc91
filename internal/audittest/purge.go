package audittest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// OpenPurger opens what purges the store of a test, which is open or not.
type OpenPurger func(t *testing.T) audit.Purger

// PurgeSuite checks that a store's Purger keeps the contract of audit.Purger. The
// function fresh is called once for each test.
func PurgeSuite(t *testing.T, fresh func(t *testing.T) (Open, OpenPurger)) {
	for name, test := range map[string]func(*testing.T, Open, OpenPurger){
		"a purge takes the content of earlier periods, and nothing else": purgeTakesContent,
		"what is held stays until it is released":                        heldStays,
		"a dry run changes nothing":                                      dryRunChangesNothing,
		"a purge beside a writer":                                        purgeBesideWriter,
		"holds are kept":                                                 holdsAreKept,
		"other logs stay":                                                otherLogsStay,
		"one purge at a time":                                            onePurgeAtATime,
		"a purge takes what its record names":                            purgeTakesWhatItsRecordNames,
		"content that no record names is a flaw":                         unrecordedIsAFlaw,
		"a purge that its record does not fit is a flaw":                 purgeMustFitItsRecord,
		"purges from before they were recorded are distinguished":        purgesBeforeRecords,
		"a hold that was taken away is a flaw":                           holdTakenAwayIsAFlaw,
		"what must still be kept stays":                                  retainedStays,
		"a voucher is kept by its own date":                              keptByTheVouchersDate,
		"a reason overrides the retention, and is recorded":              overrideIsRecorded,
	} {
		t.Run(name, func(t *testing.T) {
			open, purger := fresh(t)
			test(t, open, purger)
		})
	}
}

// january is the month in which the records of a Source begin.
var january = audit.PeriodOf(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))

// months is a log of four months, from January on, with issuers and kinds mixed.
func months(t *testing.T, s audit.Store, seed uint64, each int) []*audit.Record {
	t.Helper()
	source := NewSource(seed)
	var all []*audit.Record
	for month := range 4 {
		source.now = time.Date(2026, time.Month(1+month), 2, 12, 0, 0, 0, time.UTC)
		for n := len(all) + each; len(all) < n; {
			first := uint64(len(all))
			var batch []*audit.Record
			for range 1 + source.random.IntN(min(90, n-len(all))) {
				batch = append(batch, source.Next(first+uint64(len(batch))))
			}
			must(t, s, logName, first, batch...)
			all = append(all, batch...)
		}
	}
	return all
}

// purged returns the records as the purge leaves them.
func purged(all []*audit.Record, before audit.Period, held audit.Holds) (left []*audit.Record, count audit.PurgeCount) {
	for _, r := range all {
		var intent *audit.Record
		if r.Kind == audit.KindOutcome {
			intent = all[r.Intent]
		}
		if audit.PeriodOf(r.Time) >= before {
			left = append(left, r)
			continue
		}
		if held.Keep(r, intent) {
			left, count.Held = append(left, r), count.Held+1
			continue
		}
		form := r.Encode(nil)
		summary, err := audit.Decode(audit.Form{Summary: form.Summary, Presence: audit.Purged})
		if err != nil {
			panic(err)
		}
		summary.Log, summary.Index = r.Log, r.Index
		left, count.Purged = append(left, summary), count.Purged+1
	}
	return left, count
}

// checkPurged compares everything in the store, and verifies it.
func checkPurged(t *testing.T, s audit.Store, want []*audit.Record) {
	t.Helper()
	Verify(t, s, logName)
	for i, r := range want {
		got, err := s.Get(t.Context(), logName, uint64(i))
		if err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		expected := *r
		expected.Log, expected.Index = logName, uint64(i)
		if !reflect.DeepEqual(got, &expected) {
			t.Fatalf("record %d\n got %+v\nwant %+v", i, got, &expected)
		}
	}
	compare(t, s, want, audit.Query{})
	compare(t, s, want, audit.Query{Cuit: 20000000003, Outcome: "approved"})
}

func purge(t *testing.T, p audit.Purger, before audit.Period) audit.PurgeResult {
	t.Helper()
	result, err := p.Purge(t.Context(), audit.PurgeRequest{Log: logName, Before: before})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func purgeTakesContent(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	all := months(t, s, 21, 80)
	p := purger(t)
	defer closePurger(t, p)
	gone := uint64(0)
	for _, before := range []audit.Period{january, january + 1, january + 3} {
		want, count := purged(all, before, nil)
		result := purge(t, p, before)
		if total := result.Total(); total.Purged+gone != count.Purged || total.Held != 0 || (total.Purged > 0) != (result.Bytes > 0) {
			t.Fatalf("purge before %s: %+v, want %d less %d", before, result, count.Purged, gone)
		}
		gone = count.Purged
		checkPurged(t, s, want)
		if again := purge(t, p, before); again.Total() != (audit.PurgeCount{}) || again.Bytes != 0 || again.Keys != 0 {
			t.Fatalf("the same purge again: %+v", again)
		}
	}
	more := NewSource(22).Issue(1) // of January: written late, and purged by the next
	must(t, s, logName, uint64(len(all)), more)
	all = append(all, more)
	s = reopen(t, s, open)
	defer closeStore(t, s)
	left, _ := purged(all[:len(all)-1], january+3, nil)
	checkPurged(t, s, append(left, more))
	if result := purge(t, p, january+3); result.Total().Purged != 1 {
		t.Fatalf("the record that came late: %+v", result)
	}
	want, _ := purged(all, january+3, nil)
	checkPurged(t, s, want)
}

func heldStays(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	all := months(t, s, 23, 80)
	p := purger(t)
	defer closePurger(t, p)
	held := audit.Holds{20000000003: true, 20000000005: true}
	for cuit := range held {
		if err := p.Hold(t.Context(), audit.Hold{Cuit: cuit, Since: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	want, count := purged(all, january+2, held)
	if count.Held == 0 || count.Purged == 0 {
		t.Fatal("the records put nothing to the proof")
	}
	if result := purge(t, p, january+2); result.Total() != count {
		t.Fatalf("%+v, want %+v", result, count)
	}
	checkPurged(t, s, want)
	if again := purge(t, p, january+2).Total(); again.Purged != 0 || again.Held != count.Held {
		t.Fatalf("the same purge again: %+v", again)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	checkPurged(t, s, want)

	// One hold ends, then the other.
	for _, cuit := range []wsfev1.CUIT{20000000003, 20000000005} {
		if err := p.Release(t.Context(), cuit); err != nil {
			t.Fatal(err)
		}
		delete(held, cuit)
		before := count
		want, count = purged(all, january+2, held)
		result := purge(t, p, january+2).Total()
		if result.Purged != before.Held-count.Held || result.Held != count.Held {
			t.Fatalf("after the hold of %s ended: %+v, want %d and %d", cuit, result, before.Held-count.Held, count.Held)
		}
		checkPurged(t, s, want)
	}
}

func dryRunChangesNothing(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	all := months(t, s, 24, 50)
	p := purger(t)
	defer closePurger(t, p)
	request := audit.PurgeRequest{Log: logName, Before: january + 2, DryRun: true}
	dry, err := p.Purge(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	checkPurged(t, s, all)
	called := 0
	request.DryRun, request.Progress = false, func(audit.PurgeResult) { called++ }
	real, err := p.Purge(t.Context(), request)
	if err != nil || !reflect.DeepEqual(dry, real) || called == 0 {
		t.Errorf("a dry run says %+v, the purge %+v, %v, with %d calls of Progress", dry, real, err, called)
	}
}

func holdsAreKept(t *testing.T, open Open, purger OpenPurger) {
	closeStore(t, open(t))
	p := purger(t)
	want := []audit.Hold{{Cuit: 20000000001, Since: time.Unix(5, 0).UTC()}, {Cuit: 20000000002, Since: time.Unix(3, 0).UTC()}}
	for _, hold := range []audit.Hold{want[1], want[0], {Cuit: 20000000001, Since: time.Unix(9, 0)}} {
		if err := p.Hold(t.Context(), hold); err != nil {
			t.Fatal(err)
		}
	}
	closePurger(t, p)
	p = purger(t)
	defer closePurger(t, p)
	if got, err := p.Holds(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, %v; want %v", got, err, want)
	}
	if err := p.Release(t.Context(), 20000000002); err != nil {
		t.Fatal(err)
	}
	if err := p.Release(t.Context(), 20000000002); !errors.Is(err, audit.ErrNotHeld) {
		t.Errorf("released twice: %v, want ErrNotHeld", err)
	}
	if got, err := p.Holds(t.Context()); err != nil || !reflect.DeepEqual(got, want[:1]) {
		t.Fatalf("%v, %v; want %v", got, err, want[:1])
	}
}

func otherLogsStay(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	mine, other := NewSource(26).Issue(1), NewSource(27).Issue(1)
	must(t, s, logName, 0, mine)
	must(t, s, "another", 0, other)
	p := purger(t)
	defer closePurger(t, p)
	purge(t, p, january+1)
	if r, err := s.Get(t.Context(), "another", 0); err != nil || r.Presence != audit.Present {
		t.Errorf("the other log: %v, %v", r, err)
	}
	result, err := p.Purge(t.Context(), audit.PurgeRequest{Log: "none", Before: january + 1})
	if err != nil || result.Total() != (audit.PurgeCount{}) {
		t.Errorf("a log that is not there: %+v, %v", result, err)
	}
}

func closePurger(t *testing.T, p audit.Purger) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
