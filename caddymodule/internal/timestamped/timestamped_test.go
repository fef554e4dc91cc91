package timestamped_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// TestEachNewCheckpointIsStamped while the log grows, and after a restart; one that is stamped is not stamped again before
// a day has passed.
func TestEachNewCheckpointIsStamped(t *testing.T) {
	of, tsa := newTrail(t, 3), newPlace(t, tsatest.P256)
	s := start(t, of, tsa.options())
	for size := uint64(3); size < 24; size += 7 {
		kept := of.newest(tsa.Roots)
		if kept == nil || kept.Records != size || !bytes.Equal(kept.Checkpoint, of.Checkpoint()) || kept.Authority != "Sello de prueba" ||
			time.Since(kept.Time) > time.Minute {
			t.Fatalf("of %d records: %+v, %s", size, kept, s.said())
		}
		of.grow(7)
		if wait := s.turn(); wait < 54*time.Minute || wait > 66*time.Minute+1 {
			t.Errorf("it waits %s", wait)
		}
	}
	before := tsa.asked()
	s.turn()
	if tsa.asked() != before {
		t.Error("it was asked though nothing is new")
	}
	of.grow(1)
	s.Stop()
	if tsa.asked() != before {
		t.Error("it was asked at the stop")
	}
	again := start(t, of, tsa.options())
	if kept := of.newest(tsa.Roots); kept == nil || kept.Records != 25 || tsa.asked() != before+1 {
		t.Errorf("after the restart: %+v, %s", kept, again.said())
	}
	again.Stop()
	third := start(t, of, tsa.options())
	if tsa.asked() != before+1 {
		t.Error("it was asked at a restart though nothing is new")
	}
	third.pass(25 * time.Hour)
	tsa.be(tsa.replying(func(query []byte) []byte { return tsa.Reply(query) }))
	if third.turn(); tsa.asked() != before+2 {
		t.Errorf("after a day: %d requests more", tsa.asked()-before-1)
	}
}

// TestAnEmptyLogIsNotStamped, and no alert is raised about it.
func TestAnEmptyLogIsNotStamped(t *testing.T) {
	of, tsa := newTrail(t, 0), newPlace(t, tsatest.P256)
	s := start(t, of, tsa.options())
	if kept := of.newest(tsa.Roots); kept != nil || tsa.asked() != 0 || s.said() != "" {
		t.Errorf("%+v, %d requests", kept, tsa.asked())
	}
}

