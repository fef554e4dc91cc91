package export

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/invoice"
	"github.com/fielato/fielato/internal/ordered"
)

// defaultFileRecords is Options.FileRecords if it is 0.
const defaultFileRecords = 1 << 16

// maxLine bounds what one line of an export can make its reader allocate, in bytes. No
// record that a store keeps comes near it.
const maxLine = 1 << 30

// Options configure Write. Only Verifier is required.
type Options struct {
	// Verifier is the public key of the log (Key.Verifier).
	Verifier string
	// FileRecords is how many records a file has, 65,536 if it is 0; a multiple of
	// TileWidth. It and Compress must be those with which the export began.
	FileRecords uint64
	// Compress makes the files of records zstd frames. The invoices stay plain, for spreadsheets.
	Compress bool
	// Stamp is a time-stamp for a checkpoint of the log, nil for none. It is left out if the checkpoint is over more
	// records than the export.
	Stamp *Stamp
	// Progress is called during the export with the number of records written and the number
	// in the log.
	Progress func(done, total uint64)
}

// Write writes a log into a folder: every record up to the newest checkpoint as JSON Lines, the
// invoices in them as CSV, and a manifest with that checkpoint, last.
//
// It continues after the last whole file of an earlier run. A finished export of a log that
// has grown since is extended, and stays valid until the new one is finished. A folder with
// anything else in it is refused, and so is one of another log, or of the same log with
// another history (ErrUnsound). Two runs must not write the same folder at the same time.
//
// A record that was purged or sealed in the store when its file was written is purged or
// sealed in the export.
func Write(ctx context.Context, store audit.Store, log string, folder Folder, options Options) (*Manifest, error) {
	if options.FileRecords == 0 {
		options.FileRecords = defaultFileRecords
	}
	if options.FileRecords%audit.TileWidth != 0 {
		return nil, fmt.Errorf("exporting log %q: %d records a file is not a multiple of %d", log, options.FileRecords, audit.TileWidth)
	}
	if options.Progress == nil {
		options.Progress = func(uint64, uint64) {}
	}
	e := &exporter{store: store, log: log, folder: folder, options: options, table: invoice.NewTable()}
	if err := e.run(ctx); err != nil {
		return nil, fmt.Errorf("exporting log %q: %w", log, err)
	}
	return e.state, nil
}

// exporter is one run of an export.
type exporter struct {
	store   audit.Store
	log     string
	folder  Folder
	options Options

	// target is the checkpoint that the export is over, signed its note.
	target audit.Checkpoint
	signed []byte
	// cosigned is the newest checkpoint that witnesses have signed, nil for none.
	cosigned []byte
	// state lists the files that are whole. tree is over their records and the records of the part
	// that is being written. part is nil if there is none.
	state *Manifest
	tree  *audit.Tree
	table *invoice.Table
	part  *part
	// out writes the part.
	out *outbox
}

// run does things in this order, so that a folder is an export, or known not to be one
// yet, whenever it is cut off: notes, files, notes after each file, manifest, removal of
// files that the manifest does not name.
func (e *exporter) run(ctx context.Context) error {
	if err := e.readTarget(ctx); err != nil {
		return err
	}
	finished, err := e.load()
	if err != nil {
		return err
	}
	if finished {
		return e.renew(ctx)
	}
	if err := e.catchUp(ctx); err != nil {
		return err
	}
	if err := e.state.write(e.folder, progressName); err != nil {
		return err
	}
	if err := e.write(ctx); err != nil {
		if e.part != nil {
			err = errors.Join(err, e.part.abandon())
		}
		return err
	}
	if root := e.tree.Root(); root != e.target.Root {
		return fmt.Errorf("%w: its records give the root %s, its checkpoint says %s", audit.ErrUnsound, root, e.target.Root)
	}
	e.state.Checkpoint, e.state.Format = string(e.signed), exportFormat
	if e.state.Purges, err = e.purges(ctx); err != nil {
		return err
	}
	if _, err := e.witness(ctx); err != nil {
		return err
	}
	if _, err := e.stamp(ctx); err != nil {
		return err
	}
	return e.finish()
}

// finish makes the folder the export of the state. The notes are there.
func (e *exporter) finish() error {
	if err := e.writeStamp(); err != nil {
		return err
	}
	if err := e.state.write(e.folder, manifestName); err != nil {
		return err
	}
	return e.removeStale()
}

