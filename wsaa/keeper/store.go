package keeper

import (
	"context"
	"errors"
	"time"
)

// ErrNotHolder: an entry can be saved by its holder alone.
var ErrNotHolder = errors.New("another node has the lease of the ticket, or it has run out")

// Store keeps one entry for each name, and who holds it. The nodes that use one certificate share
// a Store. Entries are sealed, unless the Store is a *Memory. They have at most some megabytes, mostly
// a few kilobytes.
//
// Time is the store's own, so that the clocks of the nodes do not matter. A holder is any text that
// no other Keeper uses. A name is up to 64 printable characters.
//
// One row with the columns name, holder, until and entry does, and a statement for each method.
// Implementations are safe for concurrent use. An error means that it is not known whether it was
// done; a Keeper asks again, and to do it twice must do no harm.
type Store interface {
	// Take makes holder the holder of a name until long from now, and reports true, unless it has
	// another holder. For the holder itself the time begins anew.
	Take(ctx context.Context, name, holder string, long time.Duration) (held bool, err error)
	// Return ends the hold. If the name is not the holder's it does nothing.
	Return(ctx context.Context, name, holder string) error
	// Load returns the entry that was saved last, nil if there is none. Anybody may ask.
	Load(ctx context.Context, name string) (entry []byte, err error)
	// Save replaces the entry, durably. The error is ErrNotHolder, and the entry stays, if the name
	// is not the holder's.
	Save(ctx context.Context, name, holder string, entry []byte) error
}
