package doctor_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPorts: free, taken, or no port at all.
func TestPorts(t *testing.T) {
	t.Chdir(t.TempDir())
	free, taken := freeAddress(t), listenElsewhere(t)
	port := func(address string) string {
		_, number, _ := net.SplitHostPort(address)
		return "port 127.0.0.1:" + number
	}
	r, _ := examine(t, config(free, "audit.db", builtIn))
	r.want(t, port(free), "ok", "free")
	r, _ = examine(t, config(taken, "audit.db", builtIn))
	r.want(t, port(taken), "warning", "taken by ")
	foreign := listenElsewhere(t, "other")
	r, err := examine(t, config(foreign, "audit.db", builtIn))
	r.want(t, port(foreign), "problem", "taken by process ")
	if err == nil {
		t.Error("a port of another program is no problem")
	}
	socket := filepath.Join(t.TempDir(), "s.sock")
	r, _ = examine(t, strings.Replace(config(free, "audit.db", builtIn), "bind 127.0.0.1", "bind unix/"+socket, 1))
	r.want(t, "port unix/"+socket, "ok", "nobody shares it")
	r, _ = examine(t, "http://localhost:1 {\n respond ok\n}\n")
	r.want(t, "handlers", "problem", "no site has wsfev1")
}

// TestMetrics: where they are, and whether anybody asks for them.
func TestMetrics(t *testing.T) {
	t.Chdir(t.TempDir())
	said := ""
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(said)) }))
	t.Cleanup(admin.Close)
	at := strings.TrimPrefix(admin.URL, "http://")
	text := config(freeAddress(t), "audit.db", builtIn)
	with := func(option string) string { return strings.Replace(text, "admin off", option, 1) }
	for name, c := range map[string]struct{ text, said, status, found string }{
		"by a site":     {strings.Replace(text, builtIn, "metrics /metrics\n"+builtIn, 1), "", "ok", "served by a site"},
		"not at work":   {with("admin " + freeAddress(t)), "", "ok", "once the gateway runs"},
		"never asked":   {with("admin " + at), "go_goroutines 3\n", "warning", "no Prometheus has read them yet"},
		"asked":         {with("admin " + at), `caddy_admin_http_requests_total{code="200",path="/metrics"} 3` + "\n", "ok", "served at http://" + at + "/metrics"},
		"on a socket":   {with("admin unix/" + filepath.Join(t.TempDir(), "admin.sock")), "", "ok", "served by the admin API"},
		"the admin off": {text, "", "warning", "the admin API is off"},
	} {
		said = c.said
		r, _ := examine(t, c.text)
		t.Log(name)
		r.want(t, "metrics", c.status, c.found)
	}
}

// TestACheckpointBesideTheTrailIsNotElsewhere: whoever changes one can change the other.
func TestACheckpointBesideTheTrailIsNotElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	elsewhere := t.TempDir()
	text := func(to string) string {
		return strings.Replace(config(freeAddress(t), "audit.db", builtIn), "audit.db", "audit.db {\n checkpoint_to "+to+"\n}", 1)
	}
	r, _ := examine(t, text("checkpoint.txt"))
	r.want(t, "checkpoint", "warning", "kept in the folder of the trail alone")
	r, _ = examine(t, text(filepath.Join(elsewhere, "checkpoint.txt")))
	r.want(t, "checkpoint", "ok", "kept elsewhere too: 1 destination")
	// A start makes the folder of the trail before it looks for the checkpoint. It makes no other.
	fresh := strings.Replace(text("data/checkpoint.txt"), "audit sqlite audit.db", "audit sqlite data/deep/audit.db", 1)
	r, _ = examine(t, fresh)
	r.want(t, "configuration", "ok", "valid")
	r, _ = examine(t, strings.Replace(fresh, "data/checkpoint.txt", "disk/checkpoint.txt", 1))
	r.want(t, "configuration", "problem", "create the folder or mount it")
	file := filepath.Join(elsewhere, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ = examine(t, text(filepath.Join(file, "checkpoint.txt")))
	r.want(t, "checkpoint", "warning", "is a file and no folder")
}

// TestTheAddressForClientsIsShown, with the scheme that they must use.
func TestTheAddressForClientsIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	address := freeAddress(t)
	r, _ := examine(t, config(address, "audit.db", builtIn))
	r.want(t, "address", "ok", "clients reach wsfev1 at http://"+address+"/api/wsfev1/")
	r, _ = examine(t, "{\n admin off\n persist_config off\n skip_install_trust\n storage file_system .\n}\nfacturas.example.com {\n tls internal\n wsfev1 {\n audit sqlite audit.db\n }\n wsfev1_backend\n}\n")
	r.want(t, "address", "ok", "https://facturas.example.com/api/wsfev1/, with https: one that is told http gets a redirect")
}
