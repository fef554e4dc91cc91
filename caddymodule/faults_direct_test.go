package caddymodule_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// loadAlone runs a handler without a gateway.
func loadAlone(t *testing.T, url, handler string) {
	t.Helper()
	err := loadCaddyfile(fmt.Sprintf("{\n admin off\n persist_config off\n}\n%s {\n bind %s\n %s\n}\n", url, loopback, handler))
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
			s := &site{t: t, url: "http://" + freeAddress(t)}
			loadAlone(t, s.url, withFaults(t, c.fault))
			patience := 20 * time.Second
			if errors.Is(c.err, context.DeadlineExceeded) {
				patience = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			got, err := try(s.request(ctx, "FECompTotXRequest", "{"+authText+"}"))
			if got.status != c.status || !errors.Is(err, c.err) {
				t.Errorf("got %d %s, %v; want %d, %v", got.status, got.body, err, c.status, c.err)
			}
			if whole := strings.HasSuffix(string(got.body), "}"); whole != c.whole {
				t.Errorf("the answer is %q", got.body)
			}
			if errors.Is(c.err, io.ErrUnexpectedEOF) && !strings.HasPrefix(string(got.body), "{") {
				t.Errorf("nothing came of the answer: %q", got.body)
			}
		})
	}
}

// TestTheEndEndsAllWaiting: a request that hangs, and one that is late, end when the
// configuration is replaced and when Caddy stops; the late one with its answer.
func TestTheEndEndsAllWaiting(t *testing.T) {
	for _, end := range []struct {
		name string
		come func(s *site, t *testing.T)
	}{
		{"reload", func(s *site, t *testing.T) { s.load(s.config("audit sqlite "+s.store, "respond 503")) }},
		{"stop", func(_ *site, t *testing.T) {
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(end.name, func(t *testing.T) {
			s := start(t, withFaults(t,
				"fault hang {\n operation FECompTotXRequest\n}", "fault delay {\n operation FECAESolicitar\n delay fixed 10m\n}"))
			hanging, late := make(chan response, 1), make(chan response, 1)
			hung, delayed := `wsfev1_backend_faults_injected_total{kind="hang"}`, `wsfev1_backend_faults_injected_total{kind="delay"}`
			wantHung, wantDelayed := plus(t, s.metric(hung), 1), plus(t, s.metric(delayed), 1)
			go func() { hanging <- s.post("FECompTotXRequest", "{"+authText+"}") }()
			go func() { late <- s.post("FECAESolicitar", invoice(1)) }()
			eventually(t, "both requests wait", func() bool { return s.metric(hung) == wantHung && s.metric(delayed) == wantDelayed })
			begun := time.Now()
			end.come(s, t)
			if got := <-hanging; got.status != 504 {
				t.Errorf("the hanging one: %d %s", got.status, got.body)
			}
			if got := <-late; got.status != 200 || got.at(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("the late one: %d %s", got.status, got.body)
			}
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("the end took %s", took)
			}
		})
	}
}
