package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/internal/segment/run"
)

// Options configure a store. The zero Options are good.
type Options struct {
	// ContentKey seals the content of new records, and opens sealed content. nil is no key: new
	// content is written in the clear, and sealed content is not opened. Any other key
	// than the first that the database was opened with is refused (audit.ErrContentKey).
	ContentKey *audit.ContentKey
	// Migrate creates the tables, or updates the tables of an older build. Without it a database
	// that needs either is refused.
	Migrate bool
	// ClaimFor is how long a claim lasts that is not renewed, 15 seconds if it is 0. It is
	// renewed three times as often.
	ClaimFor time.Duration
	// Now is the clock by which a claim is taken for lost, time.Now if it is nil. It must not
	// be set back, as time.Now's monotonic part is not.
	Now func() time.Time
	// Merging is told how the merging of the search index goes on, where there is much of it. It is called
	// from a goroutine of the store, and may be nil.
	Merging func(audit.Merging)

	shape run.Shape // of the search index, run.Format but in tests
}

const defaultClaimFor = 15 * time.Second

// Store is an audit.Store in PostgreSQL. It is made by Open or OpenReader and safe for
// concurrent use.
type Store struct {
	pool     *postgres.Pool
	vault    *segment.Vault
	tails    segment.Tails
	reader   bool
	claimFor time.Duration
	now      func() time.Time
	shape    run.Shape
	merger   *run.Merger // nil in a store of OpenReader

	mu     sync.Mutex // guards the rest
	closed bool
	logs   map[string]*logState
	// claims are those that were made and not released, by log.
	claims map[string]*claim
}

var (
	_ audit.Store       = (*Store)(nil)
	_ audit.Preparer    = (*Store)(nil)
	_ audit.PurgedTaker = (*Store)(nil)
	_ audit.Inspector   = (*Store)(nil)
	_ audit.Claimer     = (*Store)(nil)
	_ audit.Glimpser    = (*Store)(nil)
	_ audit.Hazardous   = (*Store)(nil)
)

// Open opens the database of a DSN for writing.
//
// Several stores may have a database open, and each write logs of its own: see Claim. An
// error never shows the DSN, which may hold a password.
func Open(ctx context.Context, dsn string, options Options) (*Store, error) {
	s, err := open(ctx, dsn, options, false, options.Migrate)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.keepContentKey(ctx), s.vault.ProvideSecret(ctx, s, true)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// OpenReader opens the database of a DSN for reading, beside gateways that write it. It
// changes nothing. Commit, and Secret for a name that is not there, return an error.
//
// With the trail's content key the records come with their content, without it they
// are Sealed where it is.
func OpenReader(ctx context.Context, dsn string, options Options) (*Store, error) {
	return openMade(ctx, dsn, options, true)
}

// openMade opens a database that has its tables already, and its content key if it has one.
func openMade(ctx context.Context, dsn string, options Options, reader bool) (*Store, error) {
	s, err := open(ctx, dsn, options, reader, false)
	if err != nil {
		return nil, err
	}
	_, err = s.checkKey(ctx)
	if err == nil {
		err = s.vault.ProvideSecret(ctx, s, false) // the role of a purge may not make one
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func open(ctx context.Context, dsn string, options Options, reader, migrate bool) (*Store, error) {
	pool, err := Migrations.Open(ctx, dsn, postgres.Options{Name: "fielato audit", ReadOnly: reader}, migrate)
	if err != nil {
		return nil, err
	}
	s := &Store{
		pool: pool, vault: segment.NewVault(options.ContentKey), reader: reader,
		claimFor: cmp.Or(options.ClaimFor, defaultClaimFor), now: options.Now,
		logs: map[string]*logState{}, claims: map[string]*claim{}, shape: options.shape,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.shape == (run.Shape{}) {
		s.shape = run.Format
	}
	if !reader {
		s.merger = run.NewMerger(ctx, (*mergedStore)(s), options.Merging)
	}
	return s, nil
}

// Close implements audit.Store. It releases all claims.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return audit.ErrClosed
	}
	s.closed = true
	claims := s.claims
	s.claims = map[string]*claim{}
	states := slices.Collect(maps.Values(s.logs))
	s.mu.Unlock()
	for _, state := range states {
		state.mu.Lock() // a commit that is under way ends first
		state.State = nil
		state.mu.Unlock()
	}
	if s.merger != nil {
		s.merger.Stop()
	}
	var errs []error
	for _, c := range claims {
		errs = append(errs, c.end(context.Background()))
	}
	s.pool.Close()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}

// errReader is the error of the writing methods on a store of OpenReader.
var errReader = errors.New("this store was opened for reading")

// mayWrite returns the error of what writes, if it may not.
func (s *Store) mayWrite() error {
	if s.reader {
		return fmt.Errorf("writing %s: %w", s.pool.Address(), errReader)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return audit.ErrClosed
	}
	return nil
}
