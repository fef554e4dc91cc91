package floor

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slowDisk is a file whose sync takes a while, and that may be full.
type slowDisk struct {
	bytes.Buffer
	syncs int
	full  error
}

func (d *slowDisk) Sync() error {
	time.Sleep(10 * time.Millisecond) // the bubble's clock: the time that the disk takes
	d.syncs++
	return d.full
}

func (*slowDisk) Close() error { return nil }

// TestNobodyReturnsBeforeTheSyncThatCoversIt, and those that wait at a time share one.
func TestNobodyReturnsBeforeTheSyncThatCoversIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &slowDisk{}
		log := newLog(disk)
		var group sync.WaitGroup
		write := func(entry string, want time.Duration) {
			group.Go(func() {
				began := time.Now()
				if err := log.append([]byte(entry)); err != nil || time.Since(began) != want {
					t.Errorf("%s: after %v, want %v: %v", entry, time.Since(began), want, err)
				}
			})
		}
		write("first", 10*time.Millisecond)
		time.Sleep(5 * time.Millisecond) // its sync has begun
		for n := range 100 {
			write(fmt.Sprint("entry ", n), 15*time.Millisecond) // the rest of that sync, and the next one
		}
		group.Wait()
		if disk.syncs != 2 {
			t.Errorf("%d syncs", disk.syncs)
		}
		for n := range 100 {
			if entry := fmt.Sprint("\x00\x00\x00entry ", n); !strings.Contains(disk.String(), entry) {
				t.Errorf("%q is not in the file", entry)
			}
		}
		disk.full = errors.New("no space")
		if err := log.append([]byte("lost")); !errors.Is(err, disk.full) {
			t.Errorf("a sync that fails: %v", err)
		}
		if err := log.close(); err != nil {
			t.Error(err)
		}
	})
}
