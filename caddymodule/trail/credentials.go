package trail

import (
	"sync"
)

// maxAccepted bounds how many credentials are remembered; each by a keyed hash.
const maxAccepted = 4096

// accepted are the credentials that the service has taken. An answer is not given again
// to somebody whom the service would turn away.
type accepted struct {
	mu    sync.Mutex // guards marks
	marks map[[16]byte]struct{}
}

func (a *accepted) Add(mark [16]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.marks == nil || len(a.marks) >= maxAccepted {
		a.marks = map[[16]byte]struct{}{}
	}
	a.marks[mark] = struct{}{}
}

func (a *accepted) Remove(mark [16]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.marks, mark)
}

func (a *accepted) Has(mark [16]byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.marks[mark]
	return ok
}
