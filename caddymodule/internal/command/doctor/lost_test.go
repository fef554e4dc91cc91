package doctor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestALostDatabaseIsAProblem: its key shows that it is not a first start.
func TestALostDatabaseIsAProblem(t *testing.T) {
	t.Chdir(t.TempDir())
	trail := filepath.Join(t.TempDir(), "audit.db")
	text := config(freeAddress(t), trail, "wsfev1_backend {\n\t\tledger sqlite "+filepath.Join(t.TempDir(), "ledger.db")+"\n\t}")
	issue(t, text)
	if err := os.Remove(trail); err != nil {
		t.Fatal(err)
	}
	r, err := examine(t, text)
	if err == nil {
		t.Error("it is no problem")
	}
	r.want(t, "signing key", "problem", "was the database lost")
}

// TestAnOlderCopyIsAProblem: the key has signed more.
func TestAnOlderCopyIsAProblem(t *testing.T) {
	t.Chdir(t.TempDir())
	trail := filepath.Join(t.TempDir(), "audit.db")
	text := config(freeAddress(t), trail, "wsfev1_backend {\n\t\tledger sqlite "+filepath.Join(t.TempDir(), "ledger.db")+"\n\t}")
	issue(t, text)
	older, err := os.ReadFile(trail)
	if err != nil {
		t.Fatal(err)
	}
	issue(t, text)
	if err := os.WriteFile(trail, older, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := examine(t, text)
	if err == nil {
		t.Error("it is no problem")
	}
	r.want(t, "trail", "problem", "records are gone")
	if len(r["trail"]) != 1 || !strings.Contains(r["trail"][0].Cure, "continue-after-restore") {
		t.Errorf("%+v", r["trail"])
	}
}

// TestAServiceWithoutQueriesIsNamed: one lost answer would block a series.
func TestAServiceWithoutQueriesIsNamed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/wsfev1/FEDummy" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, dummy)
	}))
	defer s.Close()
	r, _ := examine(t, config(freeAddress(t), filepath.Join(t.TempDir(), "audit.db"), "reverse_proxy "+s.URL))
	r.want(t, "upstream", "warning", "status 404 to FECompConsultar")
}
