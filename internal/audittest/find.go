package audittest

import (
	"slices"

	"github.com/fielato/fielato/audit"
)

// find is the search that all stores are compared with: it looks at each record
// of the log. The records stand at their index.
func find(log []*audit.Record, query *audit.Query) []*audit.Record {
	answered := map[uint64]bool{}
	for _, r := range log {
		if r.Kind == audit.KindOutcome {
			answered[r.Intent] = true
		}
	}
	var found []*audit.Record
	for _, r := range slices.Backward(log) {
		var intent *audit.Record
		switch {
		case r.Kind == audit.KindOutcome && r.Intent < uint64(len(log)):
			intent = log[r.Intent]
		case r.Kind == audit.KindIntent && answered[r.Index]:
			continue
		}
		if query.Matches(r, intent) {
			found = append(found, r)
		}
		if query.Limit > 0 && len(found) == query.Limit {
			break
		}
	}
	return found
}
