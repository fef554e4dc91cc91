package tickets

import (
	"sync"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/internal/panics"
)

// lookEvery is how often the files of a certificate that cannot be used are read again.
const lookEvery = 2 * time.Second

// watch looks at the blocks of a gateway that cannot be used, for as long as there are any.
type watch struct {
	keepers *Keepers
	running sync.WaitGroup
	end     sync.Once
	stop    chan struct{}
}

// Start implements app.Task.
func (w *watch) Start() {
	if w.keepers.whole() {
		return
	}
	panics.Go(&w.running, "looking at certificates", func() {
		again := time.NewTicker(lookEvery)
		defer again.Stop()
		for !w.keepers.whole() {
			select {
			case <-w.stop:
				return
			case <-again.C:
				w.keepers.look()
			}
		}
	})
}

// Stop implements app.Task.
func (w *watch) Stop() {
	w.end.Do(func() { close(w.stop) })
	w.running.Wait()
}

// Interface guards
var _ app.Task = (*watch)(nil)
