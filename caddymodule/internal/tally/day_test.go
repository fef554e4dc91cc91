package tally_test

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/caddymodule/internal/tally/tallytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// day is the day that is counted.
var day = tallytest.Day

func everybody(wsfev1.CUIT) bool { return true }

// TestADayIsWhatANaiveReadingCounts, of any trail, for every reader, at any time, however often the day was
// brought forward before.
func TestADayIsWhatANaiveReadingCounts(t *testing.T) {
	for seed := range uint64(testrun.Size(t, 12, 120)) {
		r := tallytest.NewTrail(t, seed)
		followed := tally.NewDay(day)
		for i := range 6 {
			for range 1 + r.Random.IntN(60) {
				r.Step()
			}
			if r.Random.IntN(8) == 0 {
				r.Purge()
			}
			if err := followed.Follow(t.Context(), r.Store, r.Logs); err != nil {
				t.Fatal(err)
			}
			fresh := tally.NewDay(day)
			if err := fresh.Follow(t.Context(), r.Store, r.Logs); err != nil {
				t.Fatal(err)
			}
			exchanges := tallytest.Read(t, r.Store, r.Logs)
			readers := []func(wsfev1.CUIT) bool{everybody}
			for _, cuit := range tallytest.Issuers {
				readers = append(readers, func(one wsfev1.CUIT) bool { return one == cuit })
			}
			for reader, sees := range readers {
				want := tallytest.DayOf(exchanges, day, sees)
				for name, d := range map[string]*tally.Day{"followed": followed, "fresh": fresh} {
					if got := tallytest.ShownOf(tally.ViewOf([]*tally.Day{d}, sees)); !reflect.DeepEqual(got, want) {
						t.Fatalf("seed %d, round %d, reader %d, %s:\n%+v\nwant\n%+v", seed, i, reader, name, got, want)
					}
					if got, want := tally.CausesOf([]*tally.Day{d}, sees), naiveCauses(exchanges, day, sees); !reflect.DeepEqual(got, want) {
						t.Fatalf("seed %d, round %d, reader %d, %s: causes are\n%s\nwant\n%s", seed, i, reader, name, printed(got), printed(want))
					}
				}
			}
			if _, whole := followed.Progress(); !whole {
				t.Error("the day is not whole")
			}
		}
	}
}

// interrupted ends a reading after some records.
type interrupted struct {
	audit.Store
	left int
}

// Get fails once nothing is left.
func (s *interrupted) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	if s.left--; s.left < 0 {
		return nil, context.Canceled
	}
	return s.Store.Get(ctx, log, index)
}

// TestAReadingGoesOnWhereItBroke: nothing is counted twice, nothing is left out.
func TestAReadingGoesOnWhereItBroke(t *testing.T) {
	r := tallytest.NewTrail(t, 3)
	for range 300 {
		r.Step()
	}
	d, broken := tally.NewDay(day), 0
	for left := 1; ; left++ {
		err := d.Follow(t.Context(), &interrupted{r.Store, left}, r.Logs)
		if err == nil {
			break
		}
		if p, whole := d.Progress(); whole || p.Read > p.Of {
			t.Fatalf("a day that broke: %+v, whole %v", p, whole)
		}
		broken++
	}
	if p, whole := d.Progress(); !whole || p.Read != p.Of || p.Of < 200 {
		t.Errorf("a day that was read: %+v, whole %v", p, whole)
	}
	want := tallytest.DayOf(tallytest.Read(t, r.Store, r.Logs), day, everybody)
	if got := tallytest.ShownOf(tally.ViewOf([]*tally.Day{d}, everybody)); broken == 0 || !reflect.DeepEqual(got, want) {
		t.Fatalf("after %d interruptions:\n%+v\nwant\n%+v", broken, got, want)
	}
	if got, want := tally.CausesOf([]*tally.Day{d}, everybody), naiveCauses(tallytest.Read(t, r.Store, r.Logs), day, everybody); !reflect.DeepEqual(got, want) {
		t.Fatalf("causes after %d interruptions:\n%s\nwant\n%s", broken, printed(got), printed(want))
	}
}

