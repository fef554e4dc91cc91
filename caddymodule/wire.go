package caddymodule

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
)

// wire is what certainly happened on the wire to the upstream. The hooks run on
// the transport's goroutines and may run late: hence the atomics.
type wire struct {
	// owner is what the gateway that has forwarded the request writes to: two gateways
	// of one owner must not both take a request for theirs.
	owner any
	// body is what it has forwarded.
	body *inspectedBody
	// sought: a connection was asked for. A transport that cannot be traced never
	// says even that.
	sought atomic.Bool
	// wrote: the head of a request was written, so the upstream may act on it.
	wrote atomic.Bool
	// answered: the first byte of an answer arrived.
	answered atomic.Bool
	// unnamed: the name of the upstream did not resolve the last time.
	unnamed atomic.Bool
	// builtIn: wsfev1_backend has the request, and there is no wire.
	builtIn atomic.Bool
}

// wireKey is where the context of a forwarded request has its wire: handlers in between
// may change all else of the request.
type wireKey struct{}

// hasPassed reports whether a gateway of this owner has forwarded the request.
func hasPassed(ctx context.Context, owner any) bool {
	w, ok := ctx.Value(wireKey{}).(*wire)
	return ok && w.owner == owner
}

// arriveBuiltIn tells the gateway in front, if there is one, that wsfev1_backend has the request.
func arriveBuiltIn(ctx context.Context) {
	if w, ok := ctx.Value(wireKey{}).(*wire); ok {
		w.builtIn.Store(true)
	}
}

// trace returns a context whose requests report to w. reverse_proxy composes its
// own trace with it, and wsfev1_backend finds w in it.
func (w *wire) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(context.WithValue(ctx, wireKey{}, w), &httptrace.ClientTrace{
		GetConn: func(string) { w.sought.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			if err := w.body.pass(); err != nil && got.Conn != nil {
				_ = got.Conn.Close() // so that nothing can be written to it
			}
		},
		WroteHeaders:         func() { w.wrote.Store(true) },
		DNSDone:              func(done httptrace.DNSDoneInfo) { w.unnamed.Store(done.Err != nil) },
		GotFirstResponseByte: func() { w.answered.Store(true) },
	})
}
