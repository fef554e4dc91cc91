package simulator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// loadAlone runs a handler without a gateway.
func loadAlone(t *testing.T, url, handler string) {
	t.Helper()
	err := caddytest.LoadCaddyfile(fmt.Sprintf("{\n admin off\n persist_config off\n}\n%s {\n bind %s\n %s\n}\n", url, caddytest.Loopback, handler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
	})
}

// TestWhatAClientWithoutAGatewayMeets: the connection itself.
func TestWhatAClientWithoutAGatewayMeets(t *testing.T) {
	for _, c := range []struct {
		fault  string
		status int
		err    error
		whole  bool
	}{
		{"fault drop", 0, io.EOF, false},
		{"fault hang", 0, context.DeadlineExceeded, false},
		{"fault truncate", 200, io.ErrUnexpectedEOF, false},
		{"fault html_502", 502, nil, false},
		{"fault not_json", 200, nil, false},
		{"fault delay {\n delay fixed 10m\n}", 0, context.DeadlineExceeded, false},
		{"fault delay {\n delay fixed 10ms\n}", 200, nil, true},
	} {
		t.Run(strings.ReplaceAll(c.fault, "\n", ""), func(t *testing.T) {
			s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
			loadAlone(t, s.URL, caddytest.WithFaults(t, c.fault))
			patience := 20 * time.Second
			if errors.Is(c.err, context.DeadlineExceeded) {
				patience = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			got, err := caddytest.Try(s.Request(ctx, "FECompTotXRequest", "{"+caddytest.AuthText+"}"))
			if got.Status != c.status || !errors.Is(err, c.err) {
				t.Errorf("got %d %s, %v; want %d, %v", got.Status, got.Body, err, c.status, c.err)
			}
			if whole := strings.HasSuffix(string(got.Body), "}"); whole != c.whole {
				t.Errorf("the answer is %q", got.Body)
			}
			if errors.Is(c.err, io.ErrUnexpectedEOF) && !strings.HasPrefix(string(got.Body), "{") {
				t.Errorf("nothing came of the answer: %q", got.Body)
			}
		})
	}
}

// TestTheEndEndsAllWaiting: a request that hangs, and one that is late, end when the
// configuration is replaced and when Caddy stops; the late one with its answer.
func TestTheEndEndsAllWaiting(t *testing.T) {
	for _, end := range []struct {
		name string
		come func(s *caddytest.Site, t *testing.T)
	}{
		{"reload", func(s *caddytest.Site, t *testing.T) { s.Load(s.Config("audit sqlite "+s.Store, "respond 503")) }},
		{"stop", func(_ *caddytest.Site, t *testing.T) {
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(end.name, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.WithFaults(t,
				"fault hang {\n operation FECompTotXRequest\n}", "fault delay {\n operation FECAESolicitar\n delay fixed 10m\n}"))
			hanging, late := make(chan caddytest.Response, 1), make(chan caddytest.Response, 1)
			hung, delayed := `wsfev1_backend_faults_injected_total{kind="hang"}`, `wsfev1_backend_faults_injected_total{kind="delay"}`
			wantHung, wantDelayed := caddytest.Plus(t, s.Metric(hung), 1), caddytest.Plus(t, s.Metric(delayed), 1)
			go func() { hanging <- s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}") }()
			go func() { late <- s.Post("FECAESolicitar", caddytest.Invoice(1)) }()
			caddytest.Eventually(t, "both requests wait", func() bool { return s.Metric(hung) == wantHung && s.Metric(delayed) == wantDelayed })
			begun := time.Now()
			end.come(s, t)
			if got := <-hanging; got.Status != 504 {
				t.Errorf("the hanging one: %d %s", got.Status, got.Body)
			}
			if got := <-late; got.Status != 200 || got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("the late one: %d %s", got.Status, got.Body)
			}
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("the end took %s", took)
			}
		})
	}
}
