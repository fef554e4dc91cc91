package site

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/wsfev1"
)

// ErrBound: this takes the records of all issuers, and the reader may see some.
var ErrBound = errors.New("this takes the records of all issuers")

// boundStore is a store as a reader of some issuers sees it: as if it held their records alone. A record of
// another issuer, or of none, is not found like one that does not exist. What cannot be so bounded is refused.
// It embeds nothing, so that each new method of a store is decided here.
type boundStore struct {
	store audit.Store
	cuits []wsfev1.CUIT
	logs  []string

	mu sync.Mutex // guards ends
	// ends has of each log the index behind the reader's newest record, as of when somebody first asked.
	ends map[string]uint64
}

var _ audit.Store = (*boundStore)(nil)

// newBoundStore returns the store. With alone, its log is the only one that the pages read. Of several, in this store or
// others, it has only those in which the reader has a record: their names tell of others.
func newBoundStore(ctx context.Context, store audit.Store, scope Scope, logs []string, alone bool) (*boundStore, error) {
	b := &boundStore{store: store, cuits: scope.cuits, logs: logs, ends: map[string]uint64{}}
	if alone {
		return b, nil
	}
	b.logs = nil
	for _, log := range logs {
		end, err := b.end(ctx, log)
		if err != nil {
			return nil, err
		}
		if end > 0 {
			b.logs = append(b.logs, log)
		}
	}
	return b, nil
}

// end returns the index behind the reader's newest record in a log, 0 if there is none.
func (b *boundStore) end(ctx context.Context, log string) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if end, ok := b.ends[log]; ok {
		return end, nil
	}
	b.ends[log] = 0
	for r, err := range b.Search(ctx, audit.Query{Log: log, Limit: 1}) {
		if err != nil {
			delete(b.ends, log)
			return 0, fmt.Errorf("looking for the newest record of log %s: %w", log, err)
		}
		b.ends[log] = r.Index + 1
	}
	return b.ends[log], nil
}

// Head implements audit.Store: the log ends with the reader's newest record. The checkpoint counts all
// records, so there is none.
func (b *boundStore) Head(ctx context.Context, log string) (audit.Head, error) {
	end, err := b.end(ctx, log)
	return audit.Head{Size: end}, err
}

// Search implements audit.Store.
func (b *boundStore) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	own := b.cuits
	if len(query.Cuits) > 0 {
		own = slices.DeleteFunc(slices.Clone(own), func(cuit wsfev1.CUIT) bool { return !slices.Contains(query.Cuits, cuit) })
	}
	isAnothers := query.Cuit != 0 && !slices.Contains(own, query.Cuit)
	if len(own) == 0 || isAnothers || query.Kind == audit.KindAccess || query.Kind == audit.KindOutage {
		return func(func(*audit.Record, error) bool) {}
	}
	query.Cuits = own
	return b.store.Search(ctx, query)
}

// Get implements audit.Store. The record is read before it is known whose it is. So that the time does not tell
// whether there is one, an answer that there is none always takes two reads: of a record, and of nothing.
func (b *boundStore) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	r, err := b.store.Get(ctx, log, index)
	return b.shown(ctx, log, index, r, err)
}

// shown returns a record that was read, or why it could not be read, as the reader may know it.
func (b *boundStore) shown(ctx context.Context, log string, index uint64, r *audit.Record, err error) (*audit.Record, error) {
	if err == nil {
		var own bool
		if own, err = b.isOwn(ctx, r); own {
			return r, nil
		}
	}
	if err == nil || isAbout(err) {
		b.readOther(ctx, log, index, err == nil)
		err = fmt.Errorf("record %d of log %q: %w", index, log, audit.ErrNotFound)
	}
	return nil, err
}

// boundReader is a RecordReader of a log for a reader.
type boundReader struct {
	records audit.RecordReader
	bound   *boundStore
	log     string
}

// Get implements audit.RecordReader.
func (r boundReader) Get(ctx context.Context, index uint64) (*audit.Record, error) {
	record, err := r.records.Get(ctx, index)
	return r.bound.shown(ctx, r.log, index, record, err)
}