// readTarget reads the checkpoint that the export is over.
func (e *exporter) readTarget(ctx context.Context) (err error) {
	// It comes before the head: a gateway at work may have a later one cosigned at any moment.
	if _, e.cosigned, err = audit.Cosigned(ctx, e.store, e.log, e.options.Verifier); err != nil {
		return err
	}
	head, err := e.store.Head(ctx, e.log)
	if err != nil {
		return fmt.Errorf("reading its head: %w", err)
	}
	if head.Checkpoint == nil {
		return fmt.Errorf("%w: it has %d records and no checkpoint", audit.ErrUnsound, head.Size)
	}
	if e.target, err = audit.OpenCheckpoint(head.Checkpoint, e.options.Verifier); err != nil {
		return err
	}
	if !audit.IsOrigin(e.target.Origin, e.log) || e.target.Size != head.Size {
		return fmt.Errorf("%w: it has %d records, its checkpoint is one of %q over %d",
			audit.ErrUnsound, head.Size, e.target.Origin, e.target.Size)
	}
	e.signed = head.Checkpoint
	return nil
}

// write writes the records that are not in a file yet.
func (e *exporter) write(ctx context.Context) error {
	if e.state.Size == e.target.Size {
		return nil
	}
	from := e.state.Size
	e.out = newOutbox()
	defer e.out.close()
	unpack := func(piece audit.Piece) unpacked { return unpackLines(piece, e.log, from) }
	for some, err := range ordered.Do(e.store.Scan(ctx, e.log, from), unpack) {
		if err != nil {
			return err
		}
		if some.err != nil {
			return some.err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.addPiece(&some); err != nil || e.state.Size == e.target.Size {
			return err
		}
		e.options.Progress(e.tree.Size(), e.target.Size)
	}
	return fmt.Errorf("%w: its records end with %d, its checkpoint is over %d", audit.ErrUnsound, e.tree.Size(), e.target.Size)
}

// addPiece writes the records of a piece, up to the end of the export.
func (e *exporter) addPiece(some *unpacked) error {
	first, start, end := 0, 0, 0 // the block that is begun: its first record, and the text of its lines
	for i := range some.records {
		x := &some.records[i]
		if err := e.add(x); err != nil {
			return err
		}
		end += len(x.line)
		if e.part.file.Records < e.options.FileRecords && e.tree.Size() < e.target.Size {
			continue
		}
		if err := e.put(some.records[first].record.Index, (*some.text)[start:end], func() {}); err != nil {
			return err
		}
		if err := e.finishPart(); err != nil || e.tree.Size() == e.target.Size {
			return err
		}
		first, start = i+1, end
	}
	if start == end {
		some.release()
		return nil
	}
	return e.put(some.records[first].record.Index, (*some.text)[start:end], some.release)
}

// put hands the lines from a record on, and the rows of their invoices, to the outbox.
func (e *exporter) put(first uint64, lines []byte, release func()) error {
	block, err := e.part.block(first, lines, release)
	if err != nil {
		return err
	}
	return e.out.put(block)
}

// add takes one more record, which must be the next.
func (e *exporter) add(x *exported) error {
	if x.record.Index != e.tree.Size() {
		return fmt.Errorf("%w: record %d comes where %d should", audit.ErrUnsound, x.record.Index, e.tree.Size())
	}
	if e.part == nil {
		part, err := newPart(e.folder, x.record.Index, e.state.Compression)
		if err != nil {
			return err
		}
		e.part = part
	}
	if err := e.part.add(&x.record, x.details, e.table); err != nil {
		return err
	}
	e.tree.Add(x.leaf, nil)
	return nil
}

func (e *exporter) finishPart() error {
	if err := e.out.flush(); err != nil {
		return err
	}
	done := e.part
	e.part = nil // finish closes it, however it ends
	file, err := done.finish(e.state.Compression)
	if err != nil {
		return err
	}
	file.Root = hexRoot(e.tree.Root())
	e.state.Files = append(e.state.Files, *file)
	e.state.add(file)
	e.options.Progress(e.tree.Size(), e.target.Size)
	return e.state.write(e.folder, progressName)
}
