package admin

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// slow is a resource that takes long to open, and cannot be opened then.
type slow struct{ begun, on chan struct{} }

func (s slow) Start() error {
	close(s.begun)
	<-s.on
	return errors.New("unreachable")
}

func (slow) Stop() {}

// TestAReloadUnderWayChangesNoAnswer: the configuration before serves as long as the next one starts, and goes on if that
// fails.
func TestAReloadUnderWayChangesNoAnswer(t *testing.T) {
	before, next := &app.App{SharePorts: true}, &app.App{SharePorts: true}
	trail.Of(before)
	if err := before.Start(); err != nil {
		t.Fatal(err)
	}
	handle := app.NewHandle(caddy.NewUsagePool(), "a store", func() (*trail.Trail, error) { return nil, errors.New("unreachable") })
	if err := trail.Of(next).Add(app.Place{}, handle, &trail.Options{}); err != nil {
		t.Fatal(err)
	}
	s := slow{make(chan struct{}), make(chan struct{})}
	next.Open(s)
	started := make(chan error)
	go func() { started <- next.Start() }()
	<-s.begun
	ready := func(when string) {
		t.Helper()
		w := httptest.NewRecorder()
		route := adminRoute{"/wsfev1/ready", readMethods, nil, serveReady}
		if err := route.answer(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, route.path, nil)); err != nil || w.Code != http.StatusOK {
			t.Errorf("%s: %d %v", when, w.Code, err)
		}
	}
	ready("while the next one starts")
	close(s.on)
	if err := <-started; err == nil {
		t.Error("it has started")
	}
	if err := next.Cleanup(); err != nil {
		t.Error(err)
	}
	ready("after it has failed")
	if err := before.Cleanup(); err != nil {
		t.Error(err)
	}
}
