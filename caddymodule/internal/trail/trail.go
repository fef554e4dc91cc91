package trail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/once/canonical"
	"github.com/fielato/fielato/internal/once/journal"
)

// Trails holds the open trails of the process, one for each store.
var Trails = caddy.NewUsagePool()

// AppendTimeout bounds how long an exchange waits for its record, in place of the
// client's own context: a client that leaves must not cost the record.
const AppendTimeout = 15 * time.Second

// The names under which a store keeps what must never change.
const (
	LogNameKey     = "log-name"
	FingerprintKey = "fingerprint-key"
)

// Trail is an open log and all that belongs to it. It outlives configurations, so it holds
// nothing of one: no logger, no context.
type Trail struct {
	writer   *audit.Writer // only write may use it: the backlog goes first
	Store    audit.Store
	Redactor *mask.Redactor
	// Forms are the forms of the fingerprints in the store.
	Forms     canonical.Forms
	Log       string
	publicKey string // of the log
	// keyFile and ContentKey are what it was opened with: the file of the private key, empty for
	// none, and the ID of the encryption key.
	keyFile, ContentKey string
	// agent is the key in an ssh-agent that signs, empty if this process has it.
	agent string
	// unsealed: content was encrypted before, and is not any more.
	unsealed  bool
	deadlines deadlines
	// Coordinator makes sure that nothing is issued twice.
	Coordinator     *once.Coordinator
	CredentialCache credentialCache
	// Cache holds answers that change rarely.
	Cache    *cache.Cache
	monitors outage.Monitors
	status   status
	// backlog holds the records that could not be written although their exchanges were
	// completed.
	backlog *backlog
	// file is the path of the store's file, empty if the store is not a file.
	file string
	// claimed is the claim on the log, nil if the store is not shared. It is set before
	// anything but the coordinator has the trail.
	claimed audit.Claim
	// overtaken: another process has written the log since this one did.
	overtaken atomic.Bool
	// started: the record of the start is written (log_starts).
	started atomic.Bool
	// shortened: the log has lost records that this trail has written, and this was logged.
	shortened atomic.Bool
	// lost: the log has said that the files of the store are gone.
	lost sync.Once
	// reading is held from the look at the recorded holds until the record that depends on it is there.
	reading  sync.Mutex
	cosigned *cosigned.Keeper
	sentinel *sentinel.Sentinel
	// invented: the store marks the log as one that the built-in service has issued into.
	invented atomic.Bool
}

// Open opens the log of a store. The log's name is the host's at first start and stays with the
// store. The log must continue the trail before, which is nil if this process had none.
func Open(ctx context.Context, opener StoreOpener, options *Options, before *Trail) (*Trail, error) {
	opening, cancel := context.WithTimeout(ctx, AppendTimeout)
	defer cancel()
	if err := checkMissing(options.keys, opener); err != nil {
		return nil, err
	}
	store, err := opener.OpenStore(opening, options.content)
	if err != nil {
		return nil, fmt.Errorf("opening the audit store %s: %w", opener.Address(), err)
	}
	t, err := claimTrail(ctx, store, opener.LogName(), options, before)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the trail in %s: %w", opener.Address(), err), store.Close())
	}
	if file, ok := opener.(FileOpener); ok {
		t.file = file.File()
	}
	openTrails.Add(t)
	return t, nil
}

// claimTrail claims the log with this name and opens its trail.
func claimTrail(ctx context.Context, store audit.Store, said string, options *Options, before *Trail) (*Trail, error) {
	naming, cancel := context.WithTimeout(ctx, AppendTimeout)
	defer cancel()
	name, err := logName(naming, store, said)
	if err != nil {
		return nil, err
	}
	if err := options.keys.Origin.CheckName(name); err != nil {
		return nil, err
	}
	name, predecessors, err := sentinel.Current(naming, store, name)
	if err != nil {
		return nil, err
	}
	claimed, err := Claim(ctx, store, name)
	if err != nil {
		return nil, err
	}
	ctx, cancel = context.WithTimeout(ctx, AppendTimeout)
	defer cancel()
	if before != nil {
		if err := before.checkGoesOn(ctx, store); err != nil {
			return nil, err
		}
	}
	t, err := newTrail(ctx, store, name, said != "", predecessors, options)
	if err == nil {
		t.claimed = claimed
	}
	return t, err
}

