package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/run"
)

// Inspection compares blocks and postings with the keys of the segments, which the Check of
// a piece compares with the records, and runs with their parts. It holds one block at a time in
// memory.
type Inspection struct {
	Rows  Rows
	Vault *Vault
	Log   string
	// View is the state to inspect: later commits are left alone.
	View  View
	Found func(audit.Flaw)
}

// Flaw reports something that is about no record.
func (i *Inspection) Flaw(format string, args ...any) {
	i.Found(audit.Flaw{Kind: audit.FlawIndex, Detail: fmt.Sprintf(format, args...)})
}

// flawAt is about records that a search may miss.
func (i *Inspection) flawAt(first, next uint64, detail string) {
	i.Found(audit.Flaw{Kind: audit.FlawIndex, First: first, Next: next, Detail: fmt.Sprintf("blocks: %s", detail)})
}

// maxBlock bounds the records that are read for one block: far more than a batch and a full tail.
const maxBlock = 1 << 20

// Blocks checks that the blocks follow each other without a gap, that the tail after them
// is shorter than a block, and that the runs are merged from the blocks.
func (i *Inspection) Blocks(ctx context.Context) error {
	next := uint64(0) // the first record that is in no block so far
	for at := uint64(0); ; {
		b, err := i.block(ctx, at)
		if err != nil {
			return err
		}
		if b == nil || b.First >= i.View.Indexed {
			break // the end, or one that was made since
		}
		if b.First > next {
			i.flawAt(next, b.First, "no block has them")
		}
		if b.First < next || b.Next <= b.First || b.Next > i.View.Size || b.Next-b.First > maxBlock {
			i.Flaw("blocks: the one at %d, up to %d, does not fit the log of %d records", b.First, b.Next, i.View.Size)
		} else if err := i.compare(ctx, b); err != nil {
			return err
		}
		if b.Next > b.First && b.Next <= i.View.Size {
			next = max(next, b.Next)
		}
		at = b.First + 1
	}
	if err := i.tail(ctx, next); err != nil {
		return err
	}
	runs := run.Check{Rows: i.Rows, Found: func(first, next uint64, detail string) {
		i.Found(audit.Flaw{Kind: audit.FlawIndex, First: first, Next: next, Detail: detail})
	}}
	return runs.Run(ctx)
}

// block returns the first block that begins at the index or after it, nil if there is none.
func (i *Inspection) block(ctx context.Context, at uint64) (*run.Row, error) {
	blocks, err := i.Rows.Parts(ctx, 0, at, 1)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	return &blocks[0], nil
}

// compare makes the block again from the keys of its records.
func (i *Inspection) compare(ctx context.Context, b *run.Row) error {
	load := NewLoader(i.Rows, i.Vault, i.Log)
	t := tail{first: b.First, shape: i.Rows.Shape()}
	var err error
	var want *Block
	if t.records, err = keysBetween(ctx, i.Rows, b.First, b.Next); err == nil {
		t.terms = t.shape.Terms // at most, but for a last batch: postings grow in place
		want, err = t.invert(func(index uint64) (*keys, error) { return load.keys(ctx, index) })
	}
	if errors.Is(err, audit.ErrDamaged) {
		i.flawAt(b.First, b.Next, "cannot be compared with the records: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if b.Oldest != want.Oldest || b.Newest != want.Newest {
		i.flawAt(b.First, b.Next, "their times are not those of the records")
	}
	if !bytes.Equal(b.Open, want.Open) || !bytes.Equal(b.Late, want.Late) {
		i.flawAt(b.First, b.Next, "their open intents are not those of the records")
	}
	var lists [run.Buckets][]byte
	span := run.Span{Firsts: []uint64{b.First}, To: run.Buckets}
	err = i.Rows.Lists(ctx, []run.Span{span}, func(_ int, _ uint64, bucket int, list []byte) error {
		lists[bucket] = bytes.Clone(list)
		return nil
	})
	if err != nil {
		return err
	}
	for bucket := range want.Lists {
		if !bytes.Equal(lists[bucket], want.Lists[bucket]) {
			i.flawAt(b.First, b.Next, fmt.Sprintf("postings: those of bucket %d are not those of the records", bucket))
		}
	}
	return nil
}

// tail checks the records after the last block: a commit that makes them as many as
// fill one makes the block.
func (i *Inspection) tail(ctx context.Context, first uint64) error {
	t := tail{first: first, shape: i.Rows.Shape()}
	full := i.View.Size-first >= uint64(t.shape.Tail)
	if !full {
		records, err := keysBetween(ctx, i.Rows, first, i.View.Size)
		if errors.Is(err, audit.ErrDamaged) {
			return nil // reported of the segment, or of the missing record
		}
		if err != nil {
			return err
		}
		for _, k := range records {
			t.add(k)
		}
		full = t.terms >= t.shape.Terms
	}
	if full {
		i.flawAt(first, i.View.Size, "no block has them, although they fill one")
	}
	return nil
}
