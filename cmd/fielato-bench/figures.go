package main

import (
	"slices"
	"time"
)

// percentile is the least of the sorted values that at least p per cent of them do not
// exceed.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}

// median is the middle of the values; of an even number, the mean of the two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
