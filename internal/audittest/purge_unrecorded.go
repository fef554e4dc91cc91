package audittest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/wsfev1"
)

// verified returns the report on the log.
func verified(t *testing.T, s audit.Store, log string) verify.Report {
	t.Helper()
	report, err := verify.Log(t.Context(), s, log, Key(t, log).Verifier(), verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func sound(t *testing.T, s audit.Store) {
	t.Helper()
	if report := verified(t, s, logName); !report.Sound() || report.Unrecorded.Count != 0 && report.PurgesFrom == 0 {
		t.Fatalf("not sound: %+v", report)
	}
}

// flawed requires that the first flaw has this text.
func flawed(t *testing.T, s audit.Store, log, want string) {
	t.Helper()
	report := verified(t, s, log)
	for _, f := range report.Flaws.Items {
		if f.Kind == audit.FlawPurged && strings.Contains(f.String(), want) {
			return
		}
	}
	t.Fatalf("%d flaws: %v\nwant %s", report.Flaws.Count, report.Flaws.Items, want)
}

// purgeTakesWhatItsRecordNames: the record is there before content goes, and names it.
func purgeTakesWhatItsRecordNames(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	all := recordedMonths(t, s, logName, mixed(31, 60))
	p := purger(t)
	defer closePurger(t, p)
	hold := audit.Hold{Cuit: 20000000003, Since: time.Unix(1, 0)}
	if err := p.Hold(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	request := audit.PurgeRequest{Log: logName, Before: january + 2, Now: late}
	_, count := purged(all, request.Before, audit.Holds{hold.Cuit: true})

	refused := errors.New("nobody writes the log")
	if _, err := audit.PurgeRecorded(t.Context(), s, p, request, func(context.Context, audit.PurgeScope) (uint64, error) {
		return 0, refused
	}); !errors.Is(err, audit.ErrUnrecorded) || !errors.Is(err, refused) {
		t.Fatalf("without a record: %v", err)
	}
	if _, err := audit.PurgeRecorded(t.Context(), s, p, request, func(context.Context, audit.PurgeScope) (uint64, error) {
		return 3, nil // which is another record
	}); !errors.Is(err, audit.ErrUnrecorded) {
		t.Fatalf("with another record: %v", err)
	}
	if report := verified(t, s, logName); report.Purged != 0 {
		t.Fatalf("%d were purged without a record", report.Purged)
	}

	if result := Purge(t, s, nil, p, request); result.Total() != count {
		t.Fatalf("%+v, want %+v", result, count)
	}
	if report := verified(t, s, logName); !report.Sound() || report.Purged != count.Purged || report.Unrecorded.Count != 0 {
		t.Fatalf("%+v", report)
	}
	r, err := s.Get(t.Context(), logName, uint64(len(all)))
	if err != nil || r.Outcome != audit.AccessPurge || r.Purge == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	scope := r.Purge
	if scope.Before != request.Before || scope.Records != count.Purged || scope.HeldRecords != count.Held ||
		len(scope.Held) != 1 || scope.Held[0] != hold.Cuit || scope.Next > uint64(len(all)) {
		t.Errorf("%+v, want %+v", scope, count)
	}
	// With nothing to remove nothing is written; and its own record is purged as any other.
	Purge(t, s, nil, p, request)
	if head, err := s.Head(t.Context(), logName); err != nil || head.Size != uint64(len(all))+1 {
		t.Errorf("%d records, %v", head.Size, err)
	}
	Purge(t, s, nil, p, audit.PurgeRequest{Log: logName, Before: january + 12})
	sound(t, s)
}

// unrecordedIsAFlaw: a purge without a record is a flaw, and so is one that exceeds its record.
func unrecordedIsAFlaw(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	recordedMonths(t, s, logName, plain(32, 60))
	p := purger(t)
	defer closePurger(t, p)
	Purge(t, s, nil, p, audit.PurgeRequest{Log: logName, Before: january + 1})
	sound(t, s)
	purge(t, p, january+2)
	flawed(t, s, logName, "records 60 to 119: content is gone, and no purge in the log took it")
	// A record that comes afterwards does not vouch for it.
	scope := &audit.PurgeScope{Before: january + 2, First: 60, Next: 100, Records: 40}
	Append(t, s, logName, Access(audit.AccessPurge, 0, scope))
	flawed(t, s, logName, "records 100 to 119: content is gone, and no purge in the log took it")
	acknowledge := &audit.PurgeScope{Before: january + 2, First: 60, Next: 120, Records: 60}
	Append(t, s, logName, Access(audit.AccessAcknowledge, 0, acknowledge))
	flawed(t, s, logName, "records 100 to 119: content is gone, and no purge in the log took it")
}

// purgeMustFitItsRecord: in number, in time, in issuers, and in what was there.
func purgeMustFitItsRecord(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	p := purger(t)
	defer closePurger(t, p)
	for name, test := range map[string]struct {
		scope audit.PurgeScope
		want  string
	}{
		"fewer":             {audit.PurgeScope{Before: january + 2, Next: 40, Records: 19}, "records 0 to 39: the content of 20 of them is gone, record 40 says 19"},
		"an earlier month":  {audit.PurgeScope{Before: january, Next: 40, Records: 40}, "records 0 to 19: content is gone"},
		"other records":     {audit.PurgeScope{Before: january + 2, First: 10, Next: 40, Records: 20}, "records 0 to 9: content is gone"},
		"beyond the record": {audit.PurgeScope{Before: january + 2, Next: 41, Records: 41}, "records 0 to 19: content is gone"},
		"an issuer held":    {audit.PurgeScope{Before: january + 2, Next: 40, Records: 20, Held: []wsfev1.CUIT{20000000001, 20000000002, 20000000003, 20000000004, 20000000005, 20000000006, 20000000007}}, "content is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			recordedMonths(t, s, name, plain(33, 10))
			Append(t, s, name, Access(audit.AccessPurge, 0, &test.scope))
			only := &audit.IndexRange{Next: 20}
			if _, err := p.Purge(t.Context(), audit.PurgeRequest{Log: name, Before: january + 2, Records: only}); err != nil {
				t.Fatal(err)
			}
			flawed(t, s, name, test.want)
		})
	}
}

// purgesBeforeRecords: what was purged by a build without records is no flaw, and can be
// acknowledged. After that nothing hides among it.
func purgesBeforeRecords(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	all := plain(34, 60)
	must(t, s, logName, 0, all...) // as a build of then has written them
	p := purger(t)
	defer closePurger(t, p)
	purge(t, p, january+1)
	old := verify.Unrecorded{Count: 60, Records: audit.IndexRange{Next: 60}, Before: january + 1}
	if report := verified(t, s, logName); !report.Sound() || report.PurgesRecorded || report.Unrecorded != old {
		t.Fatalf("%+v", report)
	}
	late := NewSource(35).Issue(1) // of January, by this build
	Append(t, s, logName, late)
	report := verified(t, s, logName)
	if !report.Sound() || !report.PurgesRecorded || report.PurgesFrom != uint64(len(all)) || report.Unrecorded != old || report.Acknowledged {
		t.Fatalf("%+v", report)
	}
	Purge(t, s, nil, p, audit.PurgeRequest{Log: logName, Before: january + 2, Records: &audit.IndexRange{Next: 240}})
	if report := verified(t, s, logName); !report.Sound() || report.Purged != 120 || report.Unrecorded != old {
		t.Fatalf("%+v", report)
	}
	scope := &audit.PurgeScope{Before: old.Before, Next: old.Records.Next, Records: old.Count}
	Append(t, s, logName, Access(audit.AccessAcknowledge, 0, scope))
	if report := verified(t, s, logName); !report.Sound() || !report.Acknowledged || report.Unrecorded.Count != 0 {
		t.Fatalf("%+v", report)
	}
	purge(t, p, january+3)
	flawed(t, s, logName, "records 120 to 179: content is gone, no purge in the log took it, and record 242, which vouches for earlier purges, does not name it")
}

// holdTakenAwayIsAFlaw: a purge that did not know of a hold which the log knows of.
func holdTakenAwayIsAFlaw(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	p := purger(t)
	defer closePurger(t, p)
	recordedMonths(t, s, logName, mixed(36, 20))
	const cuit = wsfev1.CUIT(20000000003)
	add := func(outcome audit.Outcome) {
		t.Helper()
		Append(t, s, logName, Access(outcome, cuit, nil))
	}
	add(audit.AccessHold)
	add(audit.AccessRelease)
	Purge(t, s, nil, p, audit.PurgeRequest{Log: logName, Before: january + 1})
	sound(t, s)
	add(audit.AccessHold)
	Purge(t, s, nil, p, audit.PurgeRequest{Log: logName, Before: january + 2})
	flawed(t, s, logName, "record 84: it is a purge that did not keep the issuer 20000000003, which record 83 holds and no record has released")
}
