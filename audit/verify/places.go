package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// take puts the records of a piece into their places.
func (v *verification) take(ctx context.Context, p *parsed) error {
	if p.first >= max(v.head, v.end) {
		return nil // it came after the head was read
	}
	if err := v.endDamage(p.first); err != nil {
		return err
	}
	switch {
	case p.damage != "":
		v.damaged, v.damage = p.first, p.damage
		return nil
	case len(p.items) == 0:
		v.flaw(audit.Flaw{Kind: audit.FlawIndex, Detail: fmt.Sprintf("the store has a piece without records at %d", p.first)})
		return nil
	}
	if p.index != nil {
		v.flaw(checkFlaw(p))
	}
	v.bookFresh = false
	v.report.Records += uint64(len(p.items))
	for i := range p.items {
		it, index := &p.items[i], p.first+uint64(i)
		switch it.presence {
		case audit.Purged:
			v.report.Purged++
			if err := v.checkPurged(ctx, index, it); err != nil {
				return err
			}
		case audit.Sealed:
			v.report.Sealed++
		}
		v.links.add(ctx, index, it, &v.report.Remarks)
		if err := v.place(index, it); err != nil {
			return err
		}
	}
	return nil
}

func checkFlaw(p *parsed) audit.Flaw {
	f := audit.Flaw{Kind: audit.FlawIndex, First: p.first, Next: p.first + uint64(len(p.items)), Detail: p.index.Error()}
	if one := new(audit.RecordError); errors.As(p.index, &one) {
		f.First, f.Next = one.Index, one.Index+1
	}
	return f
}

// endDamage reports the records of a piece that could not be unpacked: those up to the next one
// that was read.
func (v *verification) endDamage(next uint64) error {
	if v.damage == "" {
		return nil
	}
	v.flaw(audit.Flaw{Kind: audit.FlawDamaged, First: v.damaged, Next: max(next, v.damaged+1), Detail: v.damage})
	v.damage = ""
	if next = min(next, v.end); v.report.Checkpoint == nil {
		next = min(next, v.damaged+maxGap)
	}
	for index := max(v.damaged, v.next); index < next; index++ {
		if err := v.place(index, nil); err != nil {
			return err
		}
	}
	return nil
}

// maxGap bounds a gap where no signature states the number of records: a damaged number must
// not make a verification run for years.
const maxGap = 1 << 20

// place puts a record into its row, nil for one that could not be read, and judges the
// rows before.
func (v *verification) place(index uint64, it *item) error {
	switch {
	case v.lost:
		return nil
	case index >= v.end:
		v.next = index + 1
		return nil
	case v.report.Checkpoint == nil && index > v.next+maxGap:
		v.flaw(audit.Flaw{Kind: audit.FlawRemoved, First: v.next, Next: index})
		v.lost = true
		return nil
	}
	n := index / audit.TileWidth
	for v.rows[2] == nil || n > v.rows[2].n {
		if err := v.advance(audit.TileWidth); err != nil {
			return err
		}
	}
	at := int(index % audit.TileWidth)
	switch {
	case it == nil && n >= v.rows[1].n:
		v.row(n).places[at].unread = true
	case it != nil && n < v.rows[1].n:
		v.flaw(audit.Flaw{Kind: audit.FlawInserted, First: index, Next: index + 1, Detail: "a second record stands in this place"})
	case it != nil:
		v.row(n).put(at, it)
	}
	v.next = max(v.next, index+1)
	return nil
}

func (v *verification) row(n uint64) *row { return v.rows[1+n-v.rows[1].n] }

// advance judges the next row, in which the first places belong to the log, and begins another.
func (v *verification) advance(places int) error {
	var n uint64
	if v.rows[1] != nil {
		if err := v.judge(v.rows[1], places); err != nil {
			return err
		}
	}
	if v.rows[2] != nil {
		n = v.rows[2].n + 1
	}
	next := v.newRow(n)
	if n*audit.TileWidth < v.end {
		var err error
		if next.kept, next.sure, err = v.proven.leaves(n, v.end); err != nil {
			return err
		}
	}
	// The first call fills rows[2] alone; rows[1] follows with the second.
	v.rows = [3]*row{v.rows[1], v.rows[2], next}
	if v.rows[1] == nil {
		return v.advance(0)
	}
	if v.options.Progress != nil {
		v.options.Progress(v.report.Records, v.end)
	}
	return nil
}

