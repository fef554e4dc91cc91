package sentinel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/durable"
)

const tipSuffix = ".tip"

// Tip is the path of a file with the newest checkpoint that a key has signed of a log. It is empty
// where a key has no place.
type Tip string

// TipOf returns the path for a log, beside the file of the key. key is empty for none.
func TipOf(key, log string) Tip {
	if key == "" {
		return ""
	}
	return Tip(key + "." + url.PathEscape(log) + tipSuffix)
}

// read returns the checkpoint, nil for none. One that another key has signed, or that is damaged, counts
// as none: it says nothing about this log.
func (t Tip) read(log, verifier string) (*audit.Checkpoint, error) {
	if t == "" {
		return nil, nil
	}
	note, err := os.ReadFile(string(t))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what the log has had: %w", err)
	}
	kept, err := audit.OpenLogCheckpoint(note, verifier, log)
	if err != nil {
		return nil, nil //nolint:nilerr // see above
	}
	return &kept, nil
}

// keep replaces the checkpoint, for the key's owner alone, or makes the first one. It does nothing where
// there is no folder, or where a file that was there is gone: its folder was replaced.
func (t Tip) keep(note []byte, first bool) error {
	place := string(t)
	if first {
		place = filepath.Dir(place)
	}
	if _, err := os.Stat(place); t == "" || err != nil {
		return nil //nolint:nilerr // there is no place for it
	}
	return durable.Replace(string(t), note, 0o600)
}

// Witnessed returns the path for a checkpoint, beside the tip, that a witness has signed and that the log does not
// continue. It is a Tip too.
func (t Tip) Witnessed() Tip {
	if t == "" {
		return ""
	}
	return Tip(strings.TrimSuffix(string(t), tipSuffix) + ".witnessed")
}

// Keep keeps a checkpoint of the log, unless there is one with as many records. It does nothing where a key has no
// place.
func (t Tip) Keep(note []byte, size uint64, log, verifier string) error {
	if had, err := t.read(log, verifier); err != nil || had != nil && had.Size >= size {
		return err
	}
	return t.keep(note, true)
}

// LostError is that a log has lost its end.
type LostError struct {
	Log string
	// Had is how many records the log had, by what stands at Where; Has is how many it has.
	Had, Has uint64
	Where    string
}

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("the log %q has %d records, and had %d when the checkpoint in %s was signed: an older copy of the store was put in place, or records are gone. "+
		"Put the newest copy back. If there is none, `fielato wsfev1 audit continue-after-restore` lets the gateway go on in a new log, and says what is missing",
		e.Log, e.Has, e.Had, e.Where)
}

// Unwrap implements errors.Is.
func (*LostError) Unwrap() error { return audit.ErrUnsound }

// Check returns an error that wraps audit.ErrUnsound unless the log holds all that the tip and the Witnessed beside it
// are over: a LostError if it is shorter. A gateway may write the log meanwhile.
func (t Tip) Check(ctx context.Context, store audit.Store, log, verifier string) (worst error) {
	most := uint64(0)
	for _, kept := range []Tip{t, t.Witnessed()} {
		had, err := kept.read(log, verifier) // before the head: both only grow
		if err != nil {
			return err
		}
		if had == nil {
			continue
		}
		if err := Compare(ctx, store, log, verifier, *had, string(kept)); err != nil && had.Size >= most {
			worst, most = err, had.Size
		}
	}
	return worst
}

// MayGrow returns an error unless records may be added to a log: Check, and that no other log goes on
// after it.
func (t Tip) MayGrow(ctx context.Context, store audit.Store, log, verifier string) error {
	current, _, err := Current(ctx, store, log)
	if err != nil {
		return err
	}
	if current != log {
		return fmt.Errorf("the log %q has ended, and goes on in the log %q: nothing is added to it any more, so its content can no longer be purged", log, current)
	}
	return t.Check(ctx, store, log, verifier)
}

// Compare is Check for a checkpoint that was kept elsewhere.
func Compare(ctx context.Context, store audit.Store, log, verifier string, had audit.Checkpoint, where string) error {
	head, err := store.Head(ctx, log)
	if err != nil {
		return fmt.Errorf("reading the head of log %q: %w", log, err)
	}
	has, err := audit.OpenLogCheckpoint(head.Checkpoint, verifier, log)
	switch {
	case err != nil:
		return err
	case has.Size < had.Size:
		return &LostError{Log: log, Had: had.Size, Has: has.Size, Where: where}
	}
	if err := audit.CheckExtension(ctx, store, log, had, has); err != nil {
		return fmt.Errorf("the log %q is not the one of the checkpoint in %s: %w", log, where, err)
	}
	return nil
}
