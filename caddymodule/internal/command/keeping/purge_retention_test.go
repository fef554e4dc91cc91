package keeping_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// keepFor sets the retention of the log of caddytest.OldTrail, as its gateway does.
func keepFor(t *testing.T, path string, years int) {
	t.Helper()
	store, err := auditsqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := audit.KeepRetention(t.Context(), store, "gateway-1", years); err != nil {
		t.Fatal(err)
	}
}

// TestPurgeKeepsWhatTheOperatorHasSet in the gateway, without being told so: 2011 may go after 99
// years, and not before.
func TestPurgeKeepsWhatTheOperatorHasSet(t *testing.T) {
	path := caddytest.OldTrail(t)
	keepFor(t, path, 99)
	run := func(arguments ...string) (string, string, error) {
		return caddytest.AuditCommand(append([]string{"purge", "--before", "2011-08", "--store", "sqlite:" + path}, arguments...)...)
	}
	out, errs, err := run("--yes")
	for _, want := range []string{"nothing was purged", "record gateway-1/3 of 2011-07", "until 2110-12-31", "may go from 2111-01-01", "retention 99", "--override-retention"} {
		if err == nil || !strings.Contains(err.Error(), want) || out+errs != "" {
			t.Errorf("%v, want %q\n%s%s", err, want, out, errs)
		}
	}
	if out, errs, err := run("--dry-run"); err != nil || !regexp.MustCompile(`total +4 +0`).MatchString(out) ||
		!strings.Contains(errs, "a purge needs --override-retention: the content of record gateway-1/3") || !strings.Contains(errs, "2111-01-01") {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	out, _, err = run("--dry-run", "--format", "json")
	var report struct {
		Purged    int `json:"purged"`
		Retention int `json:"retention"`
		Retained  *struct {
			Record   string `json:"record"`
			Year     int    `json:"year"`
			MayGo    string `json:"may_go"`
			AllMayGo string `json:"all_may_go"`
		} `json:"retained"`
	}
	if failed := json.Unmarshal([]byte(out), &report); err != nil || failed != nil || report.Purged != 4 || report.Retention != 99 ||
		report.Retained == nil || report.Retained.Record != "gateway-1/3" || report.Retained.Year != 2011 || report.Retained.MayGo != "21110101" || report.Retained.AllMayGo != "21110101" {
		t.Errorf("%v %v\n%s", err, failed, out)
	}
	for _, reason := range []string{" ", "two\nlines", "a\x1b[31m", strings.Repeat("x", audit.MaxOverride+1)} {
		if _, _, err := run("--yes", "--override-retention", reason); err == nil || !strings.Contains(err.Error(), "--override-retention: no reason") {
			t.Errorf("%q: %v", reason, err)
		}
	}
	if _, _, err := caddytest.AuditCommand("purge", "--acknowledge", "--yes", "--override-retention", "x", "--store", "sqlite:"+path); err == nil || !strings.Contains(err.Error(), "leave it out") {
		t.Errorf("%v", err)
	}
	if out, _, err := caddytest.AuditCommand("show", "0", "--store", "sqlite:"+path); err != nil || !strings.Contains(out, `"a": "body"`) {
		t.Errorf("after all that: %v\n%s", err, out)
	}
}

// TestAnOverrideShowsWhereAPurgeIsShown, in an export, and to another program.
func TestAnOverrideShowsWhereAPurgeIsShown(t *testing.T) {
	path := caddytest.OldTrail(t)
	keepFor(t, path, 50)
	store := "sqlite:" + path
	const reason = "cierre de la sociedad, acta 7"
	if out, errs, err := caddytest.AuditCommand("purge", "--before", "2011-08", "--yes", "--store", store, "--override-retention", reason); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	out, _, err := caddytest.AuditCommand("show", "8", "--store", store)
	if err != nil || !strings.Contains(out, "; retention 50, overridden: "+reason+"\n") {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = caddytest.AuditCommand("search", "--outcome", "purge", "--format", "json", "--store", store)
	if err != nil || !strings.Contains(out, `"held_records":0,"retention":{"years":50,"override":"`+reason+`"}}`) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--store", store); err != nil || !strings.Contains(out, ", 4 purged, ") {
		t.Errorf("%v\n%s", err, out)
	}
	copied := "sqlite:" + path + ".copy"
	if _, errs, err := caddytest.AuditCommand("copy", "--from", store, "--to", copied); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if _, _, err := caddytest.AuditCommand("purge", "--before", "2011-10", "--yes", "--store", copied, "--key-file", path+".key"); err == nil || !strings.Contains(err.Error(), "retention 50") {
		t.Errorf("a copy: %v", err)
	}
	folder := caddytest.Exported(t, store)
	key := caddytest.KeyOf(t, folder)
	if out, _, err := caddytest.AuditCommand("verify", "--export", folder, "--key", key); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if said, sound := caddytest.Python(t, key, folder); !sound || !strings.Contains(said, "4 purged") {
		t.Error(said)
	}
	proof := path + ".proof"
	if _, errs, err := caddytest.AuditCommand("prove", "8", "--store", store, "--output", proof); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if said, sound := caddytest.Python(t, key, proof); !sound || !strings.Contains(said, `"override": "`+reason+`"`) {
		t.Error(said)
	}
}
