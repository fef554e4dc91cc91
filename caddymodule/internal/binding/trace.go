package binding

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Wire has the facts about the connection to the upstream. The hooks run on the transport's
// goroutines and may run late: hence the atomics.
type Wire struct {
	// Context is the context of the forwarded request, set by Trace. A Wire is that context, and answers for
	// what a handler behind the gateway may look for in it.
	context.Context //nolint:containedctx // as every context holds its parent
	// Request is the client's request as one in JSON, at the path of the operation.
	Request *http.Request
	// Owner is the trail of the gateway that has forwarded the request: two gateways with
	// the same trail must not both handle one request.
	Owner any
	// Body is the forwarded body.
	Body *Body
	// Call is the message of a client that speaks SOAP, nil for any other.
	Call *SOAPCall
	// NewTicket: the credentials of the typed request are to replace the ones in the client's message.
	NewTicket bool
	// Completed: the typed request has members that the client's message lacks.
	Completed bool
	// Answer is the memory that the answer may take.
	Answer *AnswerReservation
	// ConnRequested: a connection was requested. A transport that cannot be traced does
	// not set even this one.
	ConnRequested atomic.Bool
	// RequestWritten: the head of a request was written, so the upstream may act on it.
	RequestWritten atomic.Bool
	// conns counts the connections that the request got. reused: one of them had been used before.
	conns  atomic.Int32
	reused atomic.Bool
	// FirstByte: the first byte of an answer arrived.
	FirstByte atomic.Bool
	// NameUnresolved: the last lookup of the upstream's name failed.
	NameUnresolved atomic.Bool
	// Connecting is the error of the last attempt to connect, nil if that worked: reverse_proxy's own error
	// for it shows only a text.
	Connecting atomic.Pointer[error]
	// BuiltIn: wsfev1_backend has the request, so there is no connection.
	BuiltIn atomic.Bool

	// leg is what a transport has sent and got that speaks SOAP.
	leg atomic.Pointer[UpstreamLeg]
	// cut is why not all of an answer was read, nil if all was.
	cut atomic.Pointer[error]
	// made is the answer of wsfev1_backend.
	made atomic.Pointer[madeAnswer]
}

// madeAnswer is an answer and its JSON.
type madeAnswer struct {
	typed any
	json  []byte
}

// HadOneNewConn reports whether the request got one connection, on which it was the first.
func (w *Wire) HadOneNewConn() bool { return w.conns.Load() == 1 && !w.reused.Load() }

// wireKey is the context key of the Wire of a forwarded request. Handlers in between may
// change everything else of the request.
type wireKey struct{}

// WireOf returns the Wire of the gateway that has forwarded a request, nil if none has.
func WireOf(ctx context.Context) *Wire {
	w, _ := ctx.Value(wireKey{}).(*Wire)
	return w
}

// HasPassed reports whether a gateway with this owner has already forwarded the request.
func HasPassed(ctx context.Context, owner any) bool {
	w, ok := ctx.Value(wireKey{}).(*Wire)
	return ok && w.Owner == owner
}

// ArriveBuiltIn sets BuiltIn of the Wire of the gateway in front, if there is one.
func ArriveBuiltIn(ctx context.Context) {
	if w, ok := ctx.Value(wireKey{}).(*Wire); ok {
		w.BuiltIn.Store(true)
	}
}

// HandOver gives the gateway in front, if there is one, the answer that wsfev1_backend has made and written as this
// JSON, so that the gateway need not decode it. The answer must be what it would read there, without a deviation, and
// nobody may change it any more.
func HandOver(ctx context.Context, typed any, json []byte) {
	if w, ok := ctx.Value(wireKey{}).(*Wire); ok {
		w.made.Store(&madeAnswer{typed, json})
	}
}

// Made returns the answer that HandOver was given with the same JSON, nil for any other: a handler in between may have
// replaced it.
func (w *Wire) Made(json []byte) any {
	if made := w.made.Load(); made != nil && bytes.Equal(made.json, json) {
		return made.typed
	}
	return nil
}

// Value implements context.Context. reverse_proxy gives FastCGI the address of the original request as
// REQUEST_URI: it must be the operation's.
func (w *Wire) Value(key any) any {
	switch key {
	case wireKey{}:
		return w
	case caddyhttp.OriginalRequestCtxKey:
		if w.Request == nil {
			break
		}
		path := w.Request.URL.Path // plain: RouteOf accepts no other
		return http.Request{Method: http.MethodPost, RemoteAddr: w.Request.RemoteAddr, RequestURI: path, URL: &url.URL{Path: path}}
	}
	return w.Context.Value(key)
}

// Trace returns a context whose requests set the facts of w. reverse_proxy composes its own
// trace with it, and wsfev1_backend finds w in it.
func (w *Wire) Trace(ctx context.Context) context.Context {
	w.Context = ctx
	return httptrace.WithClientTrace(w, &httptrace.ClientTrace{
		GetConn: func(string) { w.ConnRequested.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			w.conns.Add(1)
			if got.Reused {
				w.reused.Store(true)
			}
			if err := w.Body.passConn(); err != nil && got.Conn != nil {
				_ = got.Conn.Close() // so that nothing can be written to it
			}
		},
		ConnectDone: func(_, _ string, err error) { w.Connecting.Store(&err) },
		WroteHeaders: func() {
			w.RequestWritten.Store(true)
			w.Body.passHead()
		},
		DNSDone:              func(done httptrace.DNSDoneInfo) { w.NameUnresolved.Store(done.Err != nil) },
		GotFirstResponseByte: func() { w.FirstByte.Store(true) },
	})
}
