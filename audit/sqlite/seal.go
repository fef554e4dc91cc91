package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// Option says how a file is opened.
type Option func(*options)

type options struct{ content *audit.ContentKey }

// WithContentKey gives the key that seals the content of what is written, and opens
// what was sealed before. nil is no key: content is written as it is, what was sealed
// is not opened. Any other key than the first that the file was opened with is refused
// (audit.ErrContentKey).
//
// Content is compressed and then sealed: who has the file alone learns its length.
func WithContentKey(key *audit.ContentKey) Option {
	return func(o *options) { o.content = key }
}

func newStore(path string, list []Option) *Store {
	return &Store{path: path, vault: newVault(list)}
}

func newVault(list []Option) vault {
	var o options
	for _, set := range list {
		set(&o)
	}
	return vault{master: o.content, keys: map[int64]*audit.DataKey{}}
}

// check compares the key that was given with the one that the file knows. It returns
// the latter's ID, no text if it knows none.
func (v *vault) check(ctx context.Context, from querier, path string) (known string, err error) {
	err = from.QueryRowContext(ctx, "SELECT CAST(value AS TEXT) FROM secrets WHERE name = ?", audit.ContentKeySecret).Scan(&known)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", explain(path, "opening", err)
	}
	if known != "" && v.master != nil && v.master.ID() != known {
		return "", fmt.Errorf("opening %s: %w: its content is encrypted with the key %s, %s was given: give the one it began with",
			path, audit.ErrContentKey, known, v.master.ID())
	}
	return known, nil
}

// keepContentKey keeps the ID of the first key that the file is opened with.
func (s *Store) keepContentKey(ctx context.Context) error {
	known, err := s.vault.check(ctx, s.writer, s.path)
	if err != nil || known != "" || s.vault.master == nil {
		return err
	}
	_, err = s.writer.ExecContext(ctx, "INSERT INTO secrets VALUES (?, ?)", audit.ContentKeySecret, []byte(s.vault.master.ID()))
	if err != nil {
		return explain(s.path, "opening", err)
	}
	return nil
}

// seal is a data key and its number.
type seal struct {
	number int64
	key    *audit.DataKey
}

// provideKeys sees to it that each period of the records has a data key. A new one is
// durable before anything is sealed with it.
func (s *Store) provideKeys(ctx context.Context, state *logState, all []*prepared, log string) error {
	if s.vault.master == nil {
		return nil
	}
	for _, p := range all {
		if _, ok := state.seals[p.period]; ok {
			continue
		}
		made, err := s.dataKey(ctx, state.id, log, p.period)
		if err != nil {
			return err
		}
		state.seals[p.period] = made
	}
	return nil
}

// dataKey returns the data key of a log and a period, and makes it if there is none.
func (s *Store) dataKey(ctx context.Context, id int64, log string, period audit.Period) (found seal, err error) {
	var wrapped []byte
	err = s.writer.QueryRowContext(ctx, "SELECT id, wrapped FROM data_keys WHERE log = ? AND period = ?", id, period).
		Scan(&found.number, &wrapped)
	switch {
	case err == nil:
		found.key, err = s.vault.master.OpenDataKey(wrapped, log, period)
		return found, err
	case !errors.Is(err, sql.ErrNoRows):
		return seal{}, explain(s.path, "reading", err)
	}
	if found.key, wrapped, err = s.vault.master.NewDataKey(log, period); err != nil {
		return seal{}, err
	}
	result, err := s.writer.ExecContext(ctx, "INSERT INTO data_keys (log, period, wrapped) VALUES (?, ?, ?)", id, period, wrapped)
	if err == nil {
		found.number, err = result.LastInsertId()
	}
	if err != nil {
		return seal{}, explain(s.path, "writing", err)
	}
	return found, nil
}

// seal returns what stands in the row of a segment: the number of the data key, nil for
// none, and the content.
func (state *logState) seal(period audit.Period, first uint64, content []byte) (key any, sealed []byte, err error) {
	one, ok := state.seals[period]
	if !ok {
		return nil, content, nil
	}
	sealed, err = one.key.Seal(make([]byte, 0, len(content)+sealedMore), content, first)
	return one.number, sealed, err
}

// sealedMore is how much longer content becomes.
const sealedMore = 40
