package admin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// TestATrailThatIsNotOpenYetIsNotAnothers: while a configuration starts, nobody knows whether it writes the log that a
// command is about to read.
func TestATrailThatIsNotOpenYetIsNotAnothers(t *testing.T) {
	a := new(app.App)
	handle := app.NewHandle(caddy.NewUsagePool(), "a store", func() (*trail.Trail, error) { return nil, errors.New("unreachable") })
	if err := trail.Of(a).Add(app.Place{}, handle, &trail.Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, trail.ReadsPath, strings.NewReader(`{"log":"gw","public_key":"key","who":"ana@host","what":"audit search"}`))
	err := serveReads(a, httptest.NewRecorder(), r)
	var refused caddy.APIError
	if !errors.As(err, &refused) || refused.HTTPStatus != http.StatusServiceUnavailable || !strings.Contains(refused.Err.Error(), "not open yet") {
		t.Errorf("%v", err)
	}
}
