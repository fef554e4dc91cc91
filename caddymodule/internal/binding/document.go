package binding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
	"time"
)

// document is a page that is served from memory.
type document struct {
	body []byte
	// tag is its entity tag.
	tag string
}

// serve answers a GET or a HEAD. A cache asks each time whether its copy still holds: the site's
// address may change, and clients would go to the old one.
func (d document) serve(w http.ResponseWriter, r *http.Request, media string) {
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Etag", d.tag)
	header.Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

const (
	// maxDocuments and maxDocumentKey bound what clients can have made by asking under many names.
	maxDocuments   = 32
	maxDocumentKey = 512
)

// documentCache keeps documents by what they are made of. It is safe for concurrent use.
type documentCache struct {
	mu  sync.Mutex // guards all
	all map[string]document
}

// documents is shared by all gateways: they depend on nothing but their keys.
var documents documentCache

// of returns the document of a key, which is made if it is not there.
func (c *documentCache) of(key string, compose func() []byte) document {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.all[key]; ok {
		return d
	}
	body := compose()
	sum := sha256.Sum256(body)
	d := document{body: body, tag: `"` + hex.EncodeToString(sum[:16]) + `"`}
	if len(key) > maxDocumentKey {
		return d
	}
	if c.all == nil || len(c.all) >= maxDocuments {
		c.all = make(map[string]document, maxDocuments)
	}
	c.all[key] = d
	return d
}
