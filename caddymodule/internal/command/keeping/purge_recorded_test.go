package keeping_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

// byHand does something to a trail that no command does.
func byHand(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// TestAPurgeIsWrittenDownBeforeItBegins by the command itself where no gateway runs: who,
// what, and how much; and nothing is purged where it cannot be.
func TestAPurgeIsWrittenDownBeforeItBegins(t *testing.T) {
	path := caddytest.OldTrail(t)
	store := "sqlite:" + path
	if _, _, err := caddytest.AuditCommand("hold", "add", "--cuit", "30000000007", "--store", store); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(path + ".key")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".key"); err != nil {
		t.Fatal(err)
	}
	out, errs, err := caddytest.AuditCommand("purge", "--before", "2011-08", "--yes", "--store", store)
	if !errors.Is(err, audit.ErrUnrecorded) || !strings.Contains(err.Error(), "--key-file") || !strings.Contains(err.Error(), "--admin") || out+errs != "" {
		t.Fatalf("without a record: %v\n%s%s", err, out, errs)
	}
	if _, _, err := caddytest.AuditCommand("hold", "remove", "--cuit", "30000000007", "--store", store); err == nil || !strings.Contains(err.Error(), "the hold stays") {
		t.Errorf("a hold that ends without a record: %v", err)
	}
	if out, _, err := caddytest.AuditCommand("show", "0", "--store", store); err != nil || !strings.Contains(out, `"a": "body"`) {
		t.Fatalf("%v\n%s", err, out)
	}
	elsewhere := path + ".elsewhere"
	if err := os.WriteFile(elsewhere, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, err := caddytest.AuditCommand("purge", "--before", "2011-08", "--yes", "--store", store, "--key-file", elsewhere); err != nil || !strings.Contains(out, "total") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	out, _, err = caddytest.AuditCommand("show", "9", "--store", store)
	want := `(?s)\(access\).*identity +\S+@.*outcome +purge\n.*purge +of the months before 2011-08, records 0 to 2: content of 2, 2 kept for a hold; held were 30000000007\n` +
		`what +audit purge --before=2011-08 --key-file=… --yes=true`
	if err != nil || !regexp.MustCompile(want).MatchString(out) {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = caddytest.AuditCommand("search", "--outcome", "purge", "--format", "json", "--store", store)
	if err != nil || !strings.Contains(out, `"purge":{"before":24139,"first":0,"next":3,"records":2,"held_records":2,"held":[30000000007]}`) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--store", store); err != nil || !strings.Contains(out, ", 2 purged, ") || strings.Contains(out, "unrecorded") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestVerifyNamesAPurgeByHand, in the store, in a copy, and in an export.
func TestVerifyNamesAPurgeByHand(t *testing.T) {
	path := caddytest.OldTrail(t)
	store := "sqlite:" + path
	if out, _, err := caddytest.AuditCommand("purge", "--before", "2011-07", "--yes", "--store", store); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	byHand(t, path, "UPDATE segments SET purged = 1, key = NULL, content = x'' WHERE id & 0xffffffff = 5")
	const want = "record 5: content is gone, and no purge in the log took it"
	out, _, err := caddytest.AuditCommand("verify", "--store", store)
	if err == nil || !strings.Contains(out, "BROKEN: "+want) {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = caddytest.AuditCommand("verify", "--store", store, "--format", "json")
	if err == nil || !strings.Contains(out, `"kind": "purged"`) || !strings.Contains(out, `"first": 5`) || !strings.Contains(out, `"purged_unrecorded": 0`) || !strings.Contains(out, `"purges_recorded_from": 0`) {
		t.Errorf("%v\n%s", err, out)
	}
	copied := "sqlite:" + path + ".copy"
	if out, errs, err := caddytest.AuditCommand("copy", "--from", store, "--to", copied); err == nil && !strings.Contains(out+errs, want) {
		t.Errorf("the copy says nothing: %s%s", out, errs)
	}
	export := path + ".export"
	if _, errs, err := caddytest.AuditCommand("export", "--store", store, "--output", export); err != nil {
		t.Fatalf("%v %s", err, errs)
	}
	out, _, err = caddytest.AuditCommand("verify", "--export", export, "--key", audittest.Key(t, "gateway-1").Verifier())
	if err == nil || !strings.Contains(out, "jsonl:6: "+want) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAPurgeBesideAGatewayIsWrittenDownByIt, and so is a hold.
func TestAPurgeBesideAGatewayIsWrittenDownByIt(t *testing.T) {
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next)
	s.Store = caddytest.OldTrail(t)
	a := caddytest.Administer(t, s, s.WithAudit(), next)
	store := "sqlite:" + s.Store
	run := func(arguments ...string) error {
		_, _, err := caddytest.AuditCommand(append(arguments, "--store", store)...)
		return err
	}
	if err := run("purge", "--before", "2011-08", "--yes", "--admin", caddytest.FreeAddress(t)); !errors.Is(err, audit.ErrUnrecorded) || !strings.Contains(err.Error(), "another process writes this trail") {
		t.Errorf("with another admin API: %v", err)
	}
	for _, arguments := range [][]string{
		{"hold", "add", "--cuit", "20111111112"},
		{"purge", "--before", "2011-08", "--yes"},
		{"hold", "remove", "--cuit", "20111111112"},
		{"purge", "--before", "2011-08", "--yes"},
	} {
		if err := run(append(arguments, "--admin", a.Admin)...); err != nil {
			t.Fatalf("%v: %v", arguments, err)
		}
	}
	var got []string
	for _, r := range s.Accesses() {
		text := string(r.Outcome)
		if r.Cuit != 0 {
			text += " " + r.Cuit.String()
		}
		if r.Purge != nil {
			text += fmt.Sprint(" ", r.Purge.Records, " ", r.Purge.Held)
		}
		if got = append(got, text); r.ClientAddress == "" || !strings.Contains(r.ClientIdentity, "@") {
			t.Errorf("%+v", r)
		}
	}
	want := []string{"hold 20111111112", "purge 2 [20111111112]", "release 20111111112", "purge 2 []"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s.Post("FECAESolicitar", caddytest.Invoice(1)).Status != 200 {
		t.Error("the gateway does not go on")
	}
	if out, _, err := caddytest.AuditCommand("verify", "--store", store); err != nil || !strings.Contains(out, ", 4 purged, ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNoPurgePassesOverARecordedHold: one that began after the purge was counted, or that somebody took out of the store. Its
// record would make the log unsound for good.
func TestNoPurgePassesOverARecordedHold(t *testing.T) {
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next)
	s.Store = caddytest.OldTrail(t)
	store := "sqlite:" + s.Store
	for _, beside := range []bool{false, true} {
		admin := caddytest.FreeAddress(t)
		if beside {
			admin = caddytest.Administer(t, s, s.WithAudit(), next).Admin
		}
		run := func(arguments ...string) error {
			_, _, err := caddytest.AuditCommand(append(arguments, "--store", store, "--admin", admin)...)
			return err
		}
		if err := run("hold", "add", "--cuit", "30000000007"); err != nil {
			t.Fatal(err)
		}
		byHand(t, s.Store, "DELETE FROM holds")
		err := run("purge", "--before", "2011-08", "--yes")
		if !errors.Is(err, audit.ErrUnrecorded) || !strings.Contains(err.Error(), " holds the issuer 30000000007, whom this purge would not keep") {
			t.Errorf("beside a gateway %t: %v", beside, err)
		}
		for _, arguments := range [][]string{
			{"hold", "add", "--cuit", "30000000007"}, {"hold", "remove", "--cuit", "30000000007"}, {"purge", "--before", "2011-07", "--yes"},
		} {
			if err := run(arguments...); err != nil {
				t.Errorf("beside a gateway %t: %v: %v", beside, arguments, err)
			}
		}
		if out, _, err := caddytest.AuditCommand("verify", "--store", store); err != nil {
			t.Errorf("beside a gateway %t: %v\n%s", beside, err, out)
		}
	}
}

// TestAPurgeThatFailsSaysWhy, and nothing that is not so.
func TestAPurgeThatFailsSaysWhy(t *testing.T) {
	path := caddytest.OldTrail(t)
	byHand(t, path, "CREATE TRIGGER full BEFORE UPDATE ON segments BEGIN SELECT RAISE(ROLLBACK, 'no room'); END") // as a full disk does
	out, errs, err := caddytest.AuditCommand("purge", "--before", "2011-08", "--yes", "--store", "sqlite:"+path)
	if err == nil || !strings.Contains(err.Error(), "no room") || strings.Contains(err.Error(), "rollback") || out+errs != "" {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}

// TestTheAdminAPITakesNoPurgeThatIsNone.
func TestTheAdminAPITakesNoPurgeThatIsNone(t *testing.T) {
	s := caddytest.ReadsLogged(t)
	before := len(s.Accesses())
	for _, more := range []string{
		`"about":"purge"`, `"about":"purge","cuit":20111111112`, `"about":"hold"`, `"about":"hold","cuit":7`, `"about":"other"`,
		`"cuit":20111111112`, `"purge":{}`, `"about":"release","cuit":20111111112,"purge":{}`,
	} {
		body := `{"log":"x","public_key":"y","who":"z","what":"w",` + more + `}`
		if got := s.Ask("POST", "/wsfev1/audit/reads", body); got.Status != 400 {
			t.Errorf("%s: %d %s", more, got.Status, got.Body)
		}
	}
	if n := len(s.Accesses()); n != before {
		t.Errorf("%d records of access, want %d", n, before)
	}
}

// TestPurgesOfBeforeAreAcknowledgedOnce: what an earlier build took is told apart, and after
// the acknowledgement nobody hides among it.
func TestPurgesOfBeforeAreAcknowledgedOnce(t *testing.T) {
	path := caddytest.OldTrail(t)
	store := "sqlite:" + path
	signedByAnEarlierBuild(t, path)
	byHand(t, path, "UPDATE segments SET purged = 1, key = NULL, content = x'' WHERE id & 0xffffffff < 2")
	out, _, err := caddytest.AuditCommand("verify", "--store", store)
	if err != nil || !regexp.MustCompile(`unrecorded +content of 2 of the months before 2011-07`).MatchString(out) || !strings.Contains(out, "\nsound") {
		t.Errorf("%v\n%s", err, out)
	}
	run := func(want string, flags ...string) {
		t.Helper()
		_, errs, err := caddytest.AuditCommand(append([]string{"purge", "--acknowledge", "--store", store}, flags...)...)
		if (err == nil) == strings.HasPrefix(want, "!") || !strings.Contains(errs, strings.TrimPrefix(want, "!")) && !strings.Contains(err.Error(), want[1:]) {
			t.Errorf("%v: %v %s, want %s", flags, err, errs, want)
		}
	}
	run("2 records of the months before 2011-07, from 0 to 1, lost the content without a record of the purge; nothing was written", "--dry-run")
	run("acknowledged in record gateway-1/8", "--yes")
	run("!there is one for the life of a log", "--yes")
	if out, _, err := caddytest.AuditCommand("verify", "--store", store); err != nil || strings.Contains(out, "unrecorded") {
		t.Errorf("%v\n%s", err, out)
	}
	byHand(t, path, "UPDATE segments SET purged = 1, key = NULL, content = x'' WHERE id & 0xffffffff = 2")
	if out, _, err := caddytest.AuditCommand("verify", "--store", store); err == nil || !strings.Contains(out, "record 2: content is gone, no purge in the log took it, and record 8, which vouches") {
		t.Errorf("%v\n%s", err, out)
	}
}

// signedByAnEarlierBuild gives a trail the checkpoint that an earlier build has given it.
func signedByAnEarlierBuild(t *testing.T, path string) {
	t.Helper()
	store, err := auditsqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Commit(t.Context(), audittest.Seal(t, store, "gateway-1")); err != nil {
		t.Fatal(err)
	}
}
