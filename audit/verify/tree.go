package verify

import (
	"bytes"
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// recomputed is the tree over the records as they were read. Where one was not read it
// is over the hash that the store keeps of it.
type recomputed struct {
	audit.Tree
	// gaps: a record was not read. lost: not even its hash is known, and the tree ends there.
	gaps, lost bool
	// reported are, for each level, the tiles below the one that is being filled about
	// which something was reported already, or about a tile below them.
	reported []map[uint64]bool
	// kept are checkpoints that the log must be an extension of.
	kept []*keptCheckpoint
}

// keptCheckpoint is a checkpoint that the log must be an extension of.
type keptCheckpoint struct {
	audit.Checkpoint
	// name is what a flaw calls it.
	name string
	// root is the one that the records give at its size, nil if the tree does not get there.
	root *tlog.Hash
}

func (t *recomputed) markReported(level int, n uint64) { t.reportedAt(level)[n] = true }

func (t *recomputed) reportedAt(level int) map[uint64]bool {
	for len(t.reported) <= level {
		t.reported = append(t.reported, map[uint64]bool{})
	}
	return t.reported[level]
}

// grow adds the leaf hashes of a row to the tree, and compares the tiles of the higher
// levels that they complete.
func (v *verification) grow(hashes []byte, read bool) error {
	t := &v.tree
	if t.lost {
		return nil
	}
	t.gaps = t.gaps || !read
	var tiles []audit.Tile
	for at := 0; at < len(hashes); at += tlog.HashSize {
		t.noteKeptRoots()
		tiles = t.Add(tlog.Hash(hashes[at:at+tlog.HashSize]), tiles)
	}
	for _, tile := range tiles {
		if tile.Level == 0 {
			continue
		}
		if err := v.compareTile(tile); err != nil {
			return err
		}
		clear(t.reportedAt(tile.Level - 1))
	}
	return nil
}

// noteKeptRoots remembers the roots at the sizes of the kept checkpoints.
func (t *recomputed) noteKeptRoots() {
	for _, kept := range t.kept {
		if kept.root == nil && kept.Size == t.Size() {
			root := t.Root()
			kept.root = &root
		}
	}
}

// compareTile compares a tile above the lowest level with the stored one.
func (v *verification) compareTile(tile audit.Tile) error {
	stored, err := v.proven.stored(tile.Level, tile.N)
	if err != nil || bytes.Equal(stored, tile.Hashes) {
		return err
	}
	want, ok, err := v.proven.root(tile.Level, tile.N)
	if err != nil {
		return err
	}
	wrong := audit.Flaw{Kind: audit.FlawHashes, Detail: fmt.Sprintf("tile %d/%d of the tree has other hashes than the records give", tile.Level, tile.N)}
	if stored == nil {
		wrong.Detail = fmt.Sprintf("tile %d/%d of the tree is missing, or is none", tile.Level, tile.N)
	}
	switch {
	case stored == nil || ok && audit.SubtreeRoot(tile.Hashes) == want:
		v.flaw(wrong)
	case ok && audit.SubtreeRoot(stored) == want:
		v.changedBelow(tile, stored, v.tree.reportedAt(tile.Level-1))
	default:
		v.ifHashes.add(wrong, v.options.Listed, audit.CompareFlaws)
	}
	v.tree.markReported(tile.Level, tile.N)
	return nil
}

// changedBelow names the records below those hashes of a tile that differ from the
// proven ones, unless something was reported about them.
func (v *verification) changedBelow(tile audit.Tile, proven []byte, said map[uint64]bool) {
	for i := range audit.TileWidth {
		child := tile.N*audit.TileWidth + uint64(i)
		if said[child] || sameHash(proven, i, tlog.Hash(tile.Hashes[i*tlog.HashSize:(i+1)*tlog.HashSize])) {
			continue
		}
		width := tile.Level * audit.TileHeight
		v.flaw(audit.Flaw{
			Kind: audit.FlawChanged, First: child << width, Next: (child + 1) << width,
			Detail: "one of them or more, together with the hashes that the store keeps of them",
		})
	}
}

// finish checks the end of the log, its root, and the kept checkpoint.
func (v *verification) finish(ctx context.Context) error {
	if err := v.endDamage(v.end); err != nil {
		return err
	}
	for v.rows[1] != nil && v.rows[1].n*audit.TileWidth < min(v.next, v.end) {
		places := min(v.next, v.end) - v.rows[1].n*audit.TileWidth
		if err := v.advance(int(min(places, audit.TileWidth))); err != nil {
			return err
		}
	}
	v.tree.noteKeptRoots()
	v.compareSizes()
	v.compareRoot()
	v.report.Open = v.links.listOpen()
	return v.compareKept(ctx)
}

// compareSizes looks for records that were cut off, or added, at the end.
func (v *verification) compareSizes() {
	// What was inserted or removed earlier moves the end, too.
	shifted := int64(v.next)-int64(v.end) == v.shift && v.shift != 0
	switch {
	case shifted || v.lost:
	case v.next < v.end && v.unfinished:
		v.flaw(audit.Flaw{
			Kind: audit.FlawUnfinished, First: v.next, Next: v.end,
			Detail: fmt.Sprintf("this copy of the log has %d of its %d records", v.next, v.end),
		})
	case v.next < v.end && v.report.Checkpoint != nil:
		v.flaw(audit.Flaw{
			Kind: audit.FlawCutOff, First: v.next, Next: v.end,
			Detail: fmt.Sprintf("the log has %d records, its checkpoint is over %d", v.next, v.end),
		})
	case v.next < v.end:
		v.flaw(audit.Flaw{
			Kind: audit.FlawCutOff, First: v.next, Next: v.end,
			Detail: fmt.Sprintf("the log has %d records, the store says %d", v.next, v.end),
		})
	case v.head > v.end && v.next > v.end:
		v.flaw(audit.Flaw{
			Kind: audit.FlawInserted, First: v.end, Next: min(v.next, v.head),
			Detail: fmt.Sprintf("the checkpoint is over %d records only", v.end),
		})
	case v.head != v.end:
		v.flaw(audit.Flaw{
			Kind:   audit.FlawIndex,
			Detail: fmt.Sprintf("the store says that the log has %d records, but it has %d", v.head, v.end),
		})
	}
}

// compareRoot decides whether the records are right or the hashes, where only one of
// the two can be.
func (v *verification) compareRoot() {
	signed := v.report.Checkpoint
	all := !v.tree.lost && v.tree.Size() == v.end
	right := signed != nil && all && v.tree.Root() == signed.Root
	if right {
		v.report.Flaws.merge(v.ifHashes, v.options.Listed, audit.CompareFlaws)
	} else {
		v.report.Flaws.merge(v.ifRecords, v.options.Listed, audit.CompareFlaws)
	}
	switch {
	case signed == nil || !all:
	case !right && v.report.Flaws.Count == 0 && v.ifHashes.Count == 0:
		v.flaw(audit.Flaw{
			Kind:   audit.FlawCheckpoint,
			Detail: "the records and their hashes fit each other, but not the signed root: records were changed together with their hashes, and only an older checkpoint that was kept can tell up to where they are right",
		})
	case !right && v.report.Flaws.Count == 0:
		v.report.Flaws.merge(v.ifHashes, v.options.Listed, audit.CompareFlaws)
	case right && v.proven.edge == nil && v.report.Flaws.Count == 0:
		v.flaw(audit.Flaw{Kind: audit.FlawHashes, Detail: "the hashes of the tree that the store keeps do not give the signed root, the records do"})
	}
}
