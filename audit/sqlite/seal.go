package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/internal/segment/run"
)

// Option is a choice in opening a file.
type Option func(*options)

type options struct {
	content *audit.ContentKey
	merging func(audit.Merging)
	shape   run.Shape
}

// WithContentKey gives the key that seals the content of new records, and opens sealed content. nil
// is no key: new content is written in the clear, and sealed content is not opened. Any
// other key than the first that the file was opened with is refused (audit.ErrContentKey).
//
// Content is compressed and then sealed: the file alone reveals its length.
func WithContentKey(key *audit.ContentKey) Option {
	return func(o *options) { o.content = key }
}

// WithMerging gives a function that is told how the merging of the search index goes on, where there is
// much of it: of a file of an earlier build. It is called from a goroutine of the store.
func WithMerging(tell func(audit.Merging)) Option {
	return func(o *options) { o.merging = tell }
}

func newStore(path string, list []Option) *Store {
	o := options{shape: run.Format}
	for _, set := range list {
		set(&o)
	}
	return &Store{path: path, vault: segment.NewVault(o.content), index: index{shape: o.shape}, tell: o.merging}
}

// checkKey compares the key that was given with the one that the file knows. It reports
// whether it is the first.
func (s *Store) checkKey(ctx context.Context, from querier) (keep bool, err error) {
	var known string
	err = from.QueryRowContext(ctx, "SELECT CAST(value AS TEXT) FROM secrets WHERE name = ?", audit.ContentKeySecret).Scan(&known)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, file.Explain(s.path, "opening", err)
	}
	return s.vault.Check(known, s.path)
}

// keepContentKey keeps the ID of the first key that the file is opened with.
func (s *Store) keepContentKey(ctx context.Context) error {
	keep, err := s.checkKey(ctx, s.writer)
	if err != nil || !keep {
		return err
	}
	_, err = s.writer.ExecContext(ctx, "INSERT INTO secrets VALUES (?, ?)", audit.ContentKeySecret, []byte(s.vault.ID()))
	if err != nil {
		return file.Explain(s.path, "opening", err)
	}
	return nil
}

// keyring keeps the data keys of a log, on the connection that writes.
type keyring struct {
	store *Store
	log   int64
}

// FindKey implements segment.Keyring.
func (k keyring) FindKey(ctx context.Context, period audit.Period) (number int64, wrapped []byte, err error) {
	err = k.store.writer.QueryRowContext(ctx, "SELECT id, wrapped FROM data_keys WHERE log = ? AND period = ?", k.log, period).
		Scan(&number, &wrapped)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, nil, file.Explain(k.store.path, "reading", err)
	}
	return number, wrapped, nil
}

// AddKey implements segment.Keyring.
func (k keyring) AddKey(ctx context.Context, period audit.Period, wrapped []byte) (number int64, err error) {
	result, err := k.store.writer.ExecContext(ctx, "INSERT INTO data_keys (log, period, wrapped) VALUES (?, ?, ?)", k.log, period, wrapped)
	if err == nil {
		number, err = result.LastInsertId()
	}
	if err != nil {
		return 0, file.Explain(k.store.path, "writing", err)
	}
	return number, nil
}
