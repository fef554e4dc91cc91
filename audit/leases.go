package audit

import (
	"context"
	"time"
)

// Leases is what a Store may offer that several processes share: names of which one
// process at a time is the holder, for a while. Time is that of the store, so that the
// clocks of the processes do not matter. A holder is any text that no other process uses.
//
// Implementations are safe for concurrent use.
type Leases interface {
	// TakeLease makes holder the holder of the name until ttl from now, unless another
	// one holds it: then it takes note that the name is wanted.
	TakeLease(ctx context.Context, name, holder string, ttl time.Duration) (Lease, error)
	// TendLeases lengthens the holder's leases of these names to ttl from now. It returns
	// those that are his, without those that another one has taken after they had run
	// out; and all names of his that somebody wants.
	TendLeases(ctx context.Context, holder string, names []string, ttl time.Duration) (kept, wanted []string, err error)
	// ReturnLeases gives names back before they run out. What is not the holder's stays
	// as it is.
	ReturnLeases(ctx context.Context, holder string, names []string) error
	// AbandonedLeases lists names whose lease has run out without being given back: their
	// holder has died, or has lost the store.
	AbandonedLeases(ctx context.Context, limit int) ([]string, error)
}

// Lease says how a name stands.
type Lease struct {
	// Held tells that it is the holder's who asked.
	Held bool
	// Generation counts the holders that the name has had. Where it is another one than
	// at the holder's last lease, somebody else has had the name meanwhile.
	Generation int64
}
