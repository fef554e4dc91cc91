package audit

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// cachedTiles bounds the memory of a reader of hashes, to 4 MiB.
const cachedTiles = 512

// HashReader returns a reader of the hashes of a log as it was with size records,
// for the proofs of package tlog: full tiles come from the store's tiles, the rest is
// computed from those and from the newest leaf hashes. It verifies nothing: compare
// the result with a checkpoint. It is not for concurrent use.
func HashReader(ctx context.Context, store Store, log string, size uint64) tlog.HashReader {
	return newTiles(ctx, store, log, size)
}

// ReadTree returns the tree of a log as it was with size records.
func ReadTree(ctx context.Context, store Store, log string, size uint64) (*Tree, error) {
	tiles := newTiles(ctx, store, log, size)
	t := &Tree{size: size}
	for level := 0; size>>(level*TileHeight) > 0; level++ {
		edge, err := tiles.hashes(level, size>>((level+1)*TileHeight))
		if err != nil {
			return nil, err
		}
		// There is room for a whole tile: the edge grows in place.
		t.edges = append(t.edges, append(make([]byte, 0, TileBytes), edge...))
	}
	for _, rest := range slices.Backward(t.edges) {
		for width := TileBytes / 2; width >= tlog.HashSize; width /= 2 {
			if len(rest) >= width {
				t.roots, rest = append(t.roots, SubtreeRoot(rest[:width])), rest[width:]
			}
		}
	}
	return t, nil
}

// tiles reads the hashes of a log tile by tile, full ones and the last of each level.
type tiles struct {
	ctx   context.Context
	store Store
	log   string
	size  uint64
	known map[tileAt][]byte
}

type tileAt struct {
	level int
	n     uint64
}

func newTiles(ctx context.Context, store Store, log string, size uint64) *tiles {
	return &tiles{ctx: ctx, store: store, log: log, size: size, known: map[tileAt][]byte{}}
}

// ReadHashes implements tlog.HashReader.
func (t *tiles) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		level, n := tlog.SplitStoredHashIndex(index)
		within := level % TileHeight
		first := uint64(n) << within
		hashes, err := t.hashes(level/TileHeight, first/TileWidth)
		if err != nil {
			return nil, err
		}
		from := int(first%TileWidth) * tlog.HashSize
		to := from + tlog.HashSize<<within
		if to > len(hashes) {
			return nil, fmt.Errorf("hash %d of log %q with %d records: %w", index, t.log, t.size, ErrNotFound)
		}
		found[i] = SubtreeRoot(hashes[from:to])
	}
	return found, nil
}

// hashes returns the tile's hashes in a log of this size.
func (t *tiles) hashes(level int, n uint64) ([]byte, error) {
	at := tileAt{level, n}
	if hashes, ok := t.known[at]; ok {
		return hashes, nil
	}
	hashes, err := t.read(at)
	if err != nil {
		return nil, err
	}
	if len(t.known) >= cachedTiles {
		clear(t.known)
	}
	t.known[at] = hashes
	return hashes, nil
}

func (t *tiles) read(at tileAt) ([]byte, error) {
	first, end := at.n*TileWidth, t.size>>(at.level*TileHeight)
	switch {
	case end >= first+TileWidth:
		hashes, err := t.store.Tile(t.ctx, t.log, at.level, at.n)
		if err != nil {
			return nil, fmt.Errorf("reading tile %d/%d of log %q: %w", at.level, at.n, t.log, err)
		}
		if len(hashes) != TileBytes {
			return nil, fmt.Errorf("tile %d/%d of log %q has %d bytes: %w", at.level, at.n, t.log, len(hashes), ErrUnsound)
		}
		return hashes, nil
	case end <= first:
		return nil, nil
	case at.level == 0:
		return t.leaves(first, end)
	}
	hashes := make([]byte, 0, TileBytes)
	for below := first; below < end; below++ {
		whole, err := t.hashes(at.level-1, below)
		if err != nil {
			return nil, err
		}
		root := SubtreeRoot(whole)
		hashes = append(hashes, root[:]...)
	}
	return hashes, nil
}

func (t *tiles) leaves(first, end uint64) ([]byte, error) {
	leaves, err := t.store.Leaves(t.ctx, t.log, first, end)
	if err != nil {
		return nil, fmt.Errorf("reading the leaf hashes %d to %d of log %q: %w", first, end, t.log, err)
	}
	if uint64(len(leaves)) != (end-first)*tlog.HashSize {
		return nil, fmt.Errorf("leaf hashes %d to %d of log %q: %d bytes are there: %w", first, end, t.log, len(leaves), ErrUnsound)
	}
	return leaves, nil
}
