package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
)

// prepared are the statements of a search: to compile them took longer than to run them.
type prepared struct {
	view, cover, postings, runs *sql.Stmt
	segment                     [segment.ColumnAll + 1]*sql.Stmt
}

// firstsOfLists is how many lists one statement reads at most: a level seldom has more runs.
const firstsOfLists = 16

// prepareReaders prepares the statements on the connections that read.
func (s *Store) prepareReaders(ctx context.Context) (err error) {
	s.prepared = &prepared{}
	for _, one := range []struct {
		query string
		into  **sql.Stmt
		runs  bool
	}{
		{selectView, &s.prepared.view, false},
		{coverQuery(s.index), &s.prepared.cover, false},
		{"SELECT first, bucket, terms FROM postings WHERE log = ? AND bucket = ? AND first BETWEEN ? AND ?", &s.prepared.postings, false},
		{"SELECT first, bucket, terms FROM lists WHERE log = ? AND level = ? AND bucket = ? AND first IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &s.prepared.runs, true},
	} {
		if one.runs && !s.index.runs {
			continue
		}
		if *one.into, err = s.readers.PrepareContext(ctx, one.query); err != nil {
			return file.Explain(s.path, "opening", err)
		}
	}
	for columns := range s.prepared.segment {
		if s.prepared.segment[columns], err = s.readers.PrepareContext(ctx, segmentQuery(segment.Columns(columns))); err != nil {
			return file.Explain(s.path, "opening", err)
		}
	}
	return nil
}

func (p *prepared) close() error {
	if p == nil {
		return nil
	}
	var errs []error
	for _, statement := range append(p.segment[:], p.view, p.cover, p.postings, p.runs) {
		if statement != nil {
			errs = append(errs, statement.Close())
		}
	}
	return errors.Join(errs...)
}

// lists calls do with the lists of some runs of a level in one bucket. Of blocks it also has those between them.
func (p *prepared) lists(ctx context.Context, r rows, level int, bucket int64, firsts []int64, do func(*sql.Rows) error) error {
	if level == 0 {
		return eachOf(ctx, r.path, do, func() (*sql.Rows, error) {
			return p.postings.QueryContext(ctx, r.log, bucket, firsts[0], firsts[len(firsts)-1])
		})
	}
	for len(firsts) > 0 {
		some := firsts[:min(len(firsts), firstsOfLists)]
		firsts = firsts[len(some):]
		args := []any{r.log, level, bucket}
		for i := range firstsOfLists {
			args = append(args, some[min(i, len(some)-1)])
		}
		if err := eachOf(ctx, r.path, do, func() (*sql.Rows, error) { return p.runs.QueryContext(ctx, args...) }); err != nil {
			return err
		}
	}
	return nil
}
