package simulator

import (
	"context"

	"github.com/fielato/fielato/backend"
)

// LedgerOpener is what a module in the namespace
// http.handlers.wsfev1_backend.ledgers implements.
type LedgerOpener interface {
	// Key and Address are those of a StoreOpener.
	Key() string
	Address() string
	// OpenLedger opens the ledger for writing.
	OpenLedger(ctx context.Context) (backend.Ledger, error)
}
