package verify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// april is a period before which a test purges.
var april = audit.PeriodOf(time.Date(2026, 4, 5, 0, 0, 0, 0, time.UTC))

// TestWhoTakesTheSignatureAwayHidesNothing: a log that is signed anew, as one that never was,
// records its purges from its first record on.
func TestWhoTakesTheSignatureAwayHidesNothing(t *testing.T) {
	g := audittest.NewGrown(t, log)
	batch := audittest.Seal(t, g.Store, log, audittest.IssuedIn(log, 3, 10, 0)...)
	batch.Checkpoint = nil
	if err := g.Store.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Store.(*audittest.Memory).Purger().Purge(t.Context(), audit.PurgeRequest{Log: log, Before: april}); err != nil {
		t.Fatal(err)
	}
	g.Grow(0, audittest.IssuedIn(log, 4, 1, 10)...)
	report, err := verify.Log(t.Context(), g.Store, log, g.Verifier(), verify.Options{})
	if err != nil || !strings.HasPrefix(firstFlaw(report), "records 0 to 9: content is gone") {
		t.Errorf("%v, %+v", err, report)
	}
}

// TestVerifyBesideAPurge: a purge that is recorded after a verification has begun accounts
// for content that is gone when its record is read. A purge that is not signed does not.
func TestVerifyBesideAPurge(t *testing.T) {
	for name, signed := range map[string]bool{"recorded": true, "made up": false} {
		g := audittest.NewGrown(t, log)
		g.Grow(0, audittest.IssuedIn(log, 3, 300, 0)...)
		memory := g.Store.(*audittest.Memory)
		store := &audittest.Twisted{Store: memory, OnScan: func(index uint64, form audit.Form) []audit.Form {
			if index == 0 && signed {
				audittest.Purge(t, memory, nil, memory.Purger(), audit.PurgeRequest{Log: log, Before: april})
			}
			if index == 0 && !signed {
				scope := &audit.PurgeScope{Before: april, Next: 300, Records: 300}
				batch := audittest.Seal(t, memory, log, audittest.Access(audit.AccessPurge, 0, scope))
				batch.Checkpoint = nil
				if err := memory.Commit(t.Context(), batch); err != nil {
					t.Error(err)
				}
			}
			return []audit.Form{{Summary: form.Summary, Presence: audit.Purged}}
		}}
		report, err := verify.Log(t.Context(), store, log, g.Verifier(), verify.Options{})
		if err != nil || report.Sound() != signed || report.Purged != 300 {
			t.Errorf("%s: %v, %+v", name, err, report)
		}
		if !signed && !strings.HasPrefix(report.Flaws.Items[0].String(), "records 0 to 299: content is gone") {
			t.Errorf("%s: %v", name, report.Flaws.Items)
		}
	}
}
