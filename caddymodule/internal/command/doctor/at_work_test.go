package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTheTrailOfTheBuiltInService stands in front of a real one: the start refuses it, and the
// configuration alone does not show it.
func TestTheTrailOfTheBuiltInService(t *testing.T) {
	t.Chdir(t.TempDir())
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	service := "reverse_proxy " + serve(t, 200, "application/json", dummy)
	r, err := examine(t, config(freeAddress(t), s.Store, service))
	r.want(t, "configuration", "ok", "valid")
	r.want(t, "trail", "problem", "the built-in service has issued into it, first on ")
	if err == nil {
		t.Error("an invented CAE in front of a real service is no problem")
	}
	r, _ = examine(t, config(freeAddress(t), s.Store, builtIn))
	r.want(t, "trail", "ok", "opens")
	r, _ = examine(t, config(freeAddress(t), filepath.Join(t.TempDir(), "real.db"), service))
	r.want(t, "trail", "ok", "is not there yet")
}

// TestTheGatewayAtWorkIsKnown by its admin API, and another one is not taken for it.
func TestTheGatewayAtWorkIsKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	var running string
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(running)) }))
	t.Cleanup(admin.Close)
	taken := listenElsewhere(t)
	port := "port 127.0.0.1" + taken[strings.LastIndex(taken, ":"):]
	text := strings.Replace(config(taken, "audit.db", builtIn), "admin off", "admin "+strings.TrimPrefix(admin.URL, "http://"), 1)
	running = adapted(t, text)
	r, _ := examine(t, text)
	r.want(t, port, "ok", "taken by this gateway, which is at work: process ")
	running = adapted(t, strings.Replace(text, "audit.db", "other.db", 1))
	r, _ = examine(t, text)
	r.want(t, port, "warning", "taken by process ")
}

func adapted(t *testing.T, text string) string {
	t.Helper()
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(config)
}
