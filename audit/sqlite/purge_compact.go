package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
)

// errLogHeld: bytes may be left in the write-ahead log.
var errLogHeld = errors.New("the content is removed, but the write-ahead log that still has bytes of it is in use by a reader: run the purge again when no other command reads the trail")

// emptyLog cuts the write-ahead log off: the content that was removed stands in it too,
// for as long as nothing else was written over it. Commits wait meanwhile: for the few
// pages that came last, and for readers no longer than 20 ms at a time.
func (p *Purger) emptyLog(ctx context.Context) (err error) {
	if err := p.pragma(ctx, "busy_timeout=20"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.pragma(ctx, "busy_timeout=5000")) }()
	for range 200 {
		p.mu.Lock()
		checkpoint(p.conn, "PASSIVE")
		done := checkpoint(p.conn, "TRUNCATE")
		p.mu.Unlock()
		if done {
			return nil
		}
		if err := segment.Pause(ctx, 25*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("purging %s: %w", p.store.path, errLogHeld)
}

func (p *Purger) pragma(ctx context.Context, setting string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA "+setting); err != nil {
		return file.Explain(p.store.path, "purging", err)
	}
	return nil
}

// Compact writes the file anew, as small as it can be: what was removed leaves no trace
// in it then, not even in corners of pages that SQLite has rearranged. It keeps gateways
// away while it works (ErrLocked where one runs), and needs free disk for twice the file.
func (p *Purger) Compact(ctx context.Context) (err error) {
	exclusive, err := p.exclude(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exclusive.Release()) }()
	writing, err := file.Acquire(ctx, p.store.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writing.Release()) }()
	p.mu.Lock()
	_, err = p.conn.ExecContext(ctx, "VACUUM")
	p.mu.Unlock()
	if err != nil {
		return file.Explain(p.store.path, "compacting", err)
	}
	return p.emptyLog(ctx)
}
