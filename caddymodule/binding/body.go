package binding

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/validate"
)

// Body is the body of a forwarded request: the original bytes, and what
// was read from them. A handler that changes the body puts another in its place,
// so whoever meets this one may trust that both still say the same.
//
// It is the last gate as well. A transport reads it when the connection is there, after all
// that may take time, and writes what it has read at once. Each part is given only if the
// request may be sent at that moment. Of what changes something the byte that completes the
// document, `}`, comes in a part of its own: a request that lacks it is none that anybody can
// carry out, also who decodes while reading and does not wait for white space at the end.
type Body struct {
	// mu guards the rest: a transport may read on while its handler returns.
	mu      sync.Mutex
	request *validate.Request
	// sendable says why nothing may be sent any more, nil as long as it may.
	sendable func() error
	rest     []byte
	// last is how many bytes are left when the completing one is the next; apart tells that it
	// is not given with those before it.
	tail     int
	splitEnd bool
	// given tells that the completing byte was read; let that a connection was let through,
	// stopped that one was not.
	completed, connPassed, connStopped bool
	// refused is why nothing is given any more: once refused is always refused.
	refused error
	// short tells that the exchange ended before all was read.
	truncated bool
}

func NewBody(body []byte, request *validate.Request, apart bool, sendable func() error) *Body {
	document := bytes.TrimRight(body, " \t\r\n")
	return &Body{
		request: request, sendable: sendable, rest: body, splitEnd: apart,
		tail: len(body) - len(document) + 1, completed: len(document) == 0, // which the head alone completes
	}
}

// errEnded is about a transport that reads on after its handler has returned.
var errEnded = errors.New("the exchange has ended")

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.truncated:
		return 0, b.refused
	case len(b.rest) == 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	if err := b.checkSendable(); err != nil {
		return 0, err
	}
	part := b.rest
	if b.splitEnd && len(part) > b.tail {
		part = part[:len(part)-b.tail]
	}
	n := copy(p, part)
	b.rest = b.rest[n:]
	b.completed = b.completed || len(b.rest) < b.tail
	return n, nil
}

// ask returns why nothing may be sent any more. The caller holds mu. It runs on goroutines of
// the transport, where a panic would end the process: nothing is sent then either.
func (b *Body) checkSendable() error {
	if b.refused == nil {
		b.refused = panics.Do("asking whether a request may be sent", b.sendable)
	}
	return b.refused
}

// Take is Read for a handler that carries the request out itself.
func (b *Body) Take() (*validate.Request, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.checkSendable(); err != nil {
		return nil, err
	}
	b.completed = true
	return b.request, nil
}

// pass is asked of each connection that is there for the request. It returns an error where
// the body was read before, as by reverse_proxy with request_buffers, and may not be sent any
// more: then nothing else than the connection's end can hold it back.
func (b *Body) passConn() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.completed {
		if err := b.checkSendable(); err != nil {
			b.connStopped = true
			return err
		}
	}
	b.connPassed = true
	return nil
}

// End gives nothing any more, and holds nothing of the request: the context of a forwarded
// request leads here, and whoever keeps that must not keep credentials. It reports whether the
// whole of the request may have been sent, and if not, whether and why that was refused.
func (b *Body) End() (whole bool, refused error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused = b.refused
	if b.refused == nil {
		b.refused = errEnded
	}
	b.truncated = len(b.rest) > 0
	b.request, b.rest, b.sendable = nil, nil, nil
	return b.completed && (b.connPassed || !b.connStopped), refused
}

// Close does nothing: the bytes are the gateway's.
func (*Body) Close() error { return nil }
