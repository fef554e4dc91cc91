package audit

import "runtime"

// WaitQueued returns when so many records wait for a commit.
func (w *Writer) WaitQueued(records int) {
	for len(w.queue) != records {
		runtime.Gosched()
	}
}
