package segment

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/term"
)

// contents are the contents of a segment's records.
type contents struct {
	first uint64
	// presence holds for all of them if it is not Present.
	presence audit.Presence
	// items has one of each record, empty if it is purged: no content is empty.
	items [][]byte
	// end is the index after the last record, where that is known.
	end uint64
}

// of returns the i-th of them.
func (c *contents) of(i int) ([]byte, audit.Presence) {
	switch {
	case c.presence != audit.Present:
		return nil, c.presence
	case len(c.items[i]) == 0:
		return nil, audit.Purged
	}
	return c.items[i], audit.Present
}

// Vault opens contents. It is safe for concurrent use.
type Vault struct {
	master *audit.ContentKey // nil: sealed content stays sealed
	// receivers are set once, before the vault is used.
	receivers term.Keys

	mu sync.Mutex // guards keys
	// keys are data keys by their numbers. A number always means the same key.
	keys map[int64]*audit.DataKey
}

// NewVault returns the vault of a store. Without a key sealed content stays sealed.
func NewVault(master *audit.ContentKey) *Vault {
	return &Vault{master: master, keys: map[int64]*audit.DataKey{}}
}

// Check compares the given key with the ID of the key that the store knows
// (audit.ContentKeySecret), empty if it knows none. It reports whether the ID of the given key
// is to be kept.
func (v *Vault) Check(known, store string) (keep bool, err error) {
	if known != "" && v.master != nil && v.master.ID() != known {
		return false, fmt.Errorf("opening %s: %w: its content is encrypted with the key %s, %s was given: give the one it began with",
			store, audit.ErrContentKey, known, v.master.ID())
	}
	return known == "" && v.master != nil, nil
}

// ID is the ID of the given key.
func (v *Vault) ID() string { return v.master.ID() }

// open returns the contents of a segment, in this memory if it is not nil.
func (v *Vault) open(ctx context.Context, rows Rows, log string, row *Row, into *frame.Buffer) (contents, error) {
	c := contents{first: row.First}
	if row.Purged < PurgedNone || row.Purged > PurgedSome || row.Purged == PurgedAll && (row.Key != nil || len(row.Content) > 0) {
		return c, fmt.Errorf("%w: what is said to be purged is there", frame.ErrDamaged)
	}
	if row.Purged == PurgedAll {
		c.presence = audit.Purged
		return c, nil
	}
	packed := row.Content
	if row.Key != nil {
		if v.master == nil {
			c.presence = audit.Sealed
			return c, nil
		}
		key, err := v.key(ctx, rows, log, *row.Key)
		if err != nil {
			return contents{}, err
		}
		if key == nil {
			c.presence = audit.Purged
			return c, nil
		}
		if packed, err = key.Open(packed, c.first); err != nil {
			return contents{}, err
		}
	}
	items, err := into.Unpack(packed)
	if err != nil {
		return c, err
	}
	if gone := slices.ContainsFunc(items, func(item []byte) bool { return len(item) == 0 }); gone != (row.Purged == PurgedSome) {
		return c, fmt.Errorf("%w: what is purged is not what is said to be", frame.ErrDamaged)
	}
	c.items = items
	return c, nil
}

// key returns the data key with this number, nil for one that was destroyed: what it has sealed
// is purged, also for a reader that has read the row before.
func (v *Vault) key(ctx context.Context, rows Rows, log string, number int64) (*audit.DataKey, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if key, ok := v.keys[number]; ok {
		return key, nil
	}
	period, wrapped, err := rows.DataKey(ctx, number)
	if err != nil {
		return nil, fmt.Errorf("reading a data key: %w", err)
	}
	if wrapped == nil {
		return nil, nil
	}
	key, err := v.master.OpenDataKey(wrapped, log, period)
	if err != nil {
		return nil, err
	}
	v.keys[number] = key
	return key, nil
}
