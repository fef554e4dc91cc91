package caddymodule

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
)

// maxAnswer bounds the answer of an upstream, in bytes. The largest real one, a
// lot of 250 invoices with observations, has well under a megabyte.
const maxAnswer = 64 << 20

// maxGrow bounds what is set aside for an answer before any of it has arrived.
const maxGrow = 64 << 10

var errAnswerTooLarge = errors.New("the upstream's answer is larger than 64 MiB")

// capture holds the answer of the next handler. Nothing of it reaches the client
// before its record is durable, so it offers neither flushing nor hijacking.
type capture struct {
	header http.Header
	// sent is header as it was when the answer began: what is set later would be a trailer.
	sent   http.Header
	status int
	body   bytes.Buffer
}

// newCapture begins with the header that the outer handlers have prepared, so that
// the next handler finds what it would find without a gateway.
func newCapture(prepared http.Header) *capture { return &capture{header: prepared.Clone()} }

func (c *capture) Header() http.Header { return c.header }

// WriteHeader keeps the first final status; informational ones are not passed on.
func (c *capture) WriteHeader(status int) {
	if c.status != 0 || status < 200 {
		return
	}
	c.status, c.sent = status, c.header.Clone()
	if n, err := strconv.Atoi(c.header.Get("Content-Length")); err == nil && 0 < n && n <= maxGrow {
		c.body.Grow(n)
	}
}

func (c *capture) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if c.body.Len()+len(p) > maxAnswer {
		return 0, errAnswerTooLarge
	}
	return c.body.Write(p)
}

// FlushError lets a handler flush without effect: the answer goes out whole.
func (c *capture) FlushError() error { return nil }
