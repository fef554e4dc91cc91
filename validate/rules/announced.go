package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Change is a rule that the service begins to reject by on a day that it has announced.
type Change struct {
	// Code is the rule's.
	Code int32
	// Day is the first one, in Argentina.
	Day wsfev1.Date
	// Text says in English how the service behaves from that day on: "ARCA refuses …".
	Text string
}

// Changes lists the announced changes, past ones too, by day and code.
func Changes() []Change {
	var all []Change
	for i := range catalogue {
		r := &catalogue[i]
		if r.announced == "" {
			continue
		}
		for _, c := range r.codes {
			all = append(all, Change{Code: c.number, Day: r.from, Text: r.announced})
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Code, b.Code)) })
	return all
}

// In returns how long it is from now until the day begins, 0 from then on.
func (c Change) In(now time.Time) time.Duration {
	day, _ := c.Day.Time()
	return max(day.Sub(now), 0)
}
