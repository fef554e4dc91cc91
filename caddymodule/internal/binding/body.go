package binding

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// Body is the body of a forwarded request: the original bytes, and the typed request
// decoded from them. A handler that changes the body replaces the Body, so the bytes and
// the typed request of a Body always agree.
//
// It is also the last check before the wire. A transport reads it once it has a connection,
// after everything that may take time, and writes what it has read at once. Read returns
// bytes only if the request may be sent at that moment. For an operation that changes
// something, the byte that completes the document, `}`, is returned by a Read of its own: no
// service can carry out a request without it, not even one that decodes while reading and
// does not wait for white space at the end.
type Body struct {
	// mu guards the rest: a transport may read on while its handler returns.
	mu      sync.Mutex
	request *validate.Request
	// clearance says that the gateway's rules have found nothing in request. It may be nil.
	clearance *rules.Clearance
	// sendable returns why nothing may be sent any more, or nil.
	sendable func() error
	rest     []byte
	// tail is the number of bytes from the completing one to the end. splitEnd: the
	// completing byte is not returned together with those before it.
	tail     int
	splitEnd bool
	// completed: the completing byte was read. connPassed: a connection was allowed.
	// connStopped: a connection was closed. headPassed: a head was written when the completing
	// byte had been read.
	completed, connPassed, connStopped, headPassed bool
	// refused is why nothing may be sent any more. It is final.
	refused error
	// truncated: the exchange ended before all was read.
	truncated bool
	// recoded: the bytes are the request in another form. begun: some of these bytes were read.
	recoded, begun bool
}

// NewBody returns the Body of a request. With splitEnd, the completing byte is returned by a
// Read of its own. sendable returns why the request may not be sent any more, nil if it may.
func NewBody(body []byte, request *validate.Request, apart bool, sendable func() error) *Body {
	document := bytes.TrimRight(body, " \t\r\n")
	return &Body{
		request: request, sendable: sendable, rest: body, splitEnd: apart,
		tail: len(body) - len(document) + 1, completed: len(document) == 0, // the head alone completes it
	}
}

// errEnded: a transport reads on after its handler has returned.
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
	b.rest, b.begun = b.rest[n:], b.recoded
	b.completed = b.completed || len(b.rest) < b.tail
	return n, nil
}

// checkSendable returns why nothing may be sent any more. The caller holds mu. It runs on
// goroutines of the transport, where a panic would end the process: a panic counts as a
// refusal.
func (b *Body) checkSendable() error {
	if b.refused == nil {
		b.refused = panics.Do("asking whether a request may be sent", b.sendable)
	}
	return b.refused
}

// Clear keeps the clearance of the request for the handler that takes it.
func (b *Body) Clear(clearance *rules.Clearance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clearance = clearance
}

// Take returns the typed request and its clearance to a handler that carries it out itself, in place of Read.
func (b *Body) Take() (*validate.Request, *rules.Clearance, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.checkSendable(); err != nil {
		return nil, nil, err
	}
	b.completed = true
	return b.request, b.clearance, nil
}

// errSentBefore: a request that changes something is sent once.
var errSentBefore = errors.New("a part of the request was sent before")

// Recode replaces the bytes by the same request in another form, which encode makes of the typed
// one, and returns their number. They are read as those before: end is the position of what
// completes them, which no service can do without.
//
// A handler may have read the bytes already to keep them, as reverse_proxy does with
// request_buffers, but they can be recoded only until a part of the new ones was read.
func (b *Body) Recode(encode func(*validate.Request) (message []byte, end int, _ error)) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.request == nil:
		return 0, errEnded
	case b.begun:
		return 0, errSentBefore
	}
	message, end, err := encode(b.request)
	if err != nil {
		return 0, err
	}
	b.rest, b.tail, b.recoded = message, len(message)-end, true
	b.completed = end <= 0
	return len(message), nil
}

// passConn is called for each connection that the transport gets for the request. It returns
// an error if the body was already read, as by reverse_proxy with request_buffers, and may
// not be sent any more: then only closing the connection holds it back. A retry (lb_retry_match)
// may not be: an earlier connection may have had the whole request.
func (b *Body) passConn() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.completed {
		if b.headPassed && b.splitEnd && b.refused == nil {
			b.refused = errSentBefore
		}
		if err := b.checkSendable(); err != nil {
			b.connStopped = true
			return err
		}
	}
	b.connPassed = true
	return nil
}

// passHead is called when the head of a request was written. A head that is written before the body is
// read belongs to another request: forward_auth behind the gateway sends one of its own.
func (b *Body) passHead() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.headPassed = b.headPassed || b.completed
}

// End ends reading and drops the request: the context of a forwarded request refers to the
// Body, and must not keep credentials in memory. It reports whether the whole request may
// have been sent, and why sending was refused, nil if it was not.
func (b *Body) End() (whole bool, refused error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused = b.refused
	if b.refused == nil {
		b.refused = errEnded
	}
	b.truncated = len(b.rest) > 0
	b.request, b.clearance, b.rest, b.sendable = nil, nil, nil, nil
	return b.completed && (b.connPassed || !b.connStopped), refused
}

// Close does nothing: the bytes are the gateway's.
func (*Body) Close() error { return nil }