// Reader implements audit.Reading.
func (b *boundStore) Reader(ctx context.Context, log string) (audit.RecordReader, error) {
	records, err := audit.ReaderOf(ctx, b.store, log)
	if err != nil {
		return nil, err
	}
	return boundReader{records, b, log}, nil
}

// nowhere is an index that no log reaches, but that stores look up like one that a log might reach.
const nowhere = 1 << 31

// decoys chooses the records that are read in place of those that do not exist. It is the same record each time, as it
// would be for one that exists.
var decoys = maphash.MakeSeed()

// readOther reads nothing if another's record was found, or else some record. It returns neither.
func (b *boundStore) readOther(ctx context.Context, log string, index uint64, found bool) {
	end, err := b.end(ctx, log)
	if err != nil {
		return // the reader's next request meets the same error
	}
	other := uint64(nowhere)
	if !found {
		other = maphash.Comparable(decoys, index) % max(end, 1)
	}
	if r, err := b.store.Get(ctx, log, other); err == nil {
		_, _ = b.isOwn(ctx, r)
	}
}

// isOwn reports whether the reader may see a record, as a search with the bound would find it.
func (b *boundStore) isOwn(ctx context.Context, r *audit.Record) (bool, error) {
	var intent *audit.Record
	if r.Cuit == 0 && (r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement) {
		log := r.IntentLog
		if log == "" {
			log = r.Log
		}
		var err error
		if intent, err = b.store.Get(ctx, log, r.Intent); err != nil {
			return false, err
		}
	}
	bound := audit.Query{Kind: r.Kind, Cuits: b.cuits}
	return len(b.cuits) > 0 && bound.Matches(r, intent), nil
}

// isAbout reports whether an error is about one record. Whose a damaged one is, nobody knows.
func isAbout(err error) bool {
	for _, flaw := range []error{audit.ErrNotFound, audit.ErrDamaged, audit.ErrUnsound, audit.ErrEncoding} {
		if errors.Is(err, flaw) {
			return true
		}
	}
	return false
}

// Logs implements audit.Store.
func (b *boundStore) Logs(context.Context) ([]string, error) { return slices.Clone(b.logs), nil }

// Scan implements audit.Store. It is refused.
func (b *boundStore) Scan(context.Context, string, uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) { yield(audit.Piece{}, ErrBound) }
}

// Tile implements audit.Store. It is refused.
func (b *boundStore) Tile(context.Context, string, int, uint64) ([]byte, error) { return nil, ErrBound }

// Leaves implements audit.Store. It is refused.
func (b *boundStore) Leaves(context.Context, string, uint64, uint64) ([]byte, error) {
	return nil, ErrBound
}

// Secret implements audit.Store: the public keys of logs, and no other one.
func (b *boundStore) Secret(ctx context.Context, name string, create func() ([]byte, error)) ([]byte, error) {
	known := name == signingkey.VerifierKey
	for _, log := range b.logs {
		known = known || name == signingkey.VerifierKeyOf(log)
	}
	if !known {
		return nil, ErrBound
	}
	return b.store.Secret(ctx, name, create)
}

// Setting implements audit.Store: whether reads are recorded, since when a log has test invoices, and no other
// one.
func (b *boundStore) Setting(ctx context.Context, name string) ([]byte, error) {
	known := name == trail.LogReadsKey
	for _, log := range b.logs {
		known = known || name == trail.BuiltInKey(log)
	}
	if !known {
		return nil, ErrBound
	}
	return b.store.Setting(ctx, name)
}

// Commit implements audit.Store. It is refused.
func (b *boundStore) Commit(context.Context, audit.Batch) error { return ErrBound }

// SetSetting implements audit.Store. It is refused.
func (b *boundStore) SetSetting(context.Context, string, []byte) error { return ErrBound }

// Close implements audit.Store. It is refused.
func (b *boundStore) Close() error { return ErrBound }
