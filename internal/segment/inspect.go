package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fielato/fielato/audit"
)

// Inspection compares blocks and postings with the keys of the segments, which the Check of
// a piece compares with the records. It holds one block at a time in memory.
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

// Blocks checks that the blocks follow each other without a gap, and that the tail after them
// is shorter than a block.
func (i *Inspection) Blocks(ctx context.Context) error {
	next := uint64(0) // the first record that is in no block so far
	for at := uint64(0); ; {
		b, ok, err := i.block(ctx, at)
		if err != nil {
			return err
		}
		if !ok || b.First >= i.View.Indexed {
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
	return i.tail(ctx, next)
}

// block returns the first block that begins at the index or after it.
func (i *Inspection) block(ctx context.Context, at uint64) (b BlockRow, ok bool, err error) {
	err = i.Rows.Blocks(ctx, at, math.MaxInt64, 1, func(row BlockRow) error {
		b, ok = row, true
		return nil
	})
	return b, ok, err
}

// compare makes the block again from the keys of its records.
func (i *Inspection) compare(ctx context.Context, b BlockRow) error {
	load := NewLoader(i.Rows, i.Vault, i.Log)
	t := tail{first: b.First}
	var err error
	var want *Block
	if t.records, err = keysBetween(ctx, i.Rows, b.First, b.Next); err == nil {
		t.terms = blockTerms // at most, but for a last batch: postings grow in place
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
	lists, err := i.Rows.Lists(ctx, b.First)
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
	t := tail{first: first}
	full := i.View.Size-first >= blockRecords
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
		full = t.full()
	}
	if full {
		i.flawAt(first, i.View.Size, "no block has them, although they fill one")
	}
	return nil
}
