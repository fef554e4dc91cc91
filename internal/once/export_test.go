package once

import (
	"maps"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// Compare is what settling does with an invoice that the service has.
func Compare(p *Pending, i int, kept *wsfev1.FECompConsResult) []Difference {
	return p.compare(i, kept)
}

// EchoedMembers are the paths of the members that have a row, and the sources of the rows.
func EchoedMembers() (paths, sources []string) {
	for _, path := range slices.Sorted(maps.Keys(echoes)) {
		paths, sources = append(paths, path), append(sources, echoes[path].source)
	}
	return paths, sources
}

// SetClock has the leases run out by another clock. No lease may be held yet.
func (m *LeaseManager) SetClock(now func() Instant) { m.now = now }
