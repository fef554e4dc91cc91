package floor

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"
)

// syncer is a file that can be made durable.
type syncer interface {
	io.WriteCloser
	Sync() error
}

// groupLog is a file with a group commit: one goroutine writes the entries of all callers that
// wait, and syncs them together. The entries that arrive meanwhile are the next batch.
type groupLog struct {
	file  syncer
	wake  chan struct{} // has room for one: there are entries
	ended chan struct{} // closed when the goroutine has returned

	mu   sync.Mutex
	next *batch // takes entries; mu guards it
}

// batch is what one sync covers.
type batch struct {
	entries []byte
	synced  chan struct{} // closed when err is final
	err     error
}

// openLog makes a file and starts its goroutine. The caller must call close.
func openLog(path string) (*groupLog, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the file: %w", err)
	}
	return newLog(file), nil
}

func newLog(file syncer) *groupLog {
	l := &groupLog{file: file, wake: make(chan struct{}, 1), ended: make(chan struct{}), next: newBatch(nil)}
	go l.commit()
	return l
}

func newBatch(room []byte) *batch { return &batch{entries: room, synced: make(chan struct{})} }

// append returns when the entry is on the disk.
func (l *groupLog) append(entry []byte) error {
	l.mu.Lock()
	b := l.next
	b.entries = append(binary.LittleEndian.AppendUint32(b.entries, uint32(len(entry))), entry...)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // somebody else has, and the goroutine has not looked yet
	}
	<-b.synced
	return b.err
}

// commit makes one batch after the other durable, until the log is closed.
func (l *groupLog) commit() {
	defer close(l.ended)
	var room []byte // of the batch before, which nobody reads any more
	for range l.wake {
		l.mu.Lock()
		b := l.next
		if len(b.entries) == 0 { // the batch before had them
			l.mu.Unlock()
			continue
		}
		l.next = newBatch(room)
		l.mu.Unlock()
		if _, b.err = l.file.Write(b.entries); b.err == nil {
			b.err = l.file.Sync()
		}
		close(b.synced)
		room = b.entries[:0]
	}
}

// close ends the goroutine and closes the file. No append may run.
func (l *groupLog) close() error {
	close(l.wake)
	<-l.ended
	return l.file.Close()
}
