package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/durable"
)

// fileDestination publishes to a file.
type fileDestination struct{ path string }

// maxCheckpoint bounds the file of a checkpoint, in bytes. It may have signatures of others.
const maxCheckpoint = 64 << 10

func (d *fileDestination) id() string      { return d.path }
func (d *fileDestination) shared() bool    { return false }
func (d *fileDestination) address() string { return d.path }

// Check requires the folder to exist: an unmounted disk would look as if nothing had been
// published yet.
func (d *fileDestination) Check(ctx context.Context, of Source) error {
	t, err := takeTurn(ctx, d.path)
	if err != nil {
		return err
	}
	defer t.leave()
	if err := t.do(ctx, func() error { return d.Look("") }); err != nil {
		return err
	}
	_, _, err = d.compare(ctx, t, of)
	return err
}

// Look implements Destination.
func (d *fileDestination) Look(made string) error {
	at := filepath.Dir(d.path)
	folder, err := os.Stat(at)
	if errors.Is(err, fs.ErrNotExist) && made != "" && strings.HasPrefix(made+string(filepath.Separator), at+string(filepath.Separator)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("checkpoint_to %s: it is not known whether a checkpoint is kept there, create the folder or mount it: %w", d.path, err)
	}
	if !folder.IsDir() {
		return fmt.Errorf("checkpoint_to %s: %s is a file and no folder: give another path", d.path, at)
	}
	if file, err := os.Stat(d.path); err == nil && file.IsDir() {
		return fmt.Errorf("checkpoint_to %s: reading what is kept there: this is a folder: name a file in it", d.path)
	}
	return nil
}

func (d *fileDestination) publish(ctx context.Context, of Source) ([]byte, error) {
	t, err := takeTurn(ctx, d.path)
	if err != nil {
		return nil, err
	}
	defer t.leave()
	kept, newest, err := d.compare(ctx, t, of)
	if err != nil || bytes.Equal(kept, newest) {
		return newest, err
	}
	return newest, t.do(ctx, func() error { return d.replace(newest) })
}

// compare returns the published checkpoint, nil if there is none yet, and the trail's newest
// one, which covers the published one.
func (d *fileDestination) compare(ctx context.Context, t *turn, of Source) (kept, newest []byte, err error) {
	var content []byte
	err = t.do(ctx, func() (err error) {
		content, err = ReadAtMost(d.path, maxCheckpoint)
		return err
	})
	if t.stuck {
		return nil, nil, err // content may still be written
	}
	kept = content
	// Read after the file: another configuration may have published in between.
	newest = of.Checkpoint()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, newest, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("checkpoint_to %s: reading what is kept there: %w", d.path, err)
	}
	older, err := audit.OpenCheckpoint(kept, of.Verifier())
	if err != nil {
		return nil, nil, fmt.Errorf("checkpoint_to %s: the file holds no checkpoint of this trail and is not replaced, give another file or move this one away: %w", d.path, err)
	}
	newer, err := audit.OpenCheckpoint(newest, of.Verifier())
	if err != nil {
		return nil, nil, fmt.Errorf("reading the newest checkpoint: %w", err)
	}
	if err := of.Continues(ctx, older, newer); err != nil {
		return nil, nil, fmt.Errorf("checkpoint_to %s: the trail does not hold the records that it held when the checkpoint in this file was written (%d records then, %d now): "+
			"put the newest copy of the trail back. If there is none, run audit continue-after-restore with this file as --checkpoint, then move the file away and keep it: %w", d.path, older.Size, newer.Size, err)
	}
	return kept, newest, nil
}

// replace puts content into the file or leaves the file as it is, even in a power cut. All users
// may read a checkpoint, so that others can keep it too.
func (d *fileDestination) replace(content []byte) error {
	if err := durable.Replace(d.path, content, 0o644); err != nil {
		return fmt.Errorf("keeping a checkpoint: %w", err)
	}
	return nil
}

// ReadKept reads the file of a checkpoint that somebody has kept.
func ReadKept(path string) ([]byte, error) {
	text, err := ReadAtMost(path, maxCheckpoint)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	return text, nil
}

// ReadAtMost reads a file of at most longest bytes. The file may come from anywhere.
func ReadAtMost(path string, longest int64) (content []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if content, err = io.ReadAll(io.LimitReader(file, longest+1)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if int64(len(content)) > longest {
		return nil, fmt.Errorf("reading %s: it has more than %d bytes", path, longest)
	}
	return content, nil
}
