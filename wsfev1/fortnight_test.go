package wsfev1_test

import (
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

func TestFortnightsFollowTheCalendar(t *testing.T) {
	for _, test := range []struct {
		periodo         int32
		orden           int16
		opens, from, to wsfev1.Date
	}{
		{202107, 1, "20210626", "20210701", "20210715"},
		{202602, 2, "20260211", "20260216", "20260228"},
		{202402, 2, "20240211", "20240216", "20240229"},
		{202601, 1, "20251227", "20260101", "20260115"},
		{202603, 1, "20260224", "20260301", "20260315"},
		{202607, 2, "20260711", "20260716", "20260731"},
		{202612, 2, "20261211", "20261216", "20261231"},
	} {
		f, ok := wsfev1.FortnightOf(test.periodo, test.orden)
		got := [3]wsfev1.Date{f.Opens(), f.From, f.To}
		if want := [3]wsfev1.Date{test.opens, test.from, test.to}; !ok || got != want {
			t.Errorf("%d/%d: %v %t, want %v", test.periodo, test.orden, got, ok, want)
		}
	}
}

func TestWhatNamesNoFortnight(t *testing.T) {
	for _, test := range []struct {
		periodo         int32
		orden           int16
		periodoIsOne    bool
		ordenIsOne      bool
		fortnightExists bool
	}{
		{202611, 1, true, true, true},
		{202612, 2, true, true, true},
		{100001, 1, true, true, true},
		{999912, 2, true, true, true},
		{202600, 1, false, true, false},
		{202613, 1, false, true, false},
		{2611, 1, false, true, false},
		{20261101, 1, false, true, false},
		{-202611, 1, false, true, false},
		{0, 0, false, false, false},
		{202611, 0, true, false, false},
		{202611, 3, true, false, false},
		{202611, -1, true, false, false},
	} {
		_, exists := wsfev1.FortnightOf(test.periodo, test.orden)
		got := [3]bool{wsfev1.IsPeriodo(test.periodo), wsfev1.IsOrden(test.orden), exists}
		if want := [3]bool{test.periodoIsOne, test.ordenIsOne, test.fortnightExists}; got != want {
			t.Errorf("%d/%d: %v, want %v", test.periodo, test.orden, got, want)
		}
	}
}
