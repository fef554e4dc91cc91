package verify

import (
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// row is what was read for the places of one tile of level 0.
type row struct {
	n uint64
	// places are the records by their place in the row. A place that is not filled had
	// no record; one that is unread is in a piece that could not be unpacked.
	places [audit.TileWidth]place
	// extra are records for places that were filled before. Of a store that gives ever
	// more of them the rest is only counted, in more.
	extra []extra
	more  uint64
	// kept are the leaf hashes that the store keeps of this row, nil if it has none. sure: the
	// signed checkpoint proves them. Of a full row only judgeDiffering finds that out: the tree
	// is hashed once if nothing differs.
	kept []byte
	sure bool
	// hashed is the memory of the last result of hashes.
	hashed []byte
}

type place struct {
	item
	filled, unread bool
}

type extra struct {
	at int
	item
}

// maxExtra bounds the records that a row keeps beyond its places.
const maxExtra = audit.TileWidth

func (r *row) put(at int, it *item) {
	switch p := &r.places[at]; {
	case !p.filled:
		*p = place{item: *it, filled: true}
	case len(r.extra) < maxExtra:
		r.extra = append(r.extra, extra{at, *it})
	default:
		r.more++
	}
}

// resolveExtra gives each place that has several records the one that belongs there.
func (r *row) resolveExtra() {
	for i := range r.extra {
		e := &r.extra[i]
		p := &r.places[e.at]
		if !sameHash(r.kept, e.at, p.leaf) && sameHash(r.kept, e.at, e.leaf) {
			p.item, e.item = e.item, p.item
		}
	}
}

// hashes returns the leaf hashes of the first n places; what was not read is taken from
// those that are kept. With them come whether all were read, and whether all are known. They
// are the row's until it gets another place in the log.
func (r *row) hashes(n int) (hashes []byte, read, known bool) {
	hashes = slices.Grow(r.hashed[:0], audit.TileBytes)
	read, known = true, true
	for i := range n {
		leaf := r.places[i].leaf
		if !r.places[i].filled {
			read = false
			if len(r.kept) < (i+1)*tlog.HashSize {
				known = false
			} else {
				leaf = tlog.Hash(r.kept[i*tlog.HashSize : (i+1)*tlog.HashSize])
			}
		}
		hashes = append(hashes, leaf[:]...)
	}
	r.hashed = hashes
	return hashes, read, known
}

// neighbours are the places where records belong, by the leaf hashes of a row and of those
// beside it, and the places where they stand.
type neighbours struct {
	belongs, stands map[tlog.Hash]uint64
	// hashes are belongs the other way round.
	hashes map[uint64]tlog.Hash
}

func neighboursOf(rows ...*row) neighbours {
	near := neighbours{belongs: map[tlog.Hash]uint64{}, stands: map[tlog.Hash]uint64{}, hashes: map[uint64]tlog.Hash{}}
	for _, r := range rows {
		if r == nil {
			continue
		}
		first := r.n * audit.TileWidth
		for i := range len(r.kept) / tlog.HashSize {
			hash := tlog.Hash(r.kept[i*tlog.HashSize : (i+1)*tlog.HashSize])
			near.belongs[hash], near.hashes[first+uint64(i)] = first+uint64(i), hash
		}
		for i := range r.places {
			if r.places[i].filled {
				near.stands[r.places[i].leaf] = first + uint64(i)
			}
		}
	}
	return near
}