// newRow returns an empty row, in the memory of the one that was judged last.
func (v *verification) newRow(n uint64) *row {
	next := v.rows[0]
	if next == nil {
		next = new(row)
	}
	*next = row{n: n, hashed: next.hashed[:0]}
	return next
}

// judge compares a row with the hashes that are kept of it, and adds it to the tree. The first
// places belong to the log.
func (v *verification) judge(w *row, places int) error {
	w.resolveExtra()
	hashes, read, known := w.hashes(places)
	if !read || len(w.extra) > 0 || w.more > 0 || !bytes.Equal(hashes, w.kept[:min(len(hashes), len(w.kept))]) || len(w.kept) < len(hashes) {
		if err := v.judgeDiffering(w, hashes, read); err != nil {
			return err
		}
	} else {
		v.shift = 0
	}
	v.judgeItems(w, places)
	if !known {
		v.tree.lost = true
	}
	return v.grow(hashes, read)
}

// judgeItems reports the flaws of records that stand where they belong.
func (v *verification) judgeItems(w *row, places int) {
	for i := range places {
		p := &w.places[i]
		right := p.filled && (w.kept == nil || sameHash(w.kept, i, p.leaf))
		index := w.n*audit.TileWidth + uint64(i)
		if right && p.err != nil {
			kind := audit.FlawChanged
			if errors.Is(p.err, audit.ErrNewer) {
				kind = audit.FlawDamaged // it is what was signed
			}
			v.flaw(audit.Flaw{Kind: kind, First: index, Next: index + 1, Detail: p.err.Error()})
		}
		if right && p.beside {
			v.flaw(audit.Flaw{
				Kind: audit.FlawHashes, First: index, Next: index + 1,
				Detail: fmt.Sprintf("the leaf hash that is kept beside record %d is another one", index),
			})
		}
	}
}

// judgeDiffering finds the flaws of a row that differs from its kept hashes.
func (v *verification) judgeDiffering(w *row, hashes []byte, read bool) error {
	want, ok, err := v.proven.root(0, w.n)
	if err != nil {
		return err
	}
	w.sure = w.sure || ok && len(w.kept) == audit.TileBytes && audit.SubtreeRoot(w.kept) == want
	full := len(hashes) == audit.TileBytes
	differs := w.kept != nil && !bytes.Equal(hashes, w.kept[:min(len(hashes), len(w.kept))])
	right := full && read && ok && audit.SubtreeRoot(hashes) == want
	if full && w.kept == nil || right && differs {
		v.flaw(hashesFlaw(w, hashes))
	}
	switch {
	case right:
		w.kept, w.sure, differs = hashes, true, false
	case differs || !read:
		v.tree.markReported(0, w.n)
	}
	flaws, shift := w.compare(neighboursOf(v.rows[0], w, v.rows[2]), len(hashes)/tlog.HashSize, v.shift)
	v.shift = shift
	for _, f := range flaws {
		if !w.sure && read && len(w.extra) == 0 {
			v.ifRecords.add(f, v.options.Listed, audit.CompareFlaws)
			continue
		}
		v.flaw(f)
	}
	if differs && !w.sure {
		v.ifHashes.add(hashesFlaw(w, hashes), v.options.Listed, audit.CompareFlaws)
	}
	v.report.Flaws.Count += w.more
	return nil
}

// hashesFlaw is the flaw of a row whose kept leaf hashes do not match its records.
func hashesFlaw(w *row, hashes []byte) audit.Flaw {
	f := audit.Flaw{Kind: audit.FlawHashes, First: w.n * audit.TileWidth, Next: w.n*audit.TileWidth + uint64(len(hashes)/tlog.HashSize)}
	if w.kept == nil {
		f.Detail = fmt.Sprintf("tile 0/%d of the tree is missing, or is none", w.n)
		return f
	}
	for i := range len(hashes) / tlog.HashSize {
		if !sameHash(w.kept, i, tlog.Hash(hashes[i*tlog.HashSize:(i+1)*tlog.HashSize])) {
			f.First += uint64(i)
			f.Next = f.First + 1
			break
		}
	}
	f.Detail = fmt.Sprintf("tile 0/%d of the tree has another leaf hash of record %d", w.n, f.First)
	if len(hashes) < audit.TileBytes {
		f.Detail = fmt.Sprintf("the leaf hash that is kept beside record %d is another one", f.First)
	}
	return f
}
