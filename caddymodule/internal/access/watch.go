package access

import (
	"os"
	"sync"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/internal/panics"
)

// lookEvery is how often the file of clients is looked at. A change holds after the second look at the latest that
// finds the file the same.
const lookEvery = time.Second

// fileState is what shows that a file has changed. The zero value is of a file that is not there.
type fileState struct {
	size              int64
	modified, changed time.Time
	// file tells a file from one that has taken its place: a deployment may give all files one time.
	file os.FileInfo
}

func look(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime(), changeOf(info), info}
}

// looksLike reports whether nothing was written between two looks.
func (s fileState) looksLike(other fileState) bool {
	return s.size == other.size && s.modified.Equal(other.modified) && s.changed.Equal(other.changed)
}

// is reports whether both are the same file, and nothing was written.
func (s fileState) is(other fileState) bool {
	return s.looksLike(other) && (s.file == nil && other.file == nil || os.SameFile(s.file, other.file))
}

// Task returns the task that reads the file again when it has changed, and has the metrics cover the table.
func (a *Access) Task() app.Task { return &task{access: a, stop: make(chan struct{})} }

type task struct {
	access  *Access
	running sync.WaitGroup
	end     sync.Once
	stop    chan struct{}
}

// Start implements app.Task.
func (w *task) Start() {
	live.Add(w.access)
	if w.access.options.File == "" {
		return
	}
	panics.Go(&w.running, "looking at the file of clients", func() {
		again := time.NewTicker(lookEvery)
		defer again.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-again.C:
				w.access.refresh()
			}
		}
	})
}

// Stop implements app.Task.
func (w *task) Stop() {
	live.Remove(w.access)
	w.end.Do(func() { close(w.stop) })
	w.running.Wait()
}
