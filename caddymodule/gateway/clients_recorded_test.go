package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTheNewestTableIsTheOneThatHolds: `clients check --at` answers by the newest table in the trail. A configuration
// that fails to start, and one that stood at other lines before, must not stand there for the one that runs.
func TestTheNewestTableIsTheOneThatHolds(t *testing.T) {
	stub := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.NewSite(t)
	next := caddytest.Accounts(caddytest.ProxyTo(stub.URL), "shop", "erp")
	config := func(moved bool, rows ...string) string {
		text := s.Config(s.WithAudit(append(slices.Clone(caddytest.Exactly), rows...)...), next)
		if moved {
			return "# a line more\n" + text
		}
		return text
	}
	failing := func(text string) {
		t.Helper()
		text += "http://" + caddytest.FreeAddress(t) + " {\n\tbind " + caddytest.Loopback + "\n\twsfev1 {\n\t\taudit sqlite " + s.Store + "/no/folder.db\n\t}\n\trespond ok\n}\n"
		if err := caddytest.LoadCaddyfile(text); err == nil {
			t.Fatal("a configuration with a store that cannot be opened starts")
		}
	}
	want := func(when, row string) {
		t.Helper()
		var newest *audit.Record
		for _, r := range s.Records() {
			if r.Outcome == audit.AccessClients {
				newest = r
			}
		}
		if text := string(newest.Request); row == "" && text != "" || !strings.HasPrefix(text, row) {
			t.Errorf("%s: the newest table is %q, want %q", when, text, row)
		}
		if row == "" {
			return
		}
		if as(t, s, "shop", 0, "FEDummy", "{}"); s.Last().ClientTable != newest.Address() {
			t.Errorf("%s: a request was judged by %s, and the newest table is %s", when, s.Last().ClientTable, newest.Address())
		}
	}
	s.Load(config(false, shopRow))
	want("at first", "client shop ")
	for _, moved := range []bool{false, true} {
		failing(config(moved, erpRow))
		want("after other rows that failed", "client shop ")
		failing(config(moved))
		want("after no rows that failed", "client shop ")
	}
	s.Load(config(true, erpRow))
	want("with other rows at another line", "client erp ")
	s.Load(config(false, shopRow))
	want("as before again", "client shop ")
	s.Load(config(true))
	want("without rows, at another line", "")
	failing(config(false, shopRow))
	want("after rows that failed", "")
}
