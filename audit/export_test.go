package audit

import "runtime"

// WaitQueued returns when so many records wait for a commit.
func (t *Trail) WaitQueued(records int) {
	for len(t.queue) != records {
		runtime.Gosched()
	}
}
