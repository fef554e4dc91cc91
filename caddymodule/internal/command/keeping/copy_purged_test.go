package keeping_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/command/keeping"
	"github.com/fielato/fielato/internal/audittest"
)

// TestWhatIsPurgedHeldAndEncryptedIsCopiedThereAndBack: it stays what it is, the trail proves
// what it has proved, and a legal hold goes on.
func TestWhatIsPurgedHeldAndEncryptedIsCopiedThereAndBack(t *testing.T) {
	key, err := audit.NewContentKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]*audit.ContentKey{"in the clear": nil, "encrypted": key} {
		t.Run(name, func(t *testing.T) {
			if content != nil {
				t.Setenv("FIELATO_ENCRYPTION_KEY", content.Private())
			}
			copyPurged(t, "sqlite:"+caddytest.OldTrail(t, auditsqlite.WithContentKey(content)))
		})
	}
}

func copyPurged(t *testing.T, from string) {
	run := func(store, want string, arguments ...string) string {
		t.Helper()
		out, errs, err := caddytest.AuditCommand(append(arguments, "--store", store)...)
		if err != nil || !regexp.MustCompile(want).MatchString(out+errs) {
			t.Fatalf("%v: %v; want %s\n%s%s", arguments, err, want, out, errs)
		}
		return out
	}
	kept := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(kept, []byte(run(from, "gateway-1", "checkpoint")), 0o600); err != nil {
		t.Fatal(err)
	}
	run(from, "30000000007", "hold", "add", "--cuit", "30000000007")
	run(from, `total +2 +2`, "purge", "--before", "2011-08", "--yes")
	key := strings.TrimPrefix(from, "sqlite:") + ".key"
	database, back := caddytest.EmptyDatabase(t), "sqlite:"+filepath.Join(t.TempDir(), "back.db")
	for _, way := range [][2]string{{from, database}, {database, back}, {from, database}} { // again is no harm
		out, errs, err := caddytest.AuditCommand("copy", "--from", way[0], "--to", way[1])
		if err != nil || !strings.Contains(errs, "1 legal hold taken along") {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
		same(t, way[0], way[1], "checkpoint", "hold list", "search", "search --format json", "show 0 --raw", "show 1 --raw", "prove 0", "prove 1", "verify --checkpoint "+kept)
		run(way[1], `content +purged: bodies`, "show", "0")
		run(way[1], `(?s)finding +10048 .*"a": "body"`, "show", "1")
	}
	for _, store := range []string{database, back} {
		run(store, `MONTH +PURGED +HELD\s+2011-06 +0 +1\s+2011-07 +0 +1\s+2011-08 +1 +1\s+total +1 +3`, "purge", "--before", "2011-09", "--yes", "--key-file", key)
		run(store, `content +purged: bodies`, "show", "4")
		run(store, `(?s)finding +10048 .*"a": "body"`, "show", "5") // held
		run(store, "\nsound", "verify", "--checkpoint", kept)
	}
	same(t, back, database, "search --format json")
}

// TestHoldsAndPurgesInPostgreSQL, by a role that has the rights that migrate names, and of
// one that has them not.
func TestHoldsAndPurgesInPostgreSQL(t *testing.T) {
	database := caddytest.EmptyDatabase(t)
	if out, errs, err := caddytest.AuditCommand("copy", "--from", "sqlite:"+caddytest.OldTrail(t), "--to", database); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	if out, err := caddytest.MigrateCommand("--ledger", database); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	caddytest.GrantedByMigrate(t, database)
	reader, purger := caddytest.AsRole(t, database, "fielato_reader"), caddytest.AsRole(t, database, "fielato_purger")
	if _, _, err := caddytest.AuditCommand("hold", "add", "--cuit", "30000000007", "--store", reader); err == nil || !strings.Contains(err.Error(), "the role may not do this") {
		t.Errorf("a reader holds: %v", err)
	}
	// A gateway's role writes it down, as none runs.
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(audittest.Key(t, "gateway-1").Private()), 0o600); err != nil {
		t.Fatal(err)
	}
	writer := []string{"--writer", caddytest.AsRole(t, database, "fielato_gateway"), "--key-file", key}
	if _, _, err := caddytest.AuditCommand("purge", "--before", "2011-08", "--yes", "--store", purger, "--key-file", key); !errors.Is(err, audit.ErrUnrecorded) || !strings.Contains(err.Error(), "the role may not do this") {
		t.Errorf("a purger that may not write the log: %v", err)
	}
	if out, errs, err := caddytest.AuditCommand(append([]string{"hold", "add", "--cuit", "30000000007", "--store", purger}, writer...)...); err != nil {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	if _, _, err := caddytest.AuditCommand("purge", "--before", "2011-08", "--yes", "--store", reader); err == nil || !strings.Contains(err.Error(), "the role may not do this") {
		t.Errorf("a reader purges: %v", err)
	}
	out, errs, err := caddytest.AuditCommand(append([]string{"purge", "--before", "2011-08", "--yes", "--store", purger}, writer...)...)
	if err != nil || !regexp.MustCompile(`total +2 +2`).MatchString(out) {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	if out, errs, err := caddytest.AuditCommand("verify", "--store", reader); err != nil {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	if out, errs, err := caddytest.AuditCommand("copy", "--from", caddytest.AsRole(t, database, "fielato_gateway"), "--to", "sqlite:"+filepath.Join(t.TempDir(), "copy.db")); err != nil {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}

// TestAHoldThatBeginsWhileALogIsCopiedIsCopiedToo: that it cannot be recorded meanwhile does not end it.
func TestAHoldThatBeginsWhileALogIsCopiedIsCopiedToo(t *testing.T) {
	from, to := "sqlite:"+caddytest.OldTrail(t), "sqlite:"+filepath.Join(t.TempDir(), "copy.db")
	err := keeping.Copy(t.Context(), from, to, func(uint64) error {
		_, _, err := caddytest.AuditCommand("hold", "add", "--cuit", "30000000007", "--store", from)
		if err == nil || !strings.Contains(err.Error(), "the issuer 30000000007 is held, but the hold is not recorded") {
			t.Errorf("holding meanwhile: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if out, _, err := caddytest.AuditCommand("hold", "list", "--store", to); err != nil || !strings.Contains(out, "30000000007") {
		t.Errorf("%v\n%s", err, out)
	}
}
