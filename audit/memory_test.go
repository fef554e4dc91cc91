package audit_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

func TestMemoryPurgerConforms(t *testing.T) {
	audittest.PurgeSuite(t, func(*testing.T) (audittest.Open, audittest.OpenPurger) {
		kept := audittest.NewMemory()
		return func(*testing.T) audit.Store { return kept.Reopen() }, func(*testing.T) audit.Purger { return kept.Purger() }
	})
}

func TestMemoryStoreConforms(t *testing.T) {
	fresh := func(*testing.T) audittest.Open {
		kept := audittest.NewMemory()
		return func(*testing.T) audit.Store { return kept.Reopen() }
	}
	audittest.Suite(t, fresh)
	audittest.Searches(t, fresh)
}
