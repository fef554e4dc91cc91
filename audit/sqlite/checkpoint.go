package sqlite

import (
	"context"
	"database/sql"
	"sync/atomic"
)

// checkpointBytes is how much is written between two checkpoints. What the
// write-ahead log holds beyond that is what comes in during one.
const checkpointBytes = 8 << 20

// checkpointer copies the write-ahead log into the file while commits go on. It
// is one goroutine, which ends with stop.
type checkpointer struct {
	store  *Store
	wake   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
	// pending estimates the bytes in the log since it was emptied.
	pending atomic.Int64
}

func startCheckpointer(s *Store) *checkpointer {
	ctx, cancel := context.WithCancel(context.Background())
	c := &checkpointer{store: s, wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go c.run(ctx)
	return c
}

// wrote tells that a commit has put so many bytes into the log. Pages are what is
// written, so a small commit counts as two of them.
func (c *checkpointer) wrote(bytes int) {
	if c.pending.Add(int64(bytes)+2*4096) < checkpointBytes {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// stop ends the goroutine, after it has copied what is left.
func (c *checkpointer) stop() {
	c.cancel()
	<-c.done
}

func (c *checkpointer) run(ctx context.Context) {
	defer close(c.done)
	conn, err := c.store.connect(context.WithoutCancel(ctx))
	if err != nil {
		<-ctx.Done() // the log grows, nothing is lost, the next start empties it
		return
	}
	defer func() { _ = conn.Close() }()
	for {
		select {
		case <-ctx.Done():
			checkpoint(conn, "TRUNCATE")
			return
		case <-c.wake:
		}
		c.empty(conn)
	}
}

// empty copies the log while commits go on, then what they have added meanwhile,
// then keeps commits out for as long as the few pages take that came last: the
// log starts again from its beginning only if all of it is copied, and under a
// steady load it would otherwise grow for ever. A reader in the middle of a query
// can prevent that, until the next time.
func (c *checkpointer) empty(conn *sql.Conn) {
	began := c.pending.Swap(0)
	checkpoint(conn, "PASSIVE")
	checkpoint(conn, "PASSIVE")
	c.store.write.Lock()
	defer c.store.write.Unlock()
	if !checkpoint(conn, "PASSIVE") {
		c.pending.Add(began / 2) // try again soon, but not at each commit
	}
}

// checkpoint reports whether all of the log is in the file now. Errors are left
// to the commits: they meet the same disk, and somebody waits for their answer.
func checkpoint(conn *sql.Conn, mode string) bool {
	var busy, frames, copied int
	err := conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &copied)
	return err == nil && busy == 0 && frames == copied
}
