package segment

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/segment/run"
	"github.com/fielato/fielato/internal/testrun"
)

// keysOfRuns returns the keys of the lists of runs, in order.
func (m *memory) keysOfRuns() []listKey {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(m.lists)), func(key listKey) bool { return key.level == 0 })
	slices.SortFunc(keys, func(a, b listKey) int {
		return slices.Compare([]int{a.level, int(a.first), a.bucket}, []int{b.level, int(b.first), b.bucket})
	})
	return keys
}

// changes are what somebody can do to the rows of runs.
var changes = map[string]func(t *rapid.T, m *memory, row *run.Row, key listKey){
	"a list is removed": func(t *rapid.T, m *memory, row *run.Row, key listKey) {
		_, last, _, _ := m.Bounds(t.Context(), key.level, key.first)
		if !slices.ContainsFunc(m.runs, func(row run.Row) bool { return row.Level == key.level && row.First == key.first }) && key.bucket == last {
			t.Skip("a merge continues where its last list is")
		}
		delete(m.lists, key)
	},
	"a list is lengthened": func(_ *rapid.T, m *memory, _ *run.Row, key listKey) {
		m.lists[key] = append(bytes.Clone(m.lists[key]), 0, 0, 0, 0, 0)
	},
	"a list is changed": func(t *rapid.T, m *memory, _ *run.Row, key listKey) {
		if len(m.lists[key]) == 0 {
			m.lists[key] = []byte{0} // the last of a run is there although it is empty
			return
		}
		list := bytes.Clone(m.lists[key])
		list[rapid.IntRange(0, len(list)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		m.lists[key] = list
	},
	"a list is repeated in another bucket": func(_ *rapid.T, m *memory, _ *run.Row, key listKey) {
		m.lists[listKey{key.level, key.first, m.shape.Buckets(key.level)}] = m.lists[key]
	},
	"a list is repeated elsewhere": func(_ *rapid.T, m *memory, _ *run.Row, key listKey) {
		m.lists[listKey{key.level, key.first + 1<<30, key.bucket}] = m.lists[key]
	},
	"a run begins elsewhere":   func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.First++ },
	"a run ends elsewhere":     func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.Next ^= 1 << 30 },
	"a run is older":           func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.Oldest-- },
	"a run ends earlier":       func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.Newest-- },
	"an intent is hidden":      func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.Late = append(bytes.Clone(row.Late), 1) },
	"an open intent is added":  func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.Open = append(bytes.Clone(row.Open), 1) },
	"parts are left out":       func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.Parts = row.Parts[:len(row.Parts)-1] },
	"a run has another level":  func(_ *rapid.T, _ *memory, row *run.Row, _ listKey) { row.Level++ },
	"the row of a run is gone": func(_ *rapid.T, m *memory, row *run.Row, _ listKey) { *row = run.Row{Level: -1} },
	"a run comes twice": func(_ *rapid.T, m *memory, row *run.Row, _ listKey) {
		again := *row
		again.First++
		m.runs = append(m.runs, again)
	},
}

// TestWhatSomebodyDoesToRunsIsFound, also while a merge is under way. That nothing is found in an untouched log is
// for TestASearchFindsTheSameAtEveryStepOfAMerge, and in the long form also looked at here.
func TestWhatSomebodyDoesToRunsIsFound(t *testing.T) {
	inspectsFirst := testrun.Factor(t) >= 1
	rapid.Check(t, func(t *rapid.T) {
		change := rapid.SampledFrom(slices.Sorted(maps.Keys(changes))).Draw(t, "change")
		g := newGrown(t)
		for !slices.ContainsFunc(g.rows.runs, func(row run.Row) bool { return row.Level == 2 }) {
			g.commit(t)
			for g.step(t) {
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "commits more") {
			g.commit(t)
			g.step(t)
		}
		if inspectsFirst {
			if flaws := g.inspect(t); len(flaws) > 0 {
				t.Fatalf("untouched: %v", flaws)
			}
		}
		var runs []*run.Row
		for i := range g.rows.runs {
			if row := &g.rows.runs[i]; row.Level > 0 {
				runs = append(runs, row)
			}
		}
		row, key := rapid.SampledFrom(runs).Draw(t, "run"), rapid.SampledFrom(g.rows.keysOfRuns()).Draw(t, "list")
		changes[change](t, g.rows, row, key)
		if flaws := g.inspect(t); len(flaws) == 0 {
			t.Fatal("nothing is found")
		}
	})
}
