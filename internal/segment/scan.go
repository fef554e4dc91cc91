package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/term"
)

// scanRows is how many segments are read by one query: a reader that takes its time
// between two pieces keeps nothing of the store open. The first query reads one, because many
// readers want one record, and each later one scanGrowth times as many.
const (
	scanRows   = 64
	scanGrowth = 8
)

// Scan yields the segments of the view from the one that holds the record first on, each
// as a piece (audit.Store).
func Scan(ctx context.Context, rows Rows, vault *Vault, view View, log string, first uint64, yield func(audit.Piece, error) bool) {
	next := uint64(0)
	if row, ok, err := rows.Segment(ctx, min(first, MaxIndex), ColumnLeaves); err != nil {
		yield(audit.Piece{}, err)
		return
	} else if ok {
		next = row.First
	}
	for limit := 1; next < view.End; limit = min(limit*scanGrowth, scanRows) {
		var some []Row
		err := rows.Segments(ctx, next, view.End, ColumnAll, limit, func(row *Row) error {
			some = append(some, *row)
			return nil
		})
		if err != nil {
			yield(audit.Piece{}, err)
			return
		}
		if len(some) == 0 {
			return
		}
		for i := range some {
			row := &some[i]
			if !yield(piece(ctx, rows, vault, log, row), nil) {
				return
			}
			next = row.First + 1
		}
	}
}

func piece(ctx context.Context, rows Rows, vault *Vault, log string, row *Row) audit.Piece {
	var summaries, content *frame.Buffer
	return audit.Piece{
		First:  row.First,
		Leaves: row.Leaves,
		Release: func() {
			summaries.Return()
			content.Return()
		},
		Unpack: func() ([]audit.Form, error) {
			summaries, content = frame.Borrow(), frame.Borrow()
			forms, err := unpackForms(ctx, rows, vault, log, row, summaries, content)
			if err != nil {
				return nil, damaged(rows, row.First, err)
			}
			return forms, nil
		},
		Check: func(records []*audit.Record) error {
			if err := row.check(records, vault); err != nil {
				return damaged(rows, row.First, err)
			}
			return nil
		},
	}
}

func unpackForms(ctx context.Context, rows Rows, vault *Vault, log string, row *Row, into, intoContent *frame.Buffer) ([]audit.Form, error) {
	summaries, err := into.Unpack(row.Summaries)
	if err != nil {
		return nil, fmt.Errorf("summaries: %w", err)
	}
	content, err := vault.open(ctx, rows, log, row, intoContent)
	if err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	if content.presence == audit.Present && len(content.items) != len(summaries) {
		return nil, fmt.Errorf("%d summaries and %d contents: %w", len(summaries), len(content.items), frame.ErrDamaged)
	}
	forms := make([]audit.Form, len(summaries))
	for i := range forms {
		forms[i].Summary = summaries[i]
		forms[i].Content, forms[i].Presence = content.of(i)
	}
	return forms, nil
}

// errKeys: a search would not find the records.
var errKeys = errors.New("the keys are not those of the records")

func (row *Row) check(records []*audit.Record, vault *Vault) error {
	kept, err := frame.UnpackList(row.Keys)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if len(kept) != len(records) {
		return fmt.Errorf("%d of %d records: %w", len(kept), len(records), errKeys)
	}
	for i, r := range records {
		if !keysFit(r, kept[i], vault.receivers.Of(row.Key != nil)) {
			return &audit.RecordError{Index: row.First + uint64(i), Err: errKeys}
		}
	}
	return nil
}

// keysFit reports whether these are the keys of the record. The codes in an answer are keys
// too: of a record whose content cannot be read they cannot be checked. Neither can the receivers without the key that
// their terms were made with.
func keysFit(r *audit.Record, kept []byte, key term.Key) bool {
	k, err := decodeKeys(kept)
	if err != nil {
		return false
	}
	by := k.build()
	own, encoded := keysOf(r, by, key)
	if r.Presence == audit.Present && (key != nil || by < withReceivers) {
		return bytes.Equal(encoded, kept)
	}
	return k.kind == own.kind && k.intent == own.intent && k.micros == own.micros &&
		!slices.ContainsFunc(appendTerms(nil, r, by, key), func(t term.Term) bool { return !k.hasTerm(t) })
}
