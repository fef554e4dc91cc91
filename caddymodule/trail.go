package caddymodule

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/once"
)

// trails holds the open trails of the process, one for each store.
var trails = caddy.NewUsagePool()

// appendTimeout bounds how long an exchange waits for its record, in place of the
// client's own context: a client that leaves must not cost the record.
const appendTimeout = 15 * time.Second

// The names under which a store keeps what must stay the same as long as it lives.
const (
	logNameKey     = "log-name"
	fingerprintKey = "fingerprint-key"
)

// trail is an open trail and all that belongs to it. It outlives configurations
// and so holds nothing of one: no logger, no context.
type trail struct {
	*audit.Trail
	store    audit.Store
	redactor *audit.Redactor
	log      string
	verifier string // the public key of the log
	patience patience
	// keeper makes sure that nothing is issued twice.
	keeper   *once.Keeper
	accepted accepted
	standing standing
	// owed is the length of pending, to be read without mu: a store that hangs holds it.
	owed atomic.Int64

	mu sync.Mutex // guards pending
	// pending are outcomes that could not be written although the service had
	// answered. They are written before anything else is sent.
	pending []*audit.Record
}

// openTrail opens the log of a store. The log's name is the host's at first start
// and stays with the store, wherever that goes.
func openTrail(opener StoreOpener, options *TrailOptions, logger *zap.Logger) (*trail, error) {
	ctx, cancel := context.WithTimeout(context.Background(), appendTimeout)
	defer cancel()
	store, err := opener.OpenStore(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the audit store %s: %w", opener.Address(), err)
	}
	t, err := newTrail(ctx, store, options, logger)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the trail in %s: %w", opener.Address(), err), store.Close())
	}
	return t, nil
}

func newTrail(ctx context.Context, store audit.Store, options *TrailOptions, logger *zap.Logger) (*trail, error) {
	name, err := store.Secret(ctx, logNameKey, func() ([]byte, error) {
		host, err := os.Hostname()
		return []byte(host), err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the log's name: %w", err)
	}
	key, err := store.Secret(ctx, fingerprintKey, func() ([]byte, error) {
		key := make([]byte, 32)
		_, err := rand.Read(key)
		return key, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the fingerprint key: %w", err)
	}
	signing, first, err := options.keys.open(ctx, store, string(name))
	if err != nil {
		return nil, err
	}
	t := &trail{
		store: store, redactor: audit.NewRedactor(key), log: string(name), verifier: signing.Verifier(),
		patience: patience{limit: appendTimeout},
	}
	if t.Trail, err = audit.Open(ctx, store, t.log, signing, audit.Options{Observe: observeAppend, First: first}); err != nil {
		return nil, err
	}
	if err := errors.Join(keepVerifier(ctx, store, signing), t.standing.begin(ctx, store, t.log)); err != nil {
		return nil, errors.Join(err, t.Trail.Close())
	}
	if err := t.startKeeper(ctx, logger); err != nil {
		return nil, errors.Join(err, t.Trail.Close())
	}
	return t, nil
}

// startKeeper looks for what is open, which is settled before anything new is sent in the
// same series.
func (t *trail) startKeeper(ctx context.Context, logger *zap.Logger) error {
	journal := &once.Trail{Store: t.store, Log: t.log, Now: time.Now, Write: func(r *audit.Record) (uint64, error) {
		r.Answer, _ = t.redactor.Body(r.Answer)
		r.AnswerDigest = sha256.Sum256(r.Answer)
		return t.append(r)
	}}
	suspects, err := journal.Suspects(ctx, openIntentsWindow)
	if err != nil {
		return err
	}
	t.keeper = once.New(journal, once.Settings{Settled: settledInBackground(logger)})
	t.keeper.Suspect(suspects)
	return nil
}

// append makes the record durable. Outcomes that are still pending go first: the
// caller can rely on nothing being owed when it returns nil.
func (t *trail) append(r *audit.Record) (uint64, error) {
	ctx := t.patience.context()
	if err := t.settle(ctx); err != nil {
		return 0, err
	}
	return t.write(ctx, r)
}

// write is Append, and takes note of how it went.
func (t *trail) write(ctx context.Context, r *audit.Record) (uint64, error) {
	index, err := t.Append(ctx, r)
	t.standing.saw(r.Kind, err)
	return index, err
}

// owe keeps an outcome whose record could not be written.
func (t *trail) owe(r *audit.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = append(t.pending, r)
	t.countPending()
}

// countPending tells how much is owed. The caller holds mu.
func (t *trail) countPending() {
	t.owed.Store(int64(len(t.pending)))
	pendingOutcomes.Set(float64(len(t.pending)))
}

func (t *trail) settle(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.pending) > 0 {
		if _, err := t.write(ctx, t.pending[0]); err != nil {
			return fmt.Errorf("writing an outcome that is owed: %w", err)
		}
		t.pending = t.pending[1:]
		t.countPending()
	}
	return nil
}

// Close writes what is owed, ends the trail and closes its store.
func (t *trail) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), appendTimeout)
	defer cancel()
	err := errors.Join(t.keeper.Close(), t.settle(ctx), t.Trail.Close(), t.store.Close())
	t.standing.end()
	return err
}
