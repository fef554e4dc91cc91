package trail

import (
	"sync"
)

// maxCredentials bounds how many credentials are remembered, each by a keyed hash.
const maxCredentials = 4096

// credentialCache remembers the credentials that the service has accepted. A cached answer is
// given only to callers that the service would answer.
type credentialCache struct {
	mu    sync.Mutex // guards marks
	marks map[[16]byte]struct{}
}

// Add remembers credentials that the service has accepted. A full cache is emptied first.
func (c *credentialCache) Add(mark [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.marks == nil || len(c.marks) >= maxCredentials {
		c.marks = map[[16]byte]struct{}{}
	}
	c.marks[mark] = struct{}{}
}

// Remove forgets credentials that the service has refused.
func (c *credentialCache) Remove(mark [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.marks, mark)
}

// Has reports whether the service has accepted the credentials.
func (c *credentialCache) Has(mark [16]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.marks[mark]
	return ok
}