// TestTheLastStampOfEachDayIsKept, and all of them are copied.
func TestTheLastStampOfEachDayIsKept(t *testing.T) {
	of, tsa := newTrail(t, 1), newPlace(t, tsatest.RSA)
	s := prepare(t, of, tsa.options())
	noon := time.Date(time.Now().Year(), time.Now().Month(), time.Now().Day(), 15, 0, 0, 0, time.UTC).AddDate(0, 0, -5)
	s.pass(noon.Sub(s.clock()))
	tsa.be(tsa.replying(func(query []byte) []byte { return tsa.ReplyAt(query, s.clock()) }))
	s.Start()
	<-s.waits
	want := map[string]uint64{timestamped.DayOf(noon): 1}
	for hours := range 10 { // 8 hours each, one of which skips a day
		of.grow(1)
		s.pass(8 * time.Hour)
		if hours == 5 {
			s.pass(24 * time.Hour)
		}
		s.turn()
		want[timestamped.DayOf(s.clock())] = uint64(hours + 2)
	}
	if said := s.said(); said != "" || len(want) < 4 {
		t.Fatalf("%d days: %s", len(want), said)
	}
	copied := audittest.NewMemory()
	if err := of.Timestamps().Copy(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	target := of.Timestamps()
	target.Store = copied
	for _, shelf := range []timestamped.Shelf{of.Timestamps(), target} {
		newest, err := shelf.Newest(t.Context())
		if err != nil || newest.Records != 11 {
			t.Fatalf("%+v, %v", newest, err)
		}
		for day, records := range want {
			kept, err := shelf.Of(t.Context(), day)
			if err != nil || kept.Records != records {
				t.Errorf("of %s: %+v, %v, want %d records", day, kept, err, records)
				continue
			}
			of.verify(kept, tsa.Roots)
		}
		days := 1
		for kept := newest; kept.Before != ""; days++ {
			if kept, err = shelf.Of(t.Context(), kept.Before); err != nil {
				t.Fatal(err)
			}
		}
		if days != len(want) {
			t.Errorf("%d of %d days are found from the newest", days, len(want))
		}
	}
	if _, err := of.Timestamps().Of(t.Context(), timestamped.DayOf(noon.AddDate(0, 0, -1))); !errors.Is(err, timestamped.ErrNone) {
		t.Errorf("of a day without one: %v", err)
	}
	if err := (timestamped.Shelf{Store: copied, Log: "gw-2"}).Copy(t.Context(), copied); err != nil {
		t.Errorf("of a log without any: %v", err)
	}
}

// TestAStopLeavesNoStampToWhichNothingLeads: the day's is found from the newest, and so is in a copy.
func TestAStopLeavesNoStampToWhichNothingLeads(t *testing.T) {
	of, tsa := newTrail(t, 1), newPlace(t, tsatest.P256)
	start(t, of, tsa.options())
	stamped := of.newest(tsa.Roots)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	shelf := of.Timestamps()
	shelf.Store = &stopping{audittest.NewMemory(), cancel}
	if err := shelf.Keep(ctx, stamped.Checkpoint, stamped.Reply); err != nil {
		t.Fatal(err)
	}
	if newest, err := shelf.Newest(t.Context()); err != nil || newest.Records != 1 {
		t.Errorf("%+v, %v", newest, err)
	}
}

// stopping is a store at whose first change the configuration ends.
type stopping struct {
	audit.Store
	stop func()
}

// SetSetting implements audit.Store.
func (s *stopping) SetSetting(ctx context.Context, name string, value []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer s.stop()
	return s.Store.SetSetting(ctx, name, value)
}

// TestWhatIsKeptIsReadWithCare: what does not verify counts for nothing, and is stamped anew.
func TestWhatIsKeptIsReadWithCare(t *testing.T) {
	of, tsa := newTrail(t, 3), newPlace(t, tsatest.P256)
	start(t, of, tsa.options()).Stop()
	setting := "timestamp/" + logName
	sound, err := of.store.Setting(t.Context(), setting)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string][]byte{
		"no JSON":             []byte("x"),
		"another checkpoint":  bytes.Replace(sound, []byte("fielato/gw-1"), []byte("fielato/gw-2"), 1),
		"nothing that signs":  []byte(`{}`),
		"too much":            bytes.Repeat([]byte(" "), 300<<10),
		"another's signature": bytes.Replace(sound, []byte(`"reply":"MI`), []byte(`"reply":"MA`), 1),
	} {
		if err := of.store.SetSetting(t.Context(), setting, value); err != nil {
			t.Fatal(err)
		}
		if kept, err := of.Timestamps().Newest(t.Context()); err == nil {
			t.Errorf("%s: %+v", name, kept)
		}
		before := tsa.asked()
		start(t, of, tsa.options()).Stop()
		if kept := of.newest(tsa.Roots); kept == nil || kept.Records != 3 || tsa.asked() != before+1 {
			t.Errorf("%s: %+v", name, kept)
		}
	}
}

// TestAnotherAuthorityStampsAnew: the stamp that is kept does not lead to the roots that count now.
func TestAnotherAuthorityStampsAnew(t *testing.T) {
	of, first, second := newTrail(t, 3), newPlace(t, tsatest.P256), newPlace(t, tsatest.RSA)
	start(t, of, first.options()).Stop()
	of.newest(first.Roots)
	start(t, of, second.options()).Stop()
	if of.newest(second.Roots); second.asked() != 1 {
		t.Errorf("%d requests", second.asked())
	}
}
