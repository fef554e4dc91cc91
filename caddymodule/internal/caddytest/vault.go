package caddytest

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// Vault is a gateway that writes down as much as it can: log level DEBUG and the
// access log into its folder, besides the trail.
type Vault struct {
	*Site
	Markers
	Folder, Options string
	upstream        *Stub
}

// OpenVault starts a gateway in front of next, or of an upstream that answers with
// handle.
func OpenVault(t *testing.T, next string, handle http.HandlerFunc) *Vault {
	t.Helper()
	v := &Vault{Markers: NewMarkers(), Folder: t.TempDir(), upstream: NewStub(t, handle)}
	v.Site = NewSite(t)
	v.Store = filepath.Join(v.Folder, "audit.db")
	if next == "" {
		next = ProxyTo(v.upstream.URL)
	}
	v.Options = strings.Replace(v.Config("audit sqlite "+v.Store,
		"log {\n"+LogTo(filepath.Join(v.Folder, "access.log"))+" }\n "+next),
		"{\n", "{\n log {\n"+LogTo(filepath.Join(v.Folder, "default.log"))+" level DEBUG\n }\n", 1)
	v.Load(v.Options)
	return v
}

// Search looks for the markers wherever the gateway leaves something.
func (v *Vault) Search(t *testing.T) {
	t.Helper()
	v.AbsentFrom(t, "/metrics", v.Scrape())
	for _, arguments := range [][]string{{"search", "--format", "json", "--limit", "1000"}, {"search"}, {"show", "0"}, {"show", "0", "--format", "json"}} {
		out, errs, err := AuditCommand(append(arguments, "--store", "sqlite:"+v.Store)...)
		if err != nil {
			t.Errorf("%v: %v", arguments, err)
		}
		v.AbsentFrom(t, strings.Join(arguments, " "), []byte(out+errs))
	}
	v.AbsentFromFolder(t, v.Folder) // the -wal is still there
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	if seen := v.AbsentFromFolder(t, v.Folder); seen < 10_000 {
		t.Errorf("only %d bytes were looked through", seen)
	}
	for _, file := range []string{"audit.db", "default.log", "access.log"} {
		if info, err := os.Stat(filepath.Join(v.Folder, file)); err != nil || info.Size() == 0 {
			t.Errorf("nothing in %s: %v", file, err)
		}
	}
}

// SearchOwn is search without the lines that Caddy's own reverse_proxy writes into
// the log when it is told to write everything: they quote the upstream.
func (v *Vault) SearchOwn(t *testing.T) {
	t.Helper()
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	file := filepath.Join(v.Folder, "default.log")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var own bytes.Buffer
	for line := range bytes.Lines(content) {
		if !bytes.Contains(line, []byte(`"logger":"http.handlers.reverse_proxy"`)) {
			own.Write(line)
		}
	}
	if err := os.WriteFile(file, own.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(own.Bytes(), []byte(`"logger":"http.handlers.wsfev1"`)) {
		t.Error("the gateway has logged nothing")
	}
	v.AbsentFromFolder(t, v.Folder)
}

// Quiet is the vault with what Caddy logs by default, and more fields in the access log.
func (v *Vault) Quiet() {
	config := strings.Replace(v.Options, " level DEBUG\n", "", 1)
	v.Load(strings.Replace(config, "\twsfev1 {", "\tlog_append said {rp.header.X-Whole}\n\tlog_append status {rp.status_text}\n"+
		"\tlog_append given {http.response.header.X-Whole}\n\twsfev1 {", 1))
}

// SearchHeaders looks through all that was written, after the end.
func (v *Vault) SearchHeaders(t *testing.T) {
	t.Helper()
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(filepath.Join(v.Folder, "access.log"))
	if err != nil || !bytes.Contains(log, []byte(`"wsfev1_outcome"`)) {
		t.Errorf("the access log: %v\n%s", err, log)
	}
	v.AbsentFromFolder(t, v.Folder)
}
