package main

import (
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	var sorted []time.Duration
	for i := range 200 {
		sorted = append(sorted, time.Duration(i+1))
	}
	for _, test := range []struct {
		values  []time.Duration
		p       int
		highest time.Duration
	}{
		{sorted, 50, 100},
		{sorted, 99, 198},
		{sorted, 100, 200},
		{sorted[:50], 99, 50}, // of so few, the largest
		{sorted[:1], 50, 1},
		{sorted[:3], 50, 2},
	} {
		if got := percentile(test.values, test.p); got != test.highest {
			t.Errorf("p%d of %d values is %d, want %d", test.p, len(test.values), got, test.highest)
		}
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{9, 1, 2}); got != 2 {
		t.Error(got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Error(got)
	}
}
