package simulator

import (
	"context"

	"github.com/fielato/fielato/internal/backend"
)

// LedgerOpener is implemented by the modules in the namespace
// http.handlers.wsfev1_backend.ledgers.
type LedgerOpener interface {
	// Key and Address are as in trail.StoreOpener.
	Key() string
	Address() string
	// OpenLedger opens the ledger for writing.
	OpenLedger(ctx context.Context) (backend.Ledger, error)
}
