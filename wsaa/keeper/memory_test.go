package keeper_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsaa/keeper/internal/keepertest"
)

func TestAMemoryIsAStore(t *testing.T) {
	keepertest.Store(t, new(keeper.Memory), func(long time.Duration) { <-time.After(long) })
}
