package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/timestamp"
)

// Stamp is a checkpoint of a log with a time-stamp for it.
type Stamp struct {
	// Checkpoint is the signed note that was stamped, and Reply the authority's answer (RFC 3161), in DER.
	Checkpoint, Reply []byte
}

// Timestamped is the time-stamp of an export. The checkpoint that was stamped covers the first records of the export,
// or all of them.
type Timestamped struct {
	// Checkpoint is the file with the signed note, and Reply the one with the authority's answer.
	Checkpoint StampFile `json:"checkpoint"`
	Reply      StampFile `json:"reply"`
	// Consistency proves that the checkpoint of the export continues the one that was stamped, as in Witnessed.
	Consistency []string `json:"consistency,omitempty"`
}

// StampFile is a file of a time-stamp.
type StampFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func stampFileOf(name string, content []byte) StampFile {
	digest := sha256.Sum256(content)
	return StampFile{name, int64(len(content)), hex.EncodeToString(digest[:])}
}

// check reports whether the files have their names.
func (t *Timestamped) check() error {
	if t.Checkpoint.Name != timestamp.DocumentFile || t.Reply.Name != timestamp.ReplyFile {
		return fmt.Errorf("the files of the time-stamp are called %s and %s, not %s and %s", t.Checkpoint.Name, t.Reply.Name, timestamp.DocumentFile, timestamp.ReplyFile)
	}
	return nil
}

// read returns the content of a file. The error wraps fs.ErrNotExist where there is none, errOtherFile where it is not
// the one that the manifest names.
func (f StampFile) read(folder fs.FS) ([]byte, error) {
	file, err := folder.Open(f.Name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, timestamp.MaxFile+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name, err)
	}
	if len(content) > timestamp.MaxFile || stampFileOf(f.Name, content) != f {
		return nil, errOtherFile
	}
	return content, nil
}

// errOtherFile: a file of the time-stamp is not the one of the manifest.
var errOtherFile = errors.New("it is not the file that the manifest names")

// stamp sets the time-stamp of the export, and reports whether it is another one than before, or its files are not
// there.
func (e *exporter) stamp(ctx context.Context) (changed bool, err error) {
	before := e.state.Timestamped
	e.state.Timestamped = nil
	if e.options.Stamp != nil {
		if e.state.Timestamped, err = e.timestamped(ctx, e.options.Stamp); err != nil {
			return false, err
		}
	}
	now := e.state.Timestamped
	if !reflect.DeepEqual(before, now) {
		return true, nil
	}
	return now != nil && !(now.Checkpoint.isIn(e.folder) && now.Reply.isIn(e.folder)), nil
}

func (f StampFile) isIn(folder fs.FS) bool {
	_, err := f.read(folder)
	return err == nil
}

// timestamped returns the member of the manifest for a time-stamp, nil for one that does not fit the export.
func (e *exporter) timestamped(ctx context.Context, stamp *Stamp) (*Timestamped, error) {
	if len(stamp.Checkpoint) > timestamp.MaxFile || len(stamp.Reply) > timestamp.MaxFile {
		return nil, fmt.Errorf("the time-stamp has more than %d bytes", timestamp.MaxFile)
	}
	checkpoint, err := audit.OpenLogCheckpoint(stamp.Checkpoint, e.options.Verifier, e.log)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint that was stamped: %w", err)
	}
	if _, err := timestamp.Look(stamp.Reply, stamp.Checkpoint); err != nil {
		return nil, fmt.Errorf("the time-stamp: %w", err)
	}
	if checkpoint.Size == 0 || checkpoint.Size > e.target.Size {
		return nil, nil
	}
	proof, err := audit.ProveExtension(ctx, e.store, e.log, checkpoint, e.target)
	if err != nil {
		return nil, fmt.Errorf("comparing it with what was stamped: %w", err)
	}
	return &Timestamped{stampFileOf(timestamp.DocumentFile, stamp.Checkpoint), stampFileOf(timestamp.ReplyFile, stamp.Reply), textsOf(proof)}, nil
}

// writeStamp writes the files of the time-stamp. The notes must be there: until the manifest is written, it may name
// other ones.
func (e *exporter) writeStamp() error {
	if e.state.Timestamped == nil {
		return nil
	}
	if err := writeFile(e.folder, timestamp.DocumentFile, e.options.Stamp.Checkpoint); err != nil {
		return err
	}
	return writeFile(e.folder, timestamp.ReplyFile, e.options.Stamp.Reply)
}

// renew takes over what witnesses and the authority have signed since an export was finished.
func (e *exporter) renew(ctx context.Context) error {
	witnessed, err := e.witness(ctx)
	if err != nil {
		return err
	}
	stamped, err := e.stamp(ctx)
	switch {
	case err != nil || !witnessed && !stamped:
		return err
	case !stamped:
		return e.state.write(e.folder, manifestName)
	}
	if err := e.state.write(e.folder, progressName); err != nil {
		return err
	}
	return e.finish()
}

// Timestamp is a time-stamp for the first records of an export, or for all of them.
type Timestamp struct {
	// Checkpoint is the one that was stamped.
	Checkpoint audit.Checkpoint
	Stamp
	// Time and Authority are as in the stamp. Whether the authority is one to trust was not looked at.
	Time      time.Time
	Authority string
}

// timestamped checks the time-stamp, except whose it is.
func (v *verifier) timestamped() error {
	t := v.manifest.Timestamped
	if t == nil {
		return nil
	}
	var both [2][]byte
	for i, file := range []StampFile{t.Checkpoint, t.Reply} {
		content, err := file.read(v.folder)
		wrong := errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOtherFile)
		switch {
		case wrong && v.unfinished: // the later export has other ones
			v.report.Unfinished = append(v.report.Unfinished, file.Name)
			return nil
		case errors.Is(err, fs.ErrNotExist):
			v.report.fault(file.Name, 0, "the file is missing")
			return nil
		case wrong:
			v.report.fault(file.Name, 0, "%v", err)
			return nil
		case err != nil:
			return err
		}
		both[i] = content
	}
	v.checkStamp(t, both[0], both[1])
	return nil
}

func (v *verifier) checkStamp(t *Timestamped, signed, reply []byte) {
	checkpoint, err := audit.OpenLogCheckpoint(signed, v.report.PublicKey, v.manifest.Log)
	if err != nil {
		v.report.fault(timestamp.DocumentFile, 0, "the checkpoint that was stamped: %v", err)
		return
	}
	proof, err := readHashes(t.Consistency)
	if err == nil {
		err = tlog.CheckTree(proof, int64(v.report.Checkpoint.Size), v.report.Checkpoint.Root, int64(checkpoint.Size), checkpoint.Root)
	}
	if err != nil {
		v.report.fault(timestamp.DocumentFile, 0, "the export with %d records is not shown to continue the stamped checkpoint over %d: %v",
			v.report.Checkpoint.Size, checkpoint.Size, err)
		return
	}
	stamp, err := timestamp.Look(reply, signed)
	if err != nil {
		v.report.fault(timestamp.ReplyFile, 0, "%v", err)
		return
	}
	v.report.Timestamp = &Timestamp{checkpoint, Stamp{signed, reply}, stamp.Time, stamp.Authority}
}
