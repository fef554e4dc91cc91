package caddymodule_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTheExampleAnswersToEveryLoopbackName, and says what to do to whoever asks for another: an
// empty 200 would look like success.
func TestTheExampleAnswersToEveryLoopbackName(t *testing.T) {
	example, err := os.ReadFile("../Caddyfile.example")
	if err != nil {
		t.Fatal(err)
	}
	s := caddytest.Start(t, "respond ok")
	port := caddytest.PortOf(s.URL)
	t.Setenv("FIELATO_AUDIT", filepath.Join(t.TempDir(), "audit.db"))
	t.Setenv("FIELATO_LEDGER", filepath.Join(t.TempDir(), "ledger.db"))
	text := strings.ReplaceAll(string(example), ":8080", ":"+port)
	console := caddytest.PortOf(caddytest.FreeAddress(t))
	text = strings.NewReplacer(":2020", ":"+console, "bind 127.0.0.1", "bind "+caddytest.Loopback).Replace(text)
	s.Load(strings.Replace(text, "{\n", "{\n\tadmin off\n\tpersist_config off\n\tdefault_bind "+caddytest.Loopback+"\n", 1))
	wantConsole(t, s, console)
	for host, status := range map[string]int{
		"localhost": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]": http.StatusOK,
		"invoices.example.com": http.StatusMisdirectedRequest, "192.0.2.7": http.StatusMisdirectedRequest, "[2001:db8::1]": http.StatusMisdirectedRequest,
	} {
		r := s.Request(t.Context(), "FEDummy", "{}")
		r.Host = host + ":" + port
		got := s.Do(r)
		if got.Status != status || status == http.StatusOK && !strings.Contains(string(got.Body), "AppServer") {
			t.Errorf("%s: %d %s, want %d", host, got.Status, got.Body, status)
		}
		for _, advice := range []string{"http://localhost:" + port, "add http://" + r.Host + " to the site's addresses"} {
			if status != http.StatusOK && !strings.Contains(string(got.Body), advice) {
				t.Errorf("%s: %s\nlacks %q", host, got.Body, advice)
			}
		}
	}
}

// wantConsole fails the test unless the console is where the README says, and shows the first page.
func wantConsole(t *testing.T, s *caddytest.Site, port string) {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil || !strings.Contains(string(readme), "http://localhost:2020/consola/") {
		t.Errorf("the README does not name the console: %v", err)
	}
	for _, path := range []string{"/consola/", "/consola/search", "/metrics"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+caddytest.Loopback+":"+port+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "localhost:" + port
		if got := s.Do(r); got.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}
