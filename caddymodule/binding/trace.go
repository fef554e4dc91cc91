package binding

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
)

// Wire is what certainly happened on the wire to the upstream. The hooks run on
// the transport's goroutines and may run late: hence the atomics.
type Wire struct {
	// Owner is what the gateway that has forwarded the request writes to: two gateways
	// of one owner must not both take a request for theirs.
	Owner any
	// Body is what it has forwarded.
	Body *Body
	// sought: a connection was asked for. A transport that cannot be traced never
	// says even that.
	ConnRequested atomic.Bool
	// wrote: the head of a request was written, so the upstream may act on it.
	RequestWritten atomic.Bool
	// answered: the first byte of an answer arrived.
	FirstByte atomic.Bool
	// unnamed: the name of the upstream did not resolve the last time.
	NameUnresolved atomic.Bool
	// builtIn: wsfev1_backend has the request, and there is no wire.
	BuiltIn atomic.Bool
}

// wireKey is where the context of a forwarded request has its wire: handlers in between
// may change all else of the request.
type wireKey struct{}

// HasPassed reports whether a gateway of this owner has forwarded the request.
func HasPassed(ctx context.Context, owner any) bool {
	w, ok := ctx.Value(wireKey{}).(*Wire)
	return ok && w.Owner == owner
}

// ArriveBuiltIn tells the gateway in front, if there is one, that wsfev1_backend has the request.
func ArriveBuiltIn(ctx context.Context) {
	if w, ok := ctx.Value(wireKey{}).(*Wire); ok {
		w.BuiltIn.Store(true)
	}
}

// Trace returns a context whose requests report to w. reverse_proxy composes its
// own trace with it, and wsfev1_backend finds w in it.
func (w *Wire) Trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(context.WithValue(ctx, wireKey{}, w), &httptrace.ClientTrace{
		GetConn: func(string) { w.ConnRequested.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			if err := w.Body.passConn(); err != nil && got.Conn != nil {
				_ = got.Conn.Close() // so that nothing can be written to it
			}
		},
		WroteHeaders:         func() { w.RequestWritten.Store(true) },
		DNSDone:              func(done httptrace.DNSDoneInfo) { w.NameUnresolved.Store(done.Err != nil) },
		GotFirstResponseByte: func() { w.FirstByte.Store(true) },
	})
}
