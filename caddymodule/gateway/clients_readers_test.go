package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAReaderOfTheFileSeesItsIssuersAlone: from the invoice of a client to the page of a reader, with one file of
// rows for both. A reader whose row goes sees nothing, and one whose row comes sees at once.
func TestAReaderOfTheFileSeesItsIssuersAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "customers")
	write := func(lines ...string) {
		text := "shop user shop cuits 20-11111111-2 may issue\nerp user erp cuits 30-50001091-2 may issue\n" + strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("reader ana user ana cuits 20-11111111-2", "reader jefa user jefa cuits *")
	s := caddytest.Start(t, caddytest.Accounts("wsfev1_console\n"+caddytest.WithBackend(t), "shop", "erp", "ana", "jefa", "nadie"),
		append(slices.Clone(caddytest.Exactly), "clients "+file)...)
	for user, invoice := range map[string]string{"shop": caddytest.Invoice(1), "erp": strings.Replace(caddytest.Invoice(1), "20111111112", "30500010912", 1)} {
		if got := as(t, s, user, 0, "FECAESolicitar", invoice); got.Header.Get("Wsfev1-Outcome") != "approved" {
			t.Fatalf("%s: %d %s", user, got.Status, got.Body)
		}
	}
	open := func(user, page string) caddytest.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/consola/"+page, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(user, "password")
		return s.Do(r)
	}
	const own, others = "20-11111111-2", "30-50001091-2"
	for user, sees := range map[string][2]bool{"ana": {true, false}, "jefa": {true, true}} {
		page := string(open(user, "search").Body)
		if got := [2]bool{strings.Contains(page, "20111111112") || strings.Contains(page, own), strings.Contains(page, "30500010912") || strings.Contains(page, others)}; got != sees {
			t.Errorf("%s sees %v of the issuers, want %v\n%s", user, got, sees, page)
		}
	}
	for _, user := range []string{"nadie", "shop"} {
		if got := open(user, "search"); got.Status != http.StatusForbidden || strings.Contains(string(got.Body), own) {
			t.Errorf("%s: %d", user, got.Status)
		}
	}
	records := s.Records()
	foreign := slices.IndexFunc(records, func(r *audit.Record) bool { return r.Cuit == 30500010912 })
	for _, page := range []string{"exchange/" + records[foreign].Address(), "proof/" + records[foreign].Address(), "exchange/" + records[0].Address()} {
		if got := open("ana", page); got.Status != http.StatusNotFound {
			t.Errorf("%s: %d", page, got.Status)
		}
		if got := open("jefa", page); got.Status != http.StatusOK {
			t.Errorf("%s for who sees all: %d", page, got.Status)
		}
	}
	write("reader nadie user nadie cuits 30-50001091-2")
	caddytest.Eventually(t, "a reader without a row reads nothing", func() bool { return open("ana", "search").Status == http.StatusForbidden })
	if got := open("nadie", "search"); got.Status != http.StatusOK || strings.Contains(string(got.Body), "20111111112") {
		t.Errorf("the new reader: %d", got.Status)
	}
}
