package caddymodule_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheExampleAnswersToEveryLoopbackName, and says what to do to whoever asks for another: an
// empty 200 would look like success.
func TestTheExampleAnswersToEveryLoopbackName(t *testing.T) {
	example, err := os.ReadFile("../Caddyfile.example")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "respond ok")
	port := portOf(s.url)
	t.Setenv("FIELATO_AUDIT", filepath.Join(t.TempDir(), "audit.db"))
	t.Setenv("FIELATO_LEDGER", filepath.Join(t.TempDir(), "ledger.db"))
	text := strings.ReplaceAll(string(example), ":8080", ":"+port)
	s.load(strings.Replace(text, "{\n", "{\n\tadmin off\n\tpersist_config off\n\tdefault_bind "+loopback+"\n", 1))
	for host, status := range map[string]int{
		"localhost": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]": http.StatusOK,
		"invoices.example.com": http.StatusMisdirectedRequest, "192.0.2.7": http.StatusMisdirectedRequest, "[2001:db8::1]": http.StatusMisdirectedRequest,
	} {
		r := s.request(t.Context(), "FEDummy", "{}")
		r.Host = host + ":" + port
		got := s.do(r)
		if got.status != status || status == http.StatusOK && !strings.Contains(string(got.body), "AppServer") {
			t.Errorf("%s: %d %s, want %d", host, got.status, got.body, status)
		}
		for _, advice := range []string{"http://localhost:" + port, "add http://" + r.Host + " to the site's addresses"} {
			if status != http.StatusOK && !strings.Contains(string(got.body), advice) {
				t.Errorf("%s: %s\nlacks %q", host, got.body, advice)
			}
		}
	}
}
