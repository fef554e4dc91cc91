package segment

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// Leaves returns the leaf hashes that segments have (audit.Store).
func Leaves(ctx context.Context, rows Rows, log string, first, end uint64) (leaves []byte, err error) {
	if first >= end {
		return nil, nil
	}
	missing := fmt.Errorf("leaf hashes %d to %d of log %q: %w", first, end, log, audit.ErrNotFound)
	if end > MaxIndex {
		return nil, missing
	}
	// From the segment that the first record is in, which may start before it.
	row, ok, err := rows.Segment(ctx, first, ColumnLeaves)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, missing
	}
	add := func(row *Row) error {
		wanted := first + uint64(len(leaves))/tlog.HashSize
		skip := (wanted - row.First) * tlog.HashSize
		if row.First > wanted || skip >= uint64(len(row.Leaves)) {
			return errGap // or only in a tile
		}
		leaves = append(leaves, row.Leaves[skip:]...)
		return nil
	}
	if err = add(row); err == nil && first+uint64(len(leaves))/tlog.HashSize < end {
		err = rows.Segments(ctx, row.First+1, end, ColumnLeaves, 0, add)
	}
	switch {
	case errors.Is(err, errGap), err == nil && uint64(len(leaves)) < (end-first)*tlog.HashSize:
		return nil, missing
	case err != nil:
		return nil, err
	}
	return leaves[:(end-first)*tlog.HashSize], nil
}

// errGap ends a look at segments that lack some of the wanted leaf hashes.
var errGap = errors.New("a gap")
