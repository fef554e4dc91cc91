package segment

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/term"
)

// prepared is what Prepare makes of a record.
type prepared struct {
	keys   keys
	bytes  []byte // keys, encoded
	period audit.Period
	form   audit.Form
	leaf   tlog.Hash
}

// Prepare is what a store's audit.Preparer does: it makes the record's keys.
func (v *Vault) Prepare(form audit.Form, r *audit.Record) any {
	by, key := withPoints, v.receivers.Of(v.master != nil)
	if key != nil {
		by = withReceivers
	}
	k, encoded := keysOf(r, by, key)
	return &prepared{keys: k, bytes: encoded, period: audit.PeriodOf(r.Time), form: form}
}

// State is a writer's memory of its log. It belongs to the holder of the store's
// right to write. After a commit that failed it is made anew.
type State struct {
	log   string
	vault *Vault
	size  uint64
	tail  *tail
	// seals has the data key of each period that was written, nothing where content is
	// not sealed.
	seals  map[audit.Period]seal
	packed []byte // the buffer of compressed data
}

// NewState reads what there is of a log.
func NewState(ctx context.Context, rows Rows, vault *Vault, log string, view View) (*State, error) {
	s := &State{log: log, vault: vault, size: view.Size, tail: &tail{first: view.Indexed, shape: rows.Shape()}, seals: map[audit.Period]seal{}}
	var err error
	if s.tail.records, err = keysBetween(ctx, rows, view.Indexed, view.Size); err != nil {
		return nil, err
	}
	for i := range s.tail.records {
		s.tail.terms += len(s.tail.records[i].terms) / term.Bytes
	}
	return s, nil
}

// Plan is what a commit writes beside tiles and checkpoint, all of it or nothing.
type Plan struct {
	Segments []Row
	// Block is the one that the batch fills, nil if it fills none.
	Block *Block
	size  uint64
	tail  *tail
}

// Bytes is how much data the plan has, without tiles and checkpoint.
func (p *Plan) Bytes() (n int) {
	for i := range p.Segments {
		row := &p.Segments[i]
		n += len(row.Keys) + len(row.Leaves) + len(row.Summaries) + len(row.Content)
	}
	if p.Block != nil {
		for _, list := range p.Block.Lists {
			n += len(list)
		}
	}
	return n
}

// Keys are the numbers of the data keys that the plan's content is sealed with, each once.
func (p *Plan) Keys() []int64 {
	numbers := map[int64]bool{}
	for i := range p.Segments {
		if key := p.Segments[i].Key; key != nil {
			numbers[*key] = true
		}
	}
	all := make([]int64, 0, len(numbers))
	for number := range maps.Keys(numbers) {
		all = append(all, number)
	}
	return all
}

// Plan makes the rows of a batch, which must start where the log ends (audit.ErrConflict).
// New data keys are kept in the keyring.
func (s *State) Plan(ctx context.Context, rows Rows, keyring Keyring, batch *audit.Batch) (*Plan, error) {
	if batch.First != s.size || batch.First+uint64(len(batch.Entries)) > MaxIndex {
		return nil, fmt.Errorf("%w: log %q of %s has %d records, the batch starts at %d",
			audit.ErrConflict, batch.Log, rows.Name(), s.size, batch.First)
	}
	all := make([]*prepared, len(batch.Entries))
	for i, entry := range batch.Entries {
		p, ok := entry.Prepared.(*prepared)
		if !ok {
			p = s.vault.Prepare(entry.Form, entry.Record).(*prepared)
		}
		p.leaf = entry.Leaf
		all[i] = p
	}
	if err := s.provideKeys(ctx, keyring, all); err != nil {
		return nil, err
	}
	plan := &Plan{
		size: s.size + uint64(len(all)),
		tail: &tail{first: s.tail.first, records: s.tail.records, terms: s.tail.terms, open: s.tail.open, shape: s.tail.shape},
	}
	for _, p := range all {
		plan.tail.add(p.keys)
	}
	if err := s.pack(plan, all, len(batch.Tiles) > 0); err != nil {
		return nil, err
	}
	if !plan.tail.full() {
		return plan, nil
	}
	var err error
	load := NewLoader(rows, s.vault, s.log)
	if plan.Block, err = plan.tail.invert(func(index uint64) (*keys, error) { return load.keys(ctx, index) }); err != nil {
		return nil, err
	}
	plan.tail = plan.tail.after()
	return plan, nil
}

// Done takes over a plan that was committed.
func (s *State) Done(plan *Plan) { s.size, s.tail = plan.size, plan.tail }

// pack makes the segments. It leaves the leaf hashes out where tiles of the same batch
// have all of them.
func (s *State) pack(plan *Plan, all []*prepared, tiles bool) error {
	index, inTiles := s.size, uint64(0)
	if tiles {
		inTiles = plan.size / audit.TileWidth * audit.TileWidth
	}
	segments := split(all, s.vault.master != nil)
	plan.Segments = make([]Row, len(segments))
	for i, records := range segments {
		end := index + uint64(len(records))
		if err := s.row(&plan.Segments[i], index, records, end > inTiles); err != nil {
			return err
		}
		index = end
	}
	return nil
}

// split cuts a batch into segments, even if a period begins if content is sealed.
func split(all []*prepared, byPeriod bool) [][]*prepared {
	if len(all) == 0 {
		return nil
	}
	var segments [][]*prepared
	start, size := 0, 0
	for i, p := range all {
		if i > start && (i-start == segmentRecords || size+p.form.Len() > segmentBytes || byPeriod && p.period != all[start].period) {
			segments, start, size = append(segments, all[start:i]), i, 0
		}
		size += p.form.Len()
	}
	return append(segments, all[start:])
}

// row makes the row of a segment.
func (s *State) row(row *Row, first uint64, records []*prepared, withLeaves bool) (err error) {
	row.First, row.Leaves = first, []byte{}
	if withLeaves {
		row.Leaves = make([]byte, 0, len(records)*tlog.HashSize)
		for _, p := range records {
			row.Leaves = append(row.Leaves, p.leaf[:]...)
		}
	}
	list := make([][]byte, len(records))
	pack := func(of func(*prepared) []byte) []byte {
		for i, p := range records {
			list[i] = of(p)
		}
		s.packed = frame.PackList(s.packed[:0], list)
		return s.packed
	}
	row.Keys = bytes.Clone(pack(func(p *prepared) []byte { return p.bytes }))
	row.Summaries = frame.Compress(pack(func(p *prepared) []byte { return p.form.Summary }))
	if row.Purged = purgedOf(records); row.Purged == PurgedAll {
		row.Content = []byte{}
		return nil
	}
	content := frame.Compress(pack(func(p *prepared) []byte { return p.form.Content }))
	row.Key, row.Content, err = s.seal(records[0].period, first, content)
	return err
}

// purgedOf returns how much of the content of records is gone: none, but where a log is taken
// over from another store.
func purgedOf(records []*prepared) int {
	gone := 0
	for _, p := range records {
		if p.form.Presence == audit.Purged {
			gone++
		}
	}
	switch gone {
	case 0:
		return PurgedNone
	case len(records):
		return PurgedAll
	}
	return PurgedSome
}
