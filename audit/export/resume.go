package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/invoice"
	"github.com/fielato/fielato/internal/ordered"
	"github.com/fielato/fielato/internal/timestamp"
)

// errForeign: a folder is no export of this log.
var errForeign = errors.New("give a new folder, or that of an export of this log")

// load reads how far the folder is, and reports whether there is nothing left to do.
func (e *exporter) load() (finished bool, err error) {
	entries, err := fs.ReadDir(e.folder, ".")
	if err != nil {
		return false, fmt.Errorf("reading the folder: %w", err)
	}
	for _, entry := range entries {
		if !isFileName(entry.Name()) || !entry.Type().IsRegular() {
			return false, fmt.Errorf("%s is not part of an export: %w", entry.Name(), errForeign)
		}
	}
	e.state = &Manifest{
		Format: exportFormat, Log: e.log, PublicKey: e.options.Verifier, FileRecords: e.options.FileRecords, Files: []RecordFile{},
	}
	if e.options.Compress {
		e.state.Compression = compressionZstd
	}
	there, err := readManifest(e.folder, progressName)
	unfinished := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		there, err = readManifest(e.folder, manifestName)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && hasFiles(entries):
		return false, fmt.Errorf("it has files of an export, and neither %s nor %s: %w", manifestName, progressName, errForeign)
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", err, errForeign)
	}
	if err := e.takeOver(there); err != nil {
		return false, err
	}
	return !unfinished && e.state.Size == e.target.Size && e.state.Checkpoint != "" && e.state.Format == exportFormat, nil
}

// hasFiles reports whether there is more than what a run leaves that was cut off
// before it had written anything down.
func hasFiles(entries []fs.DirEntry) bool {
	for _, entry := range entries {
		if entry.Name() != progressName+partialSuffix {
			return true
		}
	}
	return false
}

// takeOver takes over what there is, as far as it is whole.
func (e *exporter) takeOver(there *Manifest) error {
	switch {
	case there.Log != e.log || there.PublicKey != e.options.Verifier:
		return fmt.Errorf("the folder has an export of log %q with the key %s: %w", there.Log, there.PublicKey, errForeign)
	case there.FileRecords != e.state.FileRecords || there.Compression != e.state.Compression:
		return fmt.Errorf("the export in the folder has %d records a file and the compression %q: continue with the same, or %w",
			there.FileRecords, there.Compression, errForeign)
	case there.Size > e.target.Size:
		return fmt.Errorf("%w: the export has %d records, the log %d: the store is an older copy, or another one",
			audit.ErrUnsound, there.Size, e.target.Size)
	case there.Size == e.target.Size && there.Size > 0 && there.Files[len(there.Files)-1].Root != hexRoot(e.target.Root):
		return e.otherHistory(there.Size)
	}
	whole := 0
	for ; whole < len(there.Files); whole++ {
		f := &there.Files[whole]
		if f.Records < there.FileRecords && f.end() < e.target.Size {
			break // it is to have more records now
		}
		if !hasSize(e.folder, f.Name, f.Bytes) || !hasSize(e.folder, f.Invoices.Name, f.Invoices.Bytes) {
			break
		}
	}
	if whole < len(there.Files) {
		there.cut(whole)
	}
	e.state = there
	return nil
}

func hasSize(folder fs.FS, name string, size int64) bool {
	info, err := fs.Stat(folder, name)
	return err == nil && info.Size() == size
}

// catchUp makes the tree and the table of invoices what they were after the last file
// that is whole.
func (e *exporter) catchUp(ctx context.Context) (err error) {
	e.tree = new(audit.Tree)
	if e.state.Size == 0 {
		return nil
	}
	// The size is the end of a file, and so of a tile, or the end of the log.
	if e.tree, err = audit.ReadTree(ctx, e.store, e.log, e.state.Size); err != nil {
		return fmt.Errorf("reading its tree: %w", err)
	}
	last := e.state.Files[len(e.state.Files)-1]
	if hexRoot(e.tree.Root()) != last.Root {
		return e.otherHistory(e.state.Size)
	}
	if e.state.Size == e.target.Size {
		return nil
	}
	for i := range e.state.Files {
		f := &e.state.Files[i]
		if f.end()+invoice.JoinWindow <= e.state.Size {
			continue
		}
		if err := e.replay(ctx, f); err != nil {
			return fmt.Errorf("reading %s, to continue after it: %w; remove the file, and it is exported again", f.Name, err)
		}
	}
	return nil
}

func (e *exporter) otherHistory(size uint64) error {
	return fmt.Errorf("%w: after %d records it is not the log that the export in the folder is of", audit.ErrUnsound, size)
}

// replay passes the records of a file by the table of invoices, which needs to know the
// intents. They are read from the file and not from the store: the store may have
// purged content that the file still has.
func (e *exporter) replay(ctx context.Context, f *RecordFile) error {
	source, err := openLines(e.folder, f.Name)
	if err != nil {
		return err
	}
	defer source.close()
	for some, err := range ordered.Do(source.chunks(ctx), readChunk) {
		if err != nil {
			return err
		}
		for i := range some {
			if some[i].err != nil {
				return fmt.Errorf("line %d: %w", some[i].line, some[i].err)
			}
			if err := e.table.Rows(some[i].record, some[i].details, func([]string) error { return nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeStale removes the files that the manifest does not name. The notes come last: while they
// are there, there may be more.
func (e *exporter) removeStale() error {
	entries, err := fs.ReadDir(e.folder, ".")
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	named := map[string]bool{manifestName: true, progressName: true}
	if e.state.Timestamped != nil {
		named[timestamp.DocumentFile], named[timestamp.ReplyFile] = true, true
	}
	for i := range e.state.Files {
		named[e.state.Files[i].Name], named[e.state.Files[i].Invoices.Name] = true, true
	}
	for _, entry := range entries {
		if named[entry.Name()] {
			continue
		}
		if err := e.folder.Remove(entry.Name()); err != nil {
			return fmt.Errorf("removing %s: %w", entry.Name(), err)
		}
	}
	if err := e.folder.Remove(progressName); err != nil {
		return fmt.Errorf("removing %s: %w", progressName, err)
	}
	return nil
}