// newTrail opens the trail of a log. shared: it is one of several logs in its store. predecessors are the
// logs that it goes on after.
func newTrail(ctx context.Context, store audit.Store, name string, shared bool, predecessors []string, options *Options) (*Trail, error) {
	key, err := store.Secret(ctx, FingerprintKey, func() ([]byte, error) {
		key := make([]byte, 32)
		_, err := rand.Read(key)
		return key, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the fingerprint key: %w", err)
	}
	forms, err := canonical.KeepForms(ctx, store)
	if err != nil {
		return nil, err
	}
	signing, first, err := options.keys.Open(ctx, store, name)
	if err == nil && first {
		err = options.keys.CheckUnused(name, shared)
	}
	if err != nil {
		return nil, err
	}
	t := &Trail{
		Store: store, Redactor: mask.NewRedactor(key), Forms: forms, Log: name, publicKey: signing.Verifier(),
		keyFile: options.keys.File, agent: options.keys.Agent(), ContentKey: contentKeyID(options.content),
		deadlines: deadlines{limit: AppendTimeout}, Cache: &cache.Cache{Now: time.Now},
	}
	t.backlog = newBacklog(t.writeEntry, t.reportDrained)
	if t.writer, err = audit.Open(ctx, store, t.Log, signing, audit.Options{Observe: observeAppend, First: first}); err != nil {
		return nil, advised(err)
	}
	tip := options.keys.Tip(name)
	if err = options.keys.Origin.CheckLog(t.Checkpoint()); err == nil {
		err = tip.Check(ctx, store, name, t.publicKey)
	}
	if err == nil {
		t.cosigned, err = cosigned.NewKeeper(ctx, cosigned.Log{Name: name, Verifier: t.publicKey, Store: store, Tip: tip, Logger: trailLogger()})
	}
	if err != nil {
		return nil, errors.Join(err, t.writer.Close())
	}
	if t.ContentKey == "" {
		_, err := store.Secret(ctx, audit.ContentKeySecret, func() ([]byte, error) { return nil, errUnsealed })
		if err != nil && !errors.Is(err, errUnsealed) {
			return nil, errors.Join(fmt.Errorf("looking for encrypted content: %w", err), t.writer.Close())
		}
		t.unsealed = err == nil
	}
	t.monitors.Journal = outage.Journal{Log: t.Log, Append: t.appendOutage, Lost: t.loseOutage}
	var suspects journal.Suspects
	keptAs := signingkey.VerifierKey
	if shared {
		keptAs = signingkey.VerifierKeyOf(name)
	}
	logs, err := store.Logs(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listing the logs: %w", err), t.writer.Close())
	}
	err = errors.Join(t.recallInvented(ctx), signingkey.KeepVerifier(ctx, store, keptAs, signing), t.status.load(ctx, store, t.Log, logs, suspects.See),
		t.monitors.Recall(ctx, store, t.Log))
	if err != nil {
		return nil, errors.Join(err, t.writer.Close())
	}
	keepUsed(options.keys, signing.Verifier(), name)
	t.startCoordinator(suspects.OrderingKeys(), predecessors)
	t.sentinel = sentinel.Start(sentinel.Settings{Log: name, Store: store, Checkpoint: t.Checkpoint, Tip: tip, Logger: trailLogger()})
	return t, nil
}

// errUnsealed: nothing in the store was ever encrypted.
var errUnsealed = errors.New("no content was ever encrypted")

// startCoordinator makes the coordinator, which settles the open intents before anything new is
// sent in the same series.
func (t *Trail) startCoordinator(suspects []once.OrderingKey, predecessors []string) {
	gate, logs := t.share(predecessors)
	restored, missing := len(predecessors) > 0, sentinel.ReportMissing(trailLogger())
	t.Coordinator = once.New(&journal.Journal{
		Store: t.Store, Log: t.Log, Logs: logs, Now: time.Now, Began: time.Now(),
		Write: t.writeSettlement, Pay: t.backlog.flush, Owed: t.backlog.records, Elsewhere: t.status.settled,
	}, once.Settings{Settled: reportSettled, Waited: observeSeriesWait, Leases: gate, Restored: restored, Missing: missing})
	t.Coordinator.Suspect(suspects)
}

// Checkpoint returns the newest checkpoint, a signed note.
func (t *Trail) Checkpoint() []byte { return t.writer.Checkpoint() }

// Verifier returns the public key of the log.
func (t *Trail) Verifier() string { return t.publicKey }

// Continues returns an error that wraps audit.ErrUnsound unless the log holds at newer all that
// it held at older.
func (t *Trail) Continues(ctx context.Context, older, newer audit.Checkpoint) error {
	return audit.CheckExtension(ctx, t.Store, t.Log, older, newer)
}

// Append makes the record durable. It flushes the backlog first, so the backlog is empty when it
// returns nil. intent is nil unless the record's intent was in the backlog.
func (t *Trail) Append(r *audit.Record, intent *Entry) (uint64, error) {
	return t.AppendIn(nil, r, intent)
}

// AppendIn is Append for a record of a turn, whose commit may take or return the lease of the series
// (once.Turn.Commit). turn is nil for a record of none.
func (t *Trail) AppendIn(turn *once.Turn, r *audit.Record, intent *Entry) (uint64, error) {
	ctx := t.deadlines.context()
	if err := t.backlog.flush(ctx); err != nil {
		return 0, err
	}
	if intent != nil {
		index, written := t.backlog.position(intent)
		if !written {
			return 0, errBacklog
		}
		r.Intent = index
	}
	return turn.Commit(r, func(r *audit.Record, lease *audit.LeaseChange) (uint64, error) { return t.write(ctx, r, lease) })
}

// write appends the record and notes the result. It does not flush the backlog.
func (t *Trail) write(ctx context.Context, r *audit.Record, lease *audit.LeaseChange) (uint64, error) {
	if err := t.cosigned.Contradicted(); err != nil {
		t.status.observe(r, err)
		return 0, err
	}
	if err := t.markInvented(ctx, r); err != nil {
		t.noteLost(err)
		t.status.observe(r, err)
		return 0, err
	}
	index, err := t.writer.AppendWith(ctx, r, lease)
	if errors.Is(err, audit.ErrLeaseTaken) {
		return 0, err // the store works
	}
	if errors.Is(err, audit.ErrConflict) {
		t.overtaken.Store(true)
	}
	t.noteLost(err)
	t.status.observe(r, err)
	return index, err
}

// Close flushes the backlog, ends the trail and closes its store. It logs the records that are
// lost.
func (t *Trail) Close() error {
	openTrails.Remove(t)
	settling := t.Coordinator.Close()
	t.monitors.Close()
	lost, reason := t.backlog.end()
	t.report(lost, reason)
	t.reportLost()
	written := t.writer.Close()
	t.sentinel.Close()
	return errors.Join(settling, written, t.Store.Close())
}
