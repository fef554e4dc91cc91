package audit

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"golang.org/x/mod/sumdb/tlog"
)

var (
	// ErrNotFound: there is no record with this index.
	ErrNotFound = errors.New("no such record")
	// ErrConflict: the batch does not start where the log ends. The log has another writer,
	// which must never happen.
	ErrConflict = errors.New("the log has another size than its writer believes")
	// ErrUncertain: a commit failed, and the store could not be asked afterwards. The record
	// may be in the log, or not.
	ErrUncertain = errors.New("it is not known whether the record was written")
	// ErrDamaged: what a store keeps has not the form in which it was written. Other errors of
	// reading leave the evidence open: it may be sound.
	ErrDamaged = errors.New("damaged")
	// ErrLost: the files of a store were removed or replaced while it has them open. What it
	// writes to them would end with the process, so it writes nothing more.
	ErrLost = errors.New("the files of the trail are gone")
	// ErrClosed: the trail or the store is closed.
	ErrClosed = errors.New("the trail is closed")
)

// Entry is a record as a store keeps it: its canonical form, and what it is
// found by.
type Entry struct {
	Index uint64
	// Form is the record's canonical form (Record.Encode). A store keeps both parts
	// byte for byte; it may compress them. The memory is the trail's: it is used again
	// once Commit has returned nil.
	Form Form
	// Leaf is Form.Leaf.
	Leaf tlog.Hash
	// Record is what Form encodes. A store reads its search keys from it and
	// changes nothing; its Log and Index are not set yet.
	Record *Record
	// Prepared is the result of the store's own Preparer for Form and Record, nil
	// where nothing was prepared. Commit works without it.
	Prepared any
	// Lease is a change that the commit makes beside the record, in a store with Leases; nil for none.
	Lease *LeaseChange
}

// Batch is what one Commit makes durable: consecutive entries of one log, what they
// add to its tree, and the checkpoint over all that the log has then. A batch without
// entries replaces the checkpoint alone.
type Batch struct {
	Log string
	// First is the size that the log must have before, the index of the first entry.
	First   uint64
	Entries []Entry
	// Tiles are those that the entries complete. A store keeps them as they are.
	Tiles []Tile
	// Checkpoint is the signed note. A store keeps it byte for byte, in place of
	// the one before.
	Checkpoint []byte
}

// Piece is a run of neighbouring records that a store keeps together.
type Piece struct {
	// First is the index of the first of them.
	First uint64
	// Unpack returns their forms, in order. It may be called once, on any goroutine; its result
	// belongs to the caller. An error means that the piece is damaged.
	Unpack func() ([]Form, error)
	// Release gives the memory of the forms back to the store, which uses it again. It may be called once,
	// after the last use of the forms and of records that share their memory. It is nil where there
	// is nothing to give back.
	Release func()
	// Check compares the store's index of the records with the records themselves. It is nil
	// where there is no index. An error about one record wraps a RecordError. Check keeps
	// nothing of the records.
	Check func(records []*Record) error
	// Leaves are the leaf hashes that the store keeps beside the records, one after the
	// other; none if it has them in tiles only.
	Leaves []byte
}

// RecordError is an error about one record.
type RecordError struct {
	Index uint64
	Err   error
}

// Error names the record first.
func (e *RecordError) Error() string { return fmt.Sprintf("record %d: %v", e.Index, e.Err) }

// Unwrap returns Err.
func (e *RecordError) Unwrap() error { return e.Err }

// Head is the state of a log.
type Head struct {
	// Size is the number of records: the next index.
	Size uint64
	// Checkpoint is the one of the newest batch, nil if there was none yet.
	Checkpoint []byte
}

// Store keeps the entries of logs. Implementations are safe for concurrent use;
// the trail calls Commit from one goroutine only.
type Store interface {
	// Head returns the state of the log, the zero Head for one that does not exist. It waits
	// for a Commit that is under way: its result is final.
	Head(ctx context.Context, log string) (Head, error)
	// Commit appends the batch, all of it or nothing. If it returns nil, all of it survives a
	// power cut. If it returns an error, the batch was normally not written; if the connection
	// to the store broke at the wrong moment it may have been, and Head shows whether it was.
	// The batch's First must be the log's size (ErrConflict: nothing was written). In a store with
	// Leases it makes the changes of the entries too, or fails with a LeasesTakenError.
	Commit(ctx context.Context, batch Batch) error
	// Scan yields all that the store keeps of the log from the record first on, in
	// order: what was committed when it began. It reads, and checks nothing.
	Scan(ctx context.Context, log string, first uint64) iter.Seq2[Piece, error]
	// Get returns one record (ErrNotFound).
	Get(ctx context.Context, log string, index uint64) (*Record, error)
	// Tile returns the hashes of a full tile (ErrNotFound).
	Tile(ctx context.Context, log string, level int, n uint64) ([]byte, error)
	// Leaves returns the leaf hashes of the records first <= index < end, one after
	// the other, where all of them belong to one tile. Of records in a full tile the
	// store may have them there only (ErrNotFound).
	Leaves(ctx context.Context, log string, first, end uint64) ([]byte, error)
	// Search yields the records that match (Query.Matches), newest first: those
	// that were committed when it began, all of them. It stops at the first error.
	// What a consumer does between two records does not hold the store up.
	Search(ctx context.Context, query Query) iter.Seq2[*Record, error]
	// Logs returns the names of all logs that have a record or a checkpoint, sorted.
	Logs(ctx context.Context) ([]string, error)
	// Secret returns the value kept under name, made by create on first use. It
	// is for keys that must stay the same as long as the store lives.
	Secret(ctx context.Context, name string, create func() ([]byte, error)) ([]byte, error)
	// Setting returns the value that was last kept under name, nil if none was.
	Setting(ctx context.Context, name string) ([]byte, error)
	// SetSetting keeps value under name in place of the one before. When it returns
	// nil, that survives a power cut.
	SetSetting(ctx context.Context, name string, value []byte) error
	// Close releases the store. What was committed stays.
	Close() error
}

// Preparer is an optional part of a Store: the work of a Commit that needs no index, such as
// compression. The trail calls it on the goroutine that appends, to leave the one writer as
// little as possible.
type Preparer interface {
	// Prepare returns the value for Entry.Prepared. It does not keep r.
	Prepare(form Form, r *Record) any
}

// Attached is an optional part of a Store whose files can be removed while it has them open.
type Attached interface {
	// Attached returns an error that wraps ErrLost if that has happened. It looks at the files.
	Attached() error
}

// Glimpser is an optional part of a Store that is written here.
type Glimpser interface {
	// Glimpse returns what Head does, but waits for nothing and holds nobody up: a Commit that is under way
	// is not in it.
	Glimpse(ctx context.Context, log string) (Head, error)
}

// Glimpse returns the state of a log without holding its writer up, where the store can do that.
func Glimpse(ctx context.Context, store Store, log string) (Head, error) {
	if g, ok := store.(Glimpser); ok {
		return g.Glimpse(ctx, log)
	}
	return store.Head(ctx, log)
}

// Inspector is an optional part of a Store: a check of all that it keeps except for what Scan,
// Tile, Leaves and Head return, such as a search index. Package verify calls it.
type Inspector interface {
	// Inspect compares all this with the records of the log that are there, and calls found for
	// each Flaw, on the caller's goroutine. An error means that it could not look. It needs no
	// more memory for a longer log.
	Inspect(ctx context.Context, log string, found func(Flaw)) error
}
