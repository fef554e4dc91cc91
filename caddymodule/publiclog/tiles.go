package publiclog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// errNoTile: the log has not that many records yet.
var errNoTile = errors.New("the log has not grown that far")

// tileAt is a tile that is asked for: the first width hashes of it, all if width is audit.TileWidth.
type tileAt struct {
	level int
	n     uint64
	width uint64
}

// parseTile reads the path of a tile below the log's own. Each tile has one spelling.
func parseTile(path string) (at tileAt, ok bool) {
	rest, ok := strings.CutPrefix(path, "tile/")
	if !ok {
		return tileAt{}, false
	}
	// x/mod has the height of tiles in the path, which C2SP leaves out, and "data" as a level.
	t, err := tlog.ParseTilePath(fmt.Sprintf("tile/%d/%s", audit.TileHeight, rest))
	if err != nil || t.L < 0 || t.L >= 64 || t.N < 0 {
		return tileAt{}, false
	}
	return tileAt{level: t.L, n: uint64(t.N), width: uint64(t.W)}, true
}

// edgeAt is the last tile of a level in a log, while it is not full.
type edgeAt struct {
	store audit.Store
	log   string
	level int
	n     uint64
}

// tile reads the hashes of a tile, at most one of the store's unless it is at the right edge of the tree. The
// hashes of whole subtrees never change, so each width that the log has reached is right for good.
func (l *Log) tile(ctx context.Context, s source, at tileAt) ([]byte, error) {
	there := s.size >> (at.level * audit.TileHeight) // hashes of this level
	if at.n > there/audit.TileWidth || at.n*audit.TileWidth+at.width > there {
		return nil, errNoTile
	}
	first := at.n * audit.TileWidth
	switch {
	case there >= first+audit.TileWidth:
		hashes, err := s.whole(ctx, at.level, at.n)
		if err != nil {
			return nil, err
		}
		return hashes[:at.width*tlog.HashSize], nil
	case at.level > 0:
		return l.edge(ctx, s, at)
	}
	hashes, err := s.store.Leaves(ctx, s.log, first, first+at.width)
	if errors.Is(err, audit.ErrNotFound) { // the tile was completed since
		whole, errWhole := s.whole(ctx, 0, at.n)
		if errWhole != nil {
			return nil, errors.Join(err, errWhole)
		}
		hashes, err = whole[:at.width*tlog.HashSize], nil
	}
	if err == nil && uint64(len(hashes)) != at.width*tlog.HashSize {
		err = fmt.Errorf("leaf hashes from %d on: %d bytes: %w", first, len(hashes), audit.ErrUnsound)
	}
	return hashes, err
}

// whole reads a full tile.
func (s source) whole(ctx context.Context, level int, n uint64) ([]byte, error) {
	hashes, err := s.store.Tile(ctx, s.log, level, n)
	if err == nil && len(hashes) != audit.TileBytes {
		err = fmt.Errorf("tile %d/%d has %d bytes: %w", level, n, len(hashes), audit.ErrUnsound)
	}
	return hashes, err
}

// edge returns hashes of the last tile of a level above the leaves. A store has them as roots of the tiles below:
// each of these is read once, and one tile of each level and log is kept.
func (l *Log) edge(ctx context.Context, s source, at tileAt) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := edgeAt{s.store, s.log, at.level, at.n}
	known, ok := l.edges[key]
	if !ok {
		for other := range l.edges {
			if other.log == s.log && other.level == at.level { // a log has one last tile
				delete(l.edges, other)
			}
		}
		known = make([]byte, 0, audit.TileBytes)
	}
	for have := uint64(len(known)) / tlog.HashSize; have < at.width; have++ {
		below, err := s.whole(ctx, at.level-1, at.n*audit.TileWidth+have)
		if err != nil {
			return nil, err
		}
		root := audit.SubtreeRoot(below)
		known = append(known, root[:]...)
		l.edges[key] = known
	}
	return known[: at.width*tlog.HashSize : at.width*tlog.HashSize], nil
}
