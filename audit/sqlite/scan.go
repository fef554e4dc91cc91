package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/fielato/fielato/audit"
)

// scanRows is how many segments are read by one query: a reader that takes its time
// between two pieces keeps no transaction open, and so the write-ahead log small.
const scanRows = 64

// Scan implements audit.Store. A piece is a segment.
func (s *Store) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		view, err := s.view(ctx, log)
		if err != nil {
			yield(audit.Piece{}, err)
			return
		}
		next, err := s.segmentOf(ctx, view.log, first)
		if err != nil {
			yield(audit.Piece{}, err)
			return
		}
		for {
			rows, err := s.segments(ctx, next, view.last)
			if err != nil {
				yield(audit.Piece{}, err)
				return
			}
			if len(rows) == 0 {
				return
			}
			for _, row := range rows {
				if !yield(s.piece(ctx, log, row), nil) {
					return
				}
				next = row.id + 1
			}
		}
	}
}

// segmentOf returns the id of the segment that holds the record, or where it would be.
func (s *Store) segmentOf(ctx context.Context, log int64, index uint64) (id int64, err error) {
	err = s.readers.QueryRowContext(ctx,
		"SELECT coalesce((SELECT id FROM segments WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1), ?)",
		segmentID(log, 0), segmentID(log, min(index, maxIndex)), segmentID(log, 0)).Scan(&id)
	if err != nil {
		return 0, explain(s.path, "reading", err)
	}
	return id, nil
}

// segments returns the next ones from the one with this id on, up to last.
func (s *Store) segments(ctx context.Context, from, last int64) (all []segmentRow, err error) {
	rows, err := s.readers.QueryContext(ctx,
		"SELECT id, purged, key, keys, leaves, summaries, content FROM segments WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?", from, last, scanRows)
	if err != nil {
		return nil, explain(s.path, "reading", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row segmentRow
		if err := rows.Scan(&row.id, &row.purged, &row.key, &row.keys, &row.leaves, &row.summaries, &row.content); err != nil {
			return nil, explain(s.path, "reading", err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		return nil, explain(s.path, "reading", err)
	}
	return all, nil
}

// segmentRow is a segment as it stands in its row.
type segmentRow struct {
	contentRow
	keys, leaves, summaries []byte
}

func (s *Store) piece(ctx context.Context, log string, row segmentRow) audit.Piece {
	name := func(err error) error { return fmt.Errorf("segment %d of %s: %w", row.id, s.path, err) }
	return audit.Piece{
		First:  firstOf(row.id),
		Leaves: row.leaves,
		Unpack: func() ([]audit.Form, error) {
			forms, err := s.forms(ctx, log, row)
			if err != nil {
				return nil, name(err)
			}
			return forms, nil
		},
		Check: func(records []*audit.Record) error {
			if err := row.check(records); err != nil {
				return name(err)
			}
			return nil
		},
	}
}

func (s *Store) forms(ctx context.Context, log string, row segmentRow) ([]audit.Form, error) {
	summaries, err := unpackFrame(row.summaries)
	if err != nil {
		return nil, fmt.Errorf("summaries: %w", err)
	}
	content, err := s.vault.open(ctx, s.readers, log, row.contentRow)
	if err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	if content.presence == audit.Present && len(content.items) != len(summaries) {
		return nil, fmt.Errorf("%d summaries and %d contents: %w", len(summaries), len(content.items), errFrame)
	}
	forms := make([]audit.Form, len(summaries))
	for i := range forms {
		forms[i].Summary = summaries[i]
		forms[i].Content, forms[i].Presence = content.of(i)
	}
	return forms, nil
}

// errKeys says that a search would not find what is there.
var errKeys = errors.New("the keys are not those of the records")

func (row segmentRow) check(records []*audit.Record) error {
	kept, err := unpackList(row.keys)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if len(kept) != len(records) {
		return fmt.Errorf("%d of %d records: %w", len(kept), len(records), errKeys)
	}
	for i, r := range records {
		if !keysFit(r, kept[i]) {
			return &audit.RecordError{Index: firstOf(row.id) + uint64(i), Err: errKeys}
		}
	}
	return nil
}

// keysFit reports whether these are the keys of the record. The codes in an answer are
// keys too: a record whose content cannot be read has keys that nobody can check.
func keysFit(r *audit.Record, kept []byte) bool {
	own := keysOf(r)
	if r.Presence == audit.Present {
		return bytes.Equal(own.encode(), kept)
	}
	k, err := decodeKeys(kept)
	return err == nil && k.kind == own.kind && k.intent == own.intent && k.micros == own.micros &&
		!slices.ContainsFunc(termsOf(r), func(t term) bool { return !k.hasOne(alternatives{t}) })
}

func unpackFrame(frame []byte) ([][]byte, error) {
	packed, err := decompress(frame)
	if err != nil {
		return nil, err
	}
	return unpackList(packed)
}