// TestStoresAreSummedUp: the day of two gateways with stores of their own, some of whose issuers are the same.
func TestStoresAreSummedUp(t *testing.T) {
	var days []*tally.Day
	all := map[story.Place]*tallytest.Exchange{}
	for seed := range uint64(2) {
		r := tallytest.NewTrail(t, seed)
		for range 200 {
			r.Step()
		}
		d := tally.NewDay(day)
		d.Mark = ":" + strconv.Itoa(int(seed))
		if err := d.Follow(t.Context(), r.Store, r.Logs); err != nil {
			t.Fatal(err)
		}
		days = append(days, d)
		for place, x := range tallytest.Read(t, r.Store, r.Logs) {
			for _, record := range []*audit.Record{x.Intent, x.Outcome, x.Settlement} {
				if record != nil {
					record.Log += d.Mark
				}
			}
			place.Log += d.Mark
			all[place] = x
		}
	}
	want := tallytest.DayOf(all, day, everybody)
	v := tally.ViewOf(days, everybody)
	if got := tallytest.ShownOf(v); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	for _, found := range v.Open[tally.Unanswered].Newest {
		if !strings.Contains(found.Log, ":") {
			t.Errorf("%+v has no mark", found)
		}
	}
}

// TestADayWithTooMuchIsNotWhole: a day keeps a bounded number of things, and says so.
func TestADayWithTooMuchIsNotWhole(t *testing.T) {
	r := tallytest.NewTrail(t, 1)
	lot := r.Request()
	lot.Kind, lot.Outcome, lot.Decision, lot.Time = audit.KindExchange, "refused", "refuse", day.Add(time.Hour)
	lot.Findings = []audit.Finding{{Code: "10048", Action: "refuse"}}
	for number := int64(1); number <= 250; number++ {
		lot.Vouchers = append(lot.Vouchers, audit.Voucher{CbteDesde: number, CbteHasta: number})
	}
	for i := range tally.MaxKept / 250 {
		lot.ID = fmt.Sprint("lot", i)
		lot.PtoVta++
		r.Append(0, lot)
	}
	d := tally.NewDay(day)
	if err := d.Follow(t.Context(), r.Store, r.Logs); err != nil {
		t.Fatal(err)
	}
	if p, whole := d.Progress(); whole || p.Read != p.Of {
		t.Errorf("%+v, whole %v", p, whole)
	}
	if v := tally.ViewOf([]*tally.Day{d}, everybody); v.Total != tally.MaxKept/250 {
		t.Errorf("%d exchanges", v.Total)
	}
}

// TestADayOfTooManyIssuersIsNotWhole: whoever sends requests in the names of invented issuers takes bounded memory, and
// each of the requests counts.
func TestADayOfTooManyIssuersIsNotWhole(t *testing.T) {
	r := tallytest.NewTrail(t, 1)
	const issuers = tally.MaxKept/6 + 500
	for i := range issuers {
		for range 1 + i/(issuers-1) { // the last one comes twice
			query := r.Request()
			query.Kind, query.Outcome, query.Decision, query.Time = audit.KindExchange, audit.OutcomeAnswered, audit.DecisionForward, day.Add(time.Hour)
			query.Operation, query.Cuit, query.Vouchers = "FEDummy", wsfev1.CUIT(20_000_000_000+i), nil
			r.Append(0, query)
		}
	}
	d, everybody := tally.NewDay(day), 0
	if err := d.Follow(t.Context(), r.Store, r.Logs); err != nil {
		t.Fatal(err)
	}
	if p, whole := d.Progress(); whole || p.Read != p.Of {
		t.Errorf("%+v, whole %v", p, whole)
	}
	v := tally.ViewOf([]*tally.Day{d}, func(wsfev1.CUIT) bool { everybody++; return true })
	if v.Total != issuers+1 || everybody > tally.MaxKept/6+1 {
		t.Errorf("%d exchanges of %d issuers", v.Total, everybody)
	}
}
