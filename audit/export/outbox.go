package export

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/fielato/fielato/internal/panics"
)

// taskWrite names the work in the error of a panic.
const taskWrite = "writing the export"

// waitingBlocks bounds the blocks in memory that are still to be written.
const waitingBlocks = 2

// block is a run of records of one part on its way into both files.
type block struct {
	part *part // nil: there is nothing to write
	// first is the index of the first record.
	first uint64
	lines []byte
	rows  *[]byte
	// done is called when the block was written, or was given up.
	done func()
}

// outbox writes blocks, in their order, on a goroutine of its own: to hash and write records takes half as
// long as to make their lines. After an error it writes nothing more.
type outbox struct {
	blocks chan block
	group  sync.WaitGroup
	failed atomic.Pointer[error]
}

func newOutbox() *outbox {
	o := &outbox{blocks: make(chan block, waitingBlocks)}
	panics.Go(&o.group, taskWrite, func() {
		for b := range o.blocks {
			err := panics.Do(taskWrite, func() error {
				defer b.done()
				if b.part == nil || o.err() != nil {
					return nil
				}
				return b.write()
			})
			if err != nil {
				o.failed.Store(&err)
			}
		}
	})
	return o
}

func (o *outbox) err() error {
	if err := o.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// put has a block written. An error may be about one before it.
func (o *outbox) put(b block) error {
	o.blocks <- b
	return o.err()
}

// flush returns when all blocks were written.
func (o *outbox) flush() error {
	written := make(chan struct{})
	o.blocks <- block{done: func() { close(written) }}
	<-written
	return o.err()
}

// close ends the goroutine after the blocks that it has.
func (o *outbox) close() {
	close(o.blocks)
	o.group.Wait()
}

func (b block) write() error {
	if _, err := b.part.lines.Write(b.lines); err != nil {
		return fmt.Errorf("writing record %d: %w", b.first, err)
	}
	if _, err := b.part.invoices.Write(*b.rows); err != nil {
		return fmt.Errorf("writing the invoices of record %d: %w", b.first, err)
	}
	return nil
}
