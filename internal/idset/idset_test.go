package idset_test

import (
	"testing"

	"github.com/fielato/fielato/internal/idset"
)

func TestASetHasItsIdentifiersAlone(t *testing.T) {
	ids := []int32{0, 1, 63, 64, 214, 9998}
	first := idset.OfRows(ids[:3], func(id int32) int32 { return id })
	all := first.With(ids[3:]...)
	for _, id := range ids {
		if !all.Has(id) || first.Has(id) != (id < 64) {
			t.Errorf("%d: %v in all, %v in the first", id, all.Has(id), first.Has(id))
		}
	}
	for _, id := range []int32{-1, -1 << 31, 2, 62, 65, 10_000, 1<<31 - 1} {
		if all.Has(id) || idset.Of().Has(id) {
			t.Errorf("%d is in a set that it was not put in", id)
		}
	}
}
