package trail

import (
	"sync"
)

// maxAccepted bounds how many credentials are remembered; each by a keyed hash.
const maxCredentials = 4096

// accepted are the credentials that the service has taken. An answer is not given again
// to somebody whom the service would turn away.
type credentialCache struct {
	mu    sync.Mutex // guards marks
	marks map[[16]byte]struct{}
}

func (c *credentialCache) Add(mark [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.marks == nil || len(c.marks) >= maxCredentials {
		c.marks = map[[16]byte]struct{}{}
	}
	c.marks[mark] = struct{}{}
}

func (c *credentialCache) Remove(mark [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.marks, mark)
}

func (c *credentialCache) Has(mark [16]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.marks[mark]
	return ok
}
