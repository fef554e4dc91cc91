package audit_test

import (
	"errors"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

const log = "gateway-1"

func openTrail(t *testing.T, s audit.Store, options audit.Options) *audit.Writer {
	t.Helper()
	options.First = true
	trail, err := audit.Open(t.Context(), s, log, audittest.Key(t, log), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trail.Close(); err != nil && !errors.Is(err, audit.ErrClosed) {
			t.Error(err)
		}
	})
	return trail
}

// stored returns the identifiers of the records that the store has.
func stored(t *testing.T, s audit.Store) (ids []string) {
	t.Helper()
	head, err := s.Head(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	for i := range head.Size {
		r, err := s.Get(t.Context(), log, i)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}
