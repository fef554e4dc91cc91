package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// proven finds which hashes of a store are proven by its signed checkpoint. So a wrong record
// can be distinguished from a wrong hash. It is not for concurrent use.
type proven struct {
	ctx   context.Context
	store audit.Store
	log   string
	size  uint64
	// edge is the right edge of the tree by the store's hashes. It is nil if these
	// do not give the root that was signed: then nothing is proven.
	edge *audit.Tree
	// known is the last tile of each level that was asked for; its hashes are nil if
	// none are proven.
	known map[int]audit.Tile
}

// readProven reads the hashes of a log that has a checkpoint of this size and root.
func readProven(ctx context.Context, store audit.Store, log string, signed *audit.Checkpoint) (*proven, error) {
	p := &proven{ctx: ctx, store: store, log: log, known: map[int]audit.Tile{}}
	if signed == nil {
		return p, nil
	}
	p.size = signed.Size
	edge, err := audit.ReadTree(ctx, store, log, signed.Size)
	if err != nil && !isUnsound(err) {
		return nil, err
	}
	if err == nil && edge.Root() == signed.Root {
		p.edge = edge
	}
	return p, nil
}

// isUnsound reports whether the error is about the evidence itself, and not about reading it.
func isUnsound(err error) bool {
	return errors.Is(err, audit.ErrNotFound) || errors.Is(err, audit.ErrUnsound) || errors.Is(err, audit.ErrDamaged)
}

// unlessUnsound returns the errors that are not about the evidence itself.
func unlessUnsound(err error) error {
	if isUnsound(err) {
		return nil
	}
	return err
}

// stored returns the hashes of a full tile, nil if there are none of the right length.
func (p *proven) stored(level int, n uint64) ([]byte, error) {
	hashes, err := p.store.Tile(p.ctx, p.log, level, n)
	if err = unlessUnsound(err); err != nil {
		return nil, fmt.Errorf("reading tile %d/%d of log %q: %w", level, n, p.log, err)
	}
	if len(hashes) != audit.TileBytes {
		return nil, nil
	}
	return hashes, nil
}

// root returns the proven hash of a full tile.
func (p *proven) root(level int, n uint64) (hash tlog.Hash, ok bool, err error) {
	if p.edge == nil {
		return hash, false, nil
	}
	above, at := level+1, n/audit.TileWidth
	var hashes []byte
	if p.size>>(above*audit.TileHeight) >= (at+1)*audit.TileWidth {
		if hashes, err = p.tile(above, at); err != nil {
			return hash, false, err
		}
	} else {
		hashes = p.edge.Edge(above)
	}
	from := int(n%audit.TileWidth) * tlog.HashSize
	if len(hashes) < from+tlog.HashSize {
		return hash, false, nil
	}
	return tlog.Hash(hashes[from : from+tlog.HashSize]), true, nil
}

// tile returns the hashes of a full tile if they are proven: as they are stored, or as
// the tiles below give them.
func (p *proven) tile(level int, n uint64) ([]byte, error) {
	if last, ok := p.known[level]; ok && last.N == n {
		return last.Hashes, nil
	}
	hashes, err := p.find(level, n)
	if err != nil {
		return nil, err
	}
	p.known[level] = audit.Tile{Level: level, N: n, Hashes: hashes}
	return hashes, nil
}

func (p *proven) find(level int, n uint64) ([]byte, error) {
	want, ok, err := p.root(level, n)
	if err != nil || !ok {
		return nil, err
	}
	for _, read := range []func(int, uint64) ([]byte, error){p.stored, p.fromBelow} {
		hashes, err := read(level, n)
		if err != nil {
			return nil, err
		}
		if hashes != nil && audit.SubtreeRoot(hashes) == want {
			return hashes, nil
		}
	}
	return nil, nil
}

// fromBelow computes a tile from the stored ones below it, nil if one is missing.
func (p *proven) fromBelow(level int, n uint64) ([]byte, error) {
	if level == 0 {
		return nil, nil
	}
	hashes := make([]byte, 0, audit.TileBytes)
	for below := n * audit.TileWidth; below < (n+1)*audit.TileWidth; below++ {
		one, err := p.stored(level-1, below)
		if err != nil || one == nil {
			return nil, err
		}
		root := audit.SubtreeRoot(one)
		hashes = append(hashes, root[:]...)
	}
	return hashes, nil
}

// leaves returns the leaf hashes of the tile of level 0 as the store keeps them, nil
// where it does not. sure: they are proven. Whether the hashes of a full tile are is left to
// judgeDiffering.
func (p *proven) leaves(n, size uint64) (hashes []byte, sure bool, err error) {
	if size >= (n+1)*audit.TileWidth {
		hashes, err = p.stored(0, n)
		return hashes, false, err
	}
	if p.edge != nil && size == p.size {
		return p.edge.Edge(0), true, nil
	}
	hashes, err = p.store.Leaves(p.ctx, p.log, n*audit.TileWidth, size)
	if err = unlessUnsound(err); err != nil {
		return nil, false, fmt.Errorf("reading the leaf hashes from %d of log %q: %w", n*audit.TileWidth, p.log, err)
	}
	if uint64(len(hashes)) != (size-n*audit.TileWidth)*tlog.HashSize {
		return nil, false, nil
	}
	return hashes, false, nil
}

// sameHash reports whether hash number i is the one given.
func sameHash(hashes []byte, i int, hash tlog.Hash) bool {
	from := i * tlog.HashSize
	return len(hashes) >= from+tlog.HashSize && bytes.Equal(hashes[from:from+tlog.HashSize], hash[:])
}
