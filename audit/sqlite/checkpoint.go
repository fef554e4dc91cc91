package sqlite

import (
	"context"
	"database/sql"
	"sync/atomic"

	"github.com/fielato/fielato/internal/panics"
)

// checkpointBytes is the number of bytes written between two checkpoints. The write-ahead log also
// holds the bytes that come in during a checkpoint. A commit may have to wait until the disk has
// taken checkpointBytes, as file systems put syncs in a row: 40 ms at 50 MB/s.
const checkpointBytes = 2 << 20

// checkpointer copies the write-ahead log into the file while commits continue. It is one
// goroutine, which ends with stop.
type checkpointer struct {
	store  *Store
	conn   *sql.Conn // the goroutine's own
	wake   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
	// pending estimates the bytes in the log since it was emptied.
	pending atomic.Int64
	// used: something was written. Otherwise the log may be one that does not belong to the file, and would ruin it.
	used atomic.Bool
}

func startCheckpointer(ctx context.Context, s *Store) (*checkpointer, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &checkpointer{store: s, conn: conn, wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		defer panics.Catch(taskCheckpoint, nil)
		c.run(ctx)
	}()
	return c, nil
}

// wrote adds the bytes that a commit has put into the log. SQLite writes whole pages, so a small
// commit counts as two of them.
func (c *checkpointer) wrote(bytes int) {
	c.used.Store(true)
	if c.pending.Add(int64(bytes)+2*4096) < checkpointBytes {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// stop ends the goroutine, after it has copied the rest of the log. Where nothing was written the log stays as it was.
func (c *checkpointer) stop() {
	c.cancel()
	<-c.done
}

// taskCheckpoint names the work in the error of a panic.
const taskCheckpoint = "moving the write-ahead log"

func (c *checkpointer) run(ctx context.Context) {
	defer func() { _ = c.conn.Close() }()
	for {
		select {
		case <-ctx.Done():
			if c.used.Load() {
				c.copy("TRUNCATE")
			}
			return
		case <-c.wake:
		}
		c.empty()
	}
}

// empty copies the log while commits continue, then what they have added since, then the few
// last pages with commits kept out. The log starts over only if all of it is copied; under a
// steady load it would otherwise grow for ever. A reader in the middle of a query can prevent
// that until the next time.
//
// SQLite syncs the file only in the copy that reaches the end of the log, which is the last
// one, with commits kept out. So the pages of the earlier copies are synced first: otherwise a
// commit waited ten times as long for the last copy, and for seconds on a slow disk.
func (c *checkpointer) empty() {
	defer panics.Catch(taskCheckpoint, nil) // the next commit asks again
	began := c.pending.Swap(0)
	for range 2 {
		c.copy("PASSIVE")
		_ = c.store.file.Sync() // an error comes again in the last copy, which syncs too
	}
	c.store.write.Lock()
	defer c.store.write.Unlock()
	if !c.copy("PASSIVE") {
		c.pending.Add(began / 2) // try again soon, but not at each commit
	}
}

func (c *checkpointer) copy(mode string) bool { return checkpoint(c.conn, mode) }

// checkpoint reports whether all of the log is in the file now. Errors are left to the commits:
// they meet the same disk, and have a caller.
func checkpoint(conn *sql.Conn, mode string) bool {
	var busy, frames, copied int
	err := conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &copied)
	return err == nil && busy == 0 && frames == copied
}
