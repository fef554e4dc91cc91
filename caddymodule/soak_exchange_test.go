package caddymodule_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// post makes a request. Nothing sends it again behind the client's back.
func (c *soakClient) post(operation, body string) *http.Request {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.site+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		panic(err) // the URL is the test's own
	}
	r.GetBody = nil
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (c *soakClient) exchange(operation, body string) caddytest.Response {
	return c.answered(func() *http.Request { return c.post(operation, body) })
}

// maxResends is far more than a client should need: each is a connection that a reload
// has closed.
const maxResends = 20

// answered sends a request until it has its answer, always the same, as clients do when
// a connection ends before a byte of the answer. Nothing else may go wrong.
func (c *soakClient) answered(request func() *http.Request) caddytest.Response {
	for range maxResends {
		got, closed, err := c.try(context.Background(), request())
		if err == nil {
			c.received = append(c.received, acknowledged{got.Header.Get("Wsfev1-Record"), sha256.Sum256(got.Body)})
			return got
		}
		if !closed {
			c.t.Errorf("a request without an answer: %v", err)
			return got
		}
		c.tally.add("(connection closed unanswered)")
	}
	c.t.Errorf("%d connections in a row were closed", maxResends)
	return caddytest.Response{}
}

// try sends a request once. closed: a connection was there, or reset while it
// was made, and nothing came over it.
func (c *soakClient) try(ctx context.Context, r *http.Request) (got caddytest.Response, closed bool, err error) {
	var connected, begun atomic.Bool
	r = r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { connected.Store(true) },
		GotFirstResponseByte: func() { begun.Store(true) },
	}))
	resp, err := c.http.Do(r)
	if err != nil {
		return caddytest.Response{}, !begun.Load() && (connected.Load() || errors.Is(err, syscall.ECONNRESET)), err
	}
	got, err = caddytest.ReadAll(resp)
	return got, false, err
}
