package audit

import (
	"context"
	"time"
)

// Leases is an optional part of a Store that several processes share. A name has one holder at
// a time, for a while. Time is the store's, so that the clocks of the processes do not matter.
// A holder is any text that no other process uses.
//
// Implementations are safe for concurrent use.
type Leases interface {
	// TakeLease makes holder the holder of the name until ttl from now. If the name has another
	// holder, it is marked as wanted.
	TakeLease(ctx context.Context, name, holder string, ttl time.Duration) (Lease, error)
	// TendLeases extends the holder's leases of these names to ttl from now. It returns the
	// names that it extended, without those that have run out and been taken by another holder,
	// and the names of this holder that are wanted.
	TendLeases(ctx context.Context, holder string, names []string, ttl time.Duration) (kept, wanted []string, err error)
	// ReturnLeases gives names back before they run out. It leaves other holders' leases alone.
	ReturnLeases(ctx context.Context, holder string, names []string) error
	// AbandonedLeases lists names whose lease has run out without being given back: their
	// holder has died, or has lost the store.
	AbandonedLeases(ctx context.Context, limit int) ([]string, error)
}

// Lease is the state of a name.
type Lease struct {
	// Held: the caller is the holder.
	Held bool
	// Generation counts the holders that the name has had. If it is not the number of the
	// holder's last lease, the name had another holder in between.
	Generation int64
}
