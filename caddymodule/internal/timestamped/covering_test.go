package timestamped_test

import (
	"errors"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// TestTheEarliestStampOverARecordIsFound, whatever the record says about its time: the clock may have been wrong.
func TestTheEarliestStampOverARecordIsFound(t *testing.T) {
	of, tsa := newTrail(t, 2), newPlace(t, tsatest.RSA)
	s := prepare(t, of, tsa.options())
	noon := time.Date(time.Now().Year(), time.Now().Month(), time.Now().Day(), 15, 0, 0, 0, time.UTC).AddDate(0, 0, -9)
	s.pass(noon.Sub(s.clock()))
	tsa.be(tsa.replying(func(query []byte) []byte { return tsa.ReplyAt(query, s.clock()) }))
	s.Start()
	<-s.waits
	for turn := range 4 { // every other one stamps the same records again
		s.pass(24 * time.Hour)
		if turn%2 == 1 {
			s.pass(24 * time.Hour)
			of.grow(2)
		}
		s.turn()
	}
	if said := s.said(); said != "" {
		t.Fatal(said)
	}
	shelf := of.Timestamps()
	newest, err := shelf.Newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for index := range newest.Records {
		want := newest
		for kept := newest; ; {
			if kept.Records > index {
				want = kept
			}
			if kept.Before == "" {
				break
			}
			if kept, err = shelf.Of(t.Context(), kept.Before); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range []time.Time{want.Time, want.Time.AddDate(0, 0, -1), noon.AddDate(-1, 0, 0), noon.AddDate(1, 0, 0)} {
			got, err := shelf.Covering(t.Context(), index, at)
			if err != nil || got.Records != want.Records || !got.Time.Equal(want.Time) {
				t.Errorf("of the record %d of %s: %+v, %v, want %s", index, at, got, err, want.Time)
			}
		}
	}
	if _, err := shelf.Covering(t.Context(), newest.Records, noon); !errors.Is(err, timestamped.ErrNone) {
		t.Errorf("of a record that is not stamped yet: %v", err)
	}
	if _, err := newTrail(t, 1).Timestamps().Covering(t.Context(), 0, noon); !errors.Is(err, timestamped.ErrNone) {
		t.Errorf("of a trail without any: %v", err)
	}
}
