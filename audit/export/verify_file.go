package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/ordered"
)

// file verifies a file of records and the file of their invoices.
func (v *verifier) file(ctx context.Context, f *RecordFile) error {
	before := v.report.FaultCount
	invoices, err := v.openInvoices(f)
	if err != nil {
		return err
	}
	defer invoices.close()
	source, err := openLines(v.folder, f.Name)
	if errors.Is(err, fs.ErrNotExist) {
		v.report.fault(f.Name, 0, "the file is missing: records %d to %d", f.First, f.end()-1)
		v.next = f.end()
		return nil
	}
	if err != nil {
		return err
	}
	defer source.close()
	counted := RecordFile{First: f.First}
	if err := v.records(ctx, source, f, &counted, invoices); err != nil {
		return err
	}
	if v.next < f.end() {
		v.report.fault(f.Name, 0, "it ends before record %d, the manifest says that it has %d to %d: records are missing", v.next, f.First, f.end()-1)
	}
	v.next = f.end()
	bytes, digest, err := source.sum()
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.Name, err)
	}
	if v.report.FaultCount == before {
		v.compareFile(f, &counted, bytes, digest)
	}
	return invoices.finish(v, f, v.report.FaultCount == before)
}

// compareFile compares what was found in a file without a fault with the manifest.
func (v *verifier) compareFile(f, counted *RecordFile, bytes int64, digest string) {
	switch root := hexRoot(v.tree.Root()); {
	case bytes != f.Bytes || digest != f.SHA256:
		v.report.fault(f.Name, 0, "%d bytes with the SHA-256 %s, the manifest says %d and %s", bytes, digest, f.Bytes, f.SHA256)
	case counted.Purged != f.Purged || counted.Sealed != f.Sealed:
		v.report.fault(f.Name, 0, "%d purged and %d sealed records, the manifest says %d and %d", counted.Purged, counted.Sealed, f.Purged, f.Sealed)
	case root != f.Root && v.report.Sound():
		v.report.fault(f.Name, 0, "the records up to its end give the root %s, the manifest says %s: some of them were changed", root, f.Root)
	}
}

// records reads the lines of a file.
func (v *verifier) records(ctx context.Context, source *lines, f, counted *RecordFile, invoices *invoiceCheck) error {
	for some, err := range ordered.Do(source.chunks(ctx), readChunk) {
		if errors.Is(err, errDamaged) {
			v.report.fault(f.Name, 0, "%v", err)
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", f.Name, err)
		}
		for i := range some {
			v.record(f, &some[i], counted)
			if r := some[i].record; r != nil {
				if err := invoices.rows(v, r, some[i].details); err != nil {
					return err
				}
			}
		}
		v.options.Progress(v.tree.Size(), v.manifest.Size)
	}
	return nil
}

// record verifies a line. After one that is wrong the next ones are still looked at, each
// for itself.
func (v *verifier) record(f *RecordFile, r *readRecord, counted *RecordFile) {
	index := v.next
	v.next++
	v.tree.Add(r.leaf, nil)
	if r.record == nil {
		v.report.fault(f.Name, r.line, "%v", r.err)
		return
	}
	switch r.record.Presence {
	case audit.Purged:
		counted.Purged++
		v.report.Purged++
		v.checkPurged(f, r)
	case audit.Sealed:
		counted.Sealed++
		v.report.Sealed++
	}
	at := r.record.Index
	if verify.IsPurgeRecord(r.record) && r.err == nil && !v.book.Has(at) {
		v.report.fault(manifestName, 0, "purges: the record %d is missing", at)
	}
	v.intents(r.record)
	switch {
	case r.err != nil:
		v.report.fault(f.Name, r.line, "record %d: %v", at, r.err)
	case r.record.Log != v.log:
		v.report.fault(f.Name, r.line, "record %d is one of the log %q", at, r.record.Log)
		v.log = r.record.Log // reported once for all that follow
	case at < index:
		v.report.fault(f.Name, r.line, "record %d stands where %d belongs: it was added, or put after others", at, index)
	case at > index:
		v.report.fault(f.Name, r.line, "record %d stands where %d belongs: records are missing here, or were put after others", at, index)
	case at == f.end():
		v.report.fault(f.Name, r.line, "record %d comes after the last that the manifest says: it was added", at)
	}
	v.next = at + 1 // so that a place is a fault once
	v.compareKnown()
}
