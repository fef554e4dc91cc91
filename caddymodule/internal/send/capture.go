package send

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// firstGrow is the first size of the buffer for an answer, in bytes: most fit.
const firstGrow = 4 << 10

// capture holds the answer of the next handler. Nothing of it reaches the client
// before its record is durable, so it offers neither flushing nor hijacking.
type capture struct {
	ctx         context.Context
	reservation *binding.AnswerReservation
	header      http.Header
	// sent is header as it was when the answer began: a field set later would be a trailer.
	sent   http.Header
	status int
	body   []byte
	// head is the length of the header, announced the length of the body according to the
	// header, 0 if it has none.
	head, announced int64
	// cut is why not all of the answer was read, nil if all was.
	cut error
}

// newCapture returns a capture with the header that the outer handlers have prepared, so that
// the next handler finds what it would find without a gateway.
func newCapture(ctx context.Context, prepared http.Header, stay *binding.AnswerReservation) *capture {
	return &capture{ctx: ctx, reservation: stay, header: prepared.Clone()}
}

func (c *capture) Header() http.Header { return c.header }

// WriteHeader keeps the first final status; informational ones are not passed on. One below 100, such as 099, is none
// of HTTP, and no server could write it: it is a broken gateway's.
func (c *capture) WriteHeader(status int) {
	switch {
	case c.status != 0, status >= 100 && status < 200:
		return
	case status < 100:
		status = http.StatusBadGateway
	}
	// The lists of values are shared: what a handler adds to one later is not in the list of sent.
	c.status, c.sent = status, maps.Clone(c.header)
	for name, values := range c.header {
		for _, value := range values {
			c.head += int64(len(name) + len(value))
		}
	}
	if length := c.header.Get("Content-Length"); length != "" {
		if n, err := strconv.ParseInt(length, 10, 64); err == nil && n > 0 {
			c.announced = n
		}
	}
	c.cut = c.reservation.Grow(c.ctx, min(c.announced, c.reservation.Most+1)+c.head, true)
}

// size returns the memory that the answer takes, in bytes.
func (c *capture) size() int64 { return c.head + int64(len(c.body)) }

func (c *capture) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if c.cut == nil {
		c.cut = c.grow(len(p))
	}
	if c.cut != nil {
		return 0, c.cut
	}
	c.body = append(c.body, p...)
	return len(p), nil
}

// grow makes the buffer large enough for n bytes more. The buffer is doubled each time and not
// allocated as announced: the bytes may never come.
func (c *capture) grow(n int) error {
	needed := len(c.body) + n
	if needed <= cap(c.body) {
		return nil
	}
	larger, announced := max(2*cap(c.body), firstGrow), c.announced >= int64(needed)
	if announced {
		larger = min(larger, int(c.announced))
	}
	larger = max(needed, min(larger, int(c.reservation.Most-c.head)))
	if err := c.reservation.Grow(c.ctx, c.head+int64(larger), announced); err != nil {
		return err
	}
	grown := make([]byte, len(c.body), larger)
	copy(grown, c.body)
	c.body = grown
	return nil
}

// FlushError lets a handler flush without effect: the answer goes out whole.
func (c *capture) FlushError() error { return nil }
