package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/segment"
	"github.com/fielato/fielato/internal/postgres"
)

// Options say how a store is opened. The zero Options are good.
type Options struct {
	// ContentKey seals the content of what is written, and opens what was sealed before. nil
	// is no key: content is written as it is, what was sealed is not opened. Any other key
	// than the first that the database was opened with is refused (audit.ErrContentKey).
	ContentKey *audit.ContentKey
	// Migrate creates the tables and changes those of an older build. Without it a database
	// that needs that is refused.
	Migrate bool
	// ClaimFor is how long a claim lasts that is not renewed, 15 seconds if it is 0. It is
	// renewed three times as often.
	ClaimFor time.Duration
	// Now is the clock by which a claim is taken for lost, time.Now if it is nil. It must not
	// be set back, as time.Now's monotonic part is not.
	Now func() time.Time
}

const defaultClaimFor = 15 * time.Second

// Store is an audit.Store in PostgreSQL. It is made by Open or OpenReader and safe for
// concurrent use.
type Store struct {
	pool     *postgres.Pool
	vault    *segment.Vault
	reader   bool
	claimFor time.Duration
	now      func() time.Time

	mu     sync.Mutex // guards the rest
	closed bool
	logs   map[string]*logState
	// claims are those that were made and not released, by log.
	claims map[string]*claim
}

var (
	_ audit.Store     = (*Store)(nil)
	_ audit.Preparer  = (*Store)(nil)
	_ audit.Inspector = (*Store)(nil)
	_ audit.Claimer   = (*Store)(nil)
)

// Open opens the database of a DSN for writing.
//
// Several stores may have a database open, and each write logs of its own: see Claim. An
// error never shows the DSN, which may hold a password.
func Open(ctx context.Context, dsn string, options Options) (*Store, error) {
	s, err := open(ctx, dsn, options, false)
	if err != nil {
		return nil, err
	}
	if options.Migrate {
		_, err = Migrations.Run(ctx, s.pool)
	} else {
		err = Migrations.Check(ctx, s.pool)
	}
	if err == nil {
		err = s.keepContentKey(ctx)
	}
	if err != nil {
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
	s, err := open(ctx, dsn, options, true)
	if err != nil {
		return nil, err
	}
	if err = Migrations.Check(ctx, s.pool); err == nil {
		_, err = s.checkKey(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func open(ctx context.Context, dsn string, options Options, reader bool) (*Store, error) {
	pool, err := postgres.Open(ctx, dsn, postgres.Options{Name: "fielato audit", ReadOnly: reader})
	if err != nil {
		return nil, err
	}
	s := &Store{
		pool: pool, vault: segment.NewVault(options.ContentKey), reader: reader,
		claimFor: cmp.Or(options.ClaimFor, defaultClaimFor), now: options.Now,
		logs: map[string]*logState{}, claims: map[string]*claim{},
	}
	if s.now == nil {
		s.now = time.Now
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
	states := s.logs
	s.mu.Unlock()
	var errs []error
	for _, c := range claims {
		errs = append(errs, c.end(context.Background()))
	}
	for _, state := range states {
		state.mu.Lock() // a commit that is under way ends first
		state.mu.Unlock()
	}
	s.pool.Close()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}

// errReader is what the methods that write return on a store of OpenReader.
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

// checkKey compares the key that was given with the one that the database knows. It reports
// whether it is the first.
func (s *Store) checkKey(ctx context.Context) (keep bool, err error) {
	known, err := s.value(ctx, "audit_secrets", audit.ContentKeySecret)
	if err != nil {
		return false, err
	}
	return s.vault.Check(string(known), s.pool.Address())
}

// keepContentKey keeps the ID of the first key that the database is opened with.
func (s *Store) keepContentKey(ctx context.Context) error {
	keep, err := s.checkKey(ctx)
	if err != nil || !keep {
		return err
	}
	if _, err = s.Secret(ctx, audit.ContentKeySecret, func() ([]byte, error) { return []byte(s.vault.ID()), nil }); err != nil {
		return err
	}
	_, err = s.checkKey(ctx) // another store may have been first
	return err
}

// value returns what a table of names and values has, nil if it has nothing.
func (s *Store) value(ctx context.Context, table, name string) (value []byte, err error) {
	err = s.pool.Read(ctx, func() error {
		err := s.pool.QueryRow(ctx, "SELECT value FROM "+table+" WHERE name = $1", name).Scan(&value)
		if errors.Is(err, pgx.ErrNoRows) {
			value = nil
			return nil
		}
		return err
	})
	return value, s.pool.Explain("reading", err)
}

// Secret implements audit.Store.
func (s *Store) Secret(ctx context.Context, name string, create func() ([]byte, error)) ([]byte, error) {
	value, err := s.value(ctx, "audit_secrets", name)
	if err != nil || value != nil {
		return value, err
	}
	if value, err = create(); err != nil {
		return nil, fmt.Errorf("making secret %q: %w", name, err)
	}
	if err := s.mayWrite(); err != nil {
		return nil, fmt.Errorf("secret %q: %w", name, err)
	}
	// Two callers may have come here: the first one's value is everybody's.
	err = s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
		b.Queue("INSERT INTO audit_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, value)
	})
	if err != nil && !errors.Is(err, postgres.ErrUncertain) {
		return nil, s.pool.Explain("writing", err)
	}
	kept, failed := s.value(ctx, "audit_secrets", name)
	if failed == nil && kept == nil {
		failed = s.pool.Explain("writing", err)
	}
	return kept, failed
}

// Setting implements audit.Store.
func (s *Store) Setting(ctx context.Context, name string) ([]byte, error) {
	return s.value(ctx, "audit_settings", name)
}

// SetSetting implements audit.Store. To set it again is safe, so that an outcome that is
// uncertain is tried again.
func (s *Store) SetSetting(ctx context.Context, name string, value []byte) error {
	if err := s.mayWrite(); err != nil {
		return fmt.Errorf("setting %q: %w", name, err)
	}
	if value == nil {
		value = []byte{}
	}
	set := func() error {
		return s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
			b.Queue("INSERT INTO audit_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
		})
	}
	err := set()
	if errors.Is(err, postgres.ErrUncertain) {
		err = set()
	}
	return s.pool.Explain("writing", err)
}
