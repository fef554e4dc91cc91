package caddymodule

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
)

// wire is what certainly happened on the wire to the upstream. The hooks run on
// the transport's goroutines and may run late: hence the atomics.
type wire struct {
	// sought: a connection was asked for. A transport that cannot be traced never
	// says even that.
	sought atomic.Bool
	// wrote: the head of a request was written, so the upstream may act on it.
	wrote atomic.Bool
	// answered: the first byte of an answer arrived.
	answered atomic.Bool
	// unnamed: the name of the upstream did not resolve the last time.
	unnamed atomic.Bool
}

// trace returns a context whose requests report to w. reverse_proxy composes its
// own trace with it.
func (w *wire) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:              func(string) { w.sought.Store(true) },
		WroteHeaders:         func() { w.wrote.Store(true) },
		DNSDone:              func(done httptrace.DNSDoneInfo) { w.unnamed.Store(done.Err != nil) },
		GotFirstResponseByte: func() { w.answered.Store(true) },
	})
}
