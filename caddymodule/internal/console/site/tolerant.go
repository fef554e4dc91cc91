package site

import (
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/damage"
)

// Tolerant returns the sources of a page such that damaged records hide no others. done, which must be called when the page
// has read them, sets Damaged if it has met any: the page says then that it may lack something. A document that is handed
// out needs all of its records, and is made of the sources themselves.
func (f *Frame) Tolerant(sources []Source) (all []Source, done func()) {
	var stores []*damage.Store
	all = slices.Clone(sources)
	for i := range all {
		stores = append(stores, &damage.Store{Store: all[i].Store})
		all[i].Store = stores[i]
	}
	return all, func() { f.Damaged = f.Damaged || slices.ContainsFunc(stores, (*damage.Store).Met) }
}
