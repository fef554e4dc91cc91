package caddytest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// Stub is an upstream that counts its requests and keeps the last one.
type Stub struct {
	*httptest.Server
	Hits atomic.Int64

	mu     sync.Mutex // guards body and header
	body   []byte
	header http.Header
}

// NewStub starts an upstream that answers with handle.
func NewStub(t testing.TB, handle http.HandlerFunc) *Stub {
	t.Helper()
	s := newStub(t, handle)
	s.Start()
	return s
}

// newStub is NewStub without starting it.
func newStub(t testing.TB, handle http.HandlerFunc) *Stub {
	s := &Stub{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Hits.Add(1)
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.body, s.header = body, r.Header.Clone()
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// Last returns the body and the header of the newest request.
func (s *Stub) Last() ([]byte, http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.body, s.header
}
