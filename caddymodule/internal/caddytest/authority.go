package caddytest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// Authority is a time-stamping authority at a URL: openssl behind HTTP.
type Authority struct {
	*tsatest.Authority
	URL string
}

// NewAuthority runs an authority with a key of this kind, until the test ends.
func NewAuthority(t testing.TB, kind tsatest.Kind) *Authority {
	t.Helper()
	a := &Authority{Authority: tsatest.New(t, kind, "Sello de prueba")}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("reading a query: %v", err)
			return
		}
		w.Header().Set("Content-Type", "application/timestamp-reply")
		_, _ = w.Write(a.Reply(query))
	}))
	t.Cleanup(server.Close)
	a.URL = server.URL
	return a
}

// Option is the option of a trail that asks the authority, with more arguments.
func (a *Authority) Option(more string) string {
	return TrailOption + "timestamp " + a.URL + " " + a.Roots + more
}
