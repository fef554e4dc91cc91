package keeping_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

func TestPurgeAsksBeforeItRemoves(t *testing.T) {
	store := "sqlite:" + caddytest.OldTrail(t)
	next := audit.PeriodOf(time.Now().AddDate(0, 2, 0)).String()
	for flags, says := range map[string]string{
		"":                                  "--before",
		"--before 2011-08":                  "--dry-run",
		"--before 2011-08 --yes --dry-run":  "one of them",
		"--before 2011 --yes":               "2026-11",
		"--yes --before " + next:            "latest possible month",
		"--before 2011-08 --dry-run --oops": "unknown flag",
		"--acknowledge":                     "--dry-run",
		"--acknowledge --before 2011-08":    "leave --before",
		"--acknowledge --yes":               "from its first record on: there is nothing to acknowledge",
	} {
		if _, _, err := caddytest.AuditCommand(append([]string{"purge", "--store", store}, strings.Fields(flags)...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("purge %s: %v; want %q", flags, err, says)
		}
	}
	out, errs, err := caddytest.AuditCommand("purge", "--store", store, "--before", "2011-08", "--dry-run")
	if err != nil || !regexp.MustCompile(`MONTH +TO PURGE +HELD\s+2011-06 +2 +0\s+2011-07 +2 +0\s+total +4 +0`).MatchString(out) || !strings.Contains(errs, "nothing was changed") {
		t.Errorf("%v\n%s\n%s", err, out, errs)
	}
	out, _, err = caddytest.AuditCommand("show", "0", "--store", store)
	if err != nil || !strings.Contains(out, "quoted") || !strings.Contains(out, `"a": "body"`) {
		t.Errorf("after all that: %v\n%s", err, out)
	}
}

// TestPurgeRemovesContentAndKeepsTheRest, but for an issuer that is held.
func TestPurgeRemovesContentAndKeepsTheRest(t *testing.T) {
	path := caddytest.OldTrail(t)
	store := "sqlite:" + path
	run := func(want string, arguments ...string) {
		t.Helper()
		out, errs, err := caddytest.AuditCommand(append(arguments, "--store", store)...)
		if err != nil || !regexp.MustCompile(want).MatchString(out+errs) {
			t.Errorf("%v: %v; want %s\n%s%s", arguments, err, want, out, errs)
		}
	}
	run(`^no issuer is held\n$`, "hold", "list")
	run(`^CUIT +SINCE\n30000000007 +20\S+-03:00\n$`, "hold", "add", "--cuit", "30000000007")
	if _, _, err := caddytest.AuditCommand("hold", "add", "--cuit", "7", "--store", store); err == nil || !strings.Contains(err.Error(), "not a CUIT") {
		t.Errorf("hold of what is no CUIT: %v", err)
	}
	run(`MONTH +PURGED +HELD\s+2011-06 +1 +1\s+2011-07 +1 +1\s+total +2 +2\s+removed \d+ B`, "purge", "--before", "2011-08", "--yes")
	run(`content +purged: bodies`, "show", "0")
	run(`(?s)finding +10048 .*"a": "body"`, "show", "1") // held
	run(`"content":"purged"`, "search", "--cuit", "20111111112", "--format", "json")
	out, _, err := caddytest.AuditCommand("show", "0", "--store", store)
	if err != nil || strings.Contains(out, "quoted") || strings.Contains(out, "sha256") || !strings.Contains(out, "10048") {
		t.Errorf("show of what is purged: %v\n%s", err, out)
	}
	run(`^no issuer is held\n$`, "hold", "remove", "--cuit", "30000000007")
	if _, _, err := caddytest.AuditCommand("hold", "remove", "--cuit", "30000000007", "--store", store); err == nil || !strings.Contains(err.Error(), "not held") {
		t.Errorf("removed twice: %v", err)
	}
	run(`total +2 +0`, "purge", "--before", "2011-08", "--yes", "--compact")
	run(`^nothing to purge before 2011-08 in log gateway-1\n$`, "purge", "--before", "2011-08", "--yes")
	s, err := auditsqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	audittest.Verify(t, s, "gateway-1")
}

// TestPurgeBesideAGateway: it has nothing to remove there, and hinders nobody.
func TestPurgeBesideAGateway(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	_, errs, err := caddytest.AuditCommand("purge", "--store", "sqlite:"+s.Store, "--before", "2013-01", "--yes")
	if err != nil || !strings.Contains(errs, "nothing to purge") {
		t.Errorf("%v, %s", err, errs)
	}
	if _, _, err := caddytest.AuditCommand("purge", "--store", "sqlite:"+s.Store, "--before", "2013-01", "--yes", "--compact"); err == nil || !strings.Contains(err.Error(), "another process writes this trail") {
		t.Errorf("compact beside a gateway: %v", err)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Status != 200 || len(s.Records()) != 4 {
		t.Errorf("the gateway goes on with %d", got.Status)
	}
}
