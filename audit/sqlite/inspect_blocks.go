package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// packedBlock is a block with its lists of intents as they stand in the row.
type packedBlock struct {
	block
	packedOpen, packedLate []byte
}

// maxBlock bounds what is read for one block: far more than a batch and a full tail.
const maxBlock = 1 << 20

// blocks goes through the blocks in order, each of which follows the one before, and
// then looks that the tail after them is not as long as a block.
func (i *inspector) blocks(ctx context.Context) error {
	next := uint64(0) // the first record that is in no block so far
	for at := int64(0); ; {
		b, ok, err := i.block(ctx, at)
		if err != nil {
			return explain(i.store.path, "inspecting", err)
		}
		if !ok || b.first >= i.view.indexed {
			break // the end, or one that was made since
		}
		if b.first > next {
			i.flawAt(next, b.first, "no block has them")
		}
		if b.first < next || b.next <= b.first || b.next > i.view.size || b.next-b.first > maxBlock {
			i.flaw("blocks: the one at %d, up to %d, does not fit the log of %d records", b.first, b.next, i.view.size)
		} else if err := i.compare(ctx, b); err != nil {
			return err
		}
		if b.next > b.first && b.next <= i.view.size {
			next = max(next, b.next)
		}
		at = int64(b.first) + 1
	}
	return i.tail(ctx, next)
}

// flawAt is about records that a search may miss.
func (i *inspector) flawAt(first, next uint64, detail string) {
	i.found(audit.Flaw{Kind: audit.FlawIndex, First: first, Next: next, Detail: fmt.Sprintf("blocks: %s", detail)})
}

// block returns the first block that begins at the index or after it, without its lists.
func (i *inspector) block(ctx context.Context, at int64) (b *packedBlock, ok bool, err error) {
	var first, next int64
	b = &packedBlock{}
	err = i.store.readers.QueryRowContext(ctx,
		"SELECT first, next, oldest, newest, open, late FROM blocks WHERE log = ? AND first >= ? ORDER BY first LIMIT 1",
		i.view.log, at).Scan(&first, &next, &b.oldest, &b.newest, &b.packedOpen, &b.packedLate)
	b.first, b.next = uint64(first), uint64(next)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// compare makes the block again from the keys of its records.
func (i *inspector) compare(ctx context.Context, b *packedBlock) error {
	load := &loader{store: i.store, log: i.view.log, name: i.name, from: i.store.readers}
	t := tail{first: b.first}
	var err error
	var want *block
	if t.records, err = load.keysBetween(ctx, b.first, b.next); err == nil {
		want, err = t.invert(func(index uint64) (*keys, error) { return load.keys(ctx, index) })
	}
	if errors.Is(err, audit.ErrDamaged) {
		i.flawAt(b.first, b.next, "cannot be compared with the records: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if b.oldest != want.oldest || b.newest != want.newest {
		i.flawAt(b.first, b.next, "their times are not those of the records")
	}
	if !bytes.Equal(b.packedOpen, packIndexes(want.open)) || !bytes.Equal(b.packedLate, packIndexes(want.late)) {
		i.flawAt(b.first, b.next, "their open intents are not those of the records")
	}
	if err := i.lists(ctx, b); err != nil {
		return explain(i.store.path, "inspecting", err)
	}
	for bucket := range want.lists {
		if !bytes.Equal(b.lists[bucket], want.lists[bucket]) {
			i.flawAt(b.first, b.next, fmt.Sprintf("postings: those of bucket %d are not those of the records", bucket))
		}
	}
	return nil
}

// lists reads the postings of the block.
func (i *inspector) lists(ctx context.Context, b *packedBlock) error {
	find, err := i.store.readers.PrepareContext(ctx, "SELECT terms FROM postings WHERE log = ? AND bucket = ? AND first = ?")
	if err != nil {
		return err
	}
	defer func() { _ = find.Close() }()
	for bucket := range b.lists {
		err := find.QueryRowContext(ctx, i.view.log, bucket, int64(b.first)).Scan(&b.lists[bucket])
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	return nil
}

// tail looks at the records after the last block: a commit that makes them as many as
// fill one makes the block.
func (i *inspector) tail(ctx context.Context, first uint64) error {
	t := tail{first: first}
	full := i.view.size-first >= blockRecords
	if !full {
		load := &loader{store: i.store, log: i.view.log, name: i.name, from: i.store.readers}
		records, err := load.keysBetween(ctx, first, i.view.size)
		if errors.Is(err, audit.ErrDamaged) {
			return nil // said of the segment, or of the record that is not there
		}
		if err != nil {
			return err
		}
		for _, k := range records {
			t.add(k)
		}
		full = t.full()
	}
	if full {
		i.flawAt(first, i.view.size, "no block has them, although they fill one")
	}
	return nil
}
