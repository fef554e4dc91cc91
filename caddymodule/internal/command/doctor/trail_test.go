package doctor_test

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

const builtIn = "wsfev1_backend"

// shared is a gateway named north, with its trail in the database of FIELATO_TEST_DSN.
func shared(t *testing.T, key string, lines ...string) string {
	t.Helper()
	block := fmt.Sprintf("{env.FIELATO_TEST_DSN} {\n node north\n key %s\n %s\n}", key, strings.Join(lines, "\n"))
	text := config(freeAddress(t), "", builtIn+" {\n ledger sqlite "+filepath.Join(t.TempDir(), "ledger.db")+"\n}")
	return strings.Replace(text, "audit sqlite ", "audit postgres "+block, 1)
}

// database sets FIELATO_TEST_DSN.
func database(t *testing.T, dsn string) {
	t.Setenv("FIELATO_TEST_DSN", strings.TrimPrefix(dsn, "postgres:postgres:"))
}

// TestTrailsInPostgreSQL: without tables, before the first start, and after it.
func TestTrailsInPostgreSQL(t *testing.T) {
	t.Chdir(t.TempDir())
	key := filepath.Join(t.TempDir(), "north.key")
	database(t, postgrestest.Shared(t).Database(t))
	r, err := examine(t, shared(t, key))
	r.want(t, "trail", "problem", "needs a migration")
	if err == nil || !strings.Contains(r["trail"][0].Cure, "fielato wsfev1 migrate") {
		t.Errorf("%v %+v", err, r["trail"])
	}
	r.want(t, "signing key", "warning", "the trail could not be read")
	text := shared(t, key, "migrate auto")
	if r, err = examine(t, text); err != nil {
		t.Errorf("before the tables are made: %v", err)
	}
	r.want(t, "trail", "ok", "the start makes them")
	issue(t, text)
	if r, err = examine(t, text); err != nil {
		t.Errorf("after the first start: %v", err)
	}
	r.want(t, "trail", "ok", "opens; log north, ")
	r.want(t, "database", "warning", "fsync is off") // as it is for the tests
	r.want(t, "signing key", "ok", "has the mode 0600, and is the key of the log north")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	r, _ = examine(t, text)
	r.want(t, "signing key", "problem", "is not there")
	r, _ = examine(t, strings.Replace(text, "node north", "node south", 1))
	r.want(t, "trail", "ok", "the log south has no record yet")
	r.want(t, "signing key", "ok", "is made at the first start")
}

// TestDatabasesThatCannotBeReached are named without their passwords.
func TestDatabasesThatCannotBeReached(t *testing.T) {
	t.Chdir(t.TempDir())
	dsn := postgrestest.Shared(t).Database(t)
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	nowhere, wrong := *address, *address
	nowhere.Host = freeAddress(t)
	wrong.User = url.UserPassword("fielato", "geheim-wrong")
	for name, c := range map[string]struct{ dsn, found string }{
		"nobody there":   {nowhere.String(), "refused"},
		"wrong password": {wrong.String(), "password"},
		"no DSN":         {"", "FIELATO_TEST_DSN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FIELATO_TEST_DSN", c.dsn)
			if c.dsn == "" {
				os.Unsetenv("FIELATO_TEST_DSN")
			}
			text := shared(t, filepath.Join(t.TempDir(), "north.key"))
			r, err := examine(t, text)
			r.want(t, "trail", "problem", c.found)
			if err == nil {
				t.Error("it is no problem")
			}
			if out, _ := run(t, text); strings.Contains(out, "geheim") {
				t.Errorf("the password is shown:\n%s", out)
			}
		})
	}
}

// TestWrongKeys: a gateway does not start with them.
func TestWrongKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	folder := t.TempDir()
	trail, other, content := filepath.Join(folder, "audit.db"), filepath.Join(folder, "other.key"), filepath.Join(folder, "content.key")
	newContent := func() {
		t.Helper()
		key, err := audit.NewContentKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		write(t, content, key.Private())
	}
	newContent()
	block := func(lines ...string) string {
		text := config(freeAddress(t), trail, builtIn+" {\n ledger sqlite "+filepath.Join(folder, "ledger.db")+"\n}")
		return strings.Replace(text, trail, trail+" {\n encryption_key "+content+"\n"+strings.Join(lines, "\n")+"\n}", 1)
	}
	issue(t, block())
	r, err := examine(t, block())
	if err != nil {
		t.Error(err)
	}
	r.want(t, "signing key", "ok", "and is the key of the log ")
	another, err := audit.NewKey(rand.Reader, "another")
	if err != nil {
		t.Fatal(err)
	}
	write(t, other, another.Private())
	r, err = examine(t, block("key "+other))
	r.want(t, "signing key", "problem", "is the key "+another.Verifier()+", but the log ")
	if err == nil {
		t.Error("another key is no problem")
	}
	write(t, other, "no key")
	r, _ = examine(t, block("key "+other))
	r.want(t, "signing key", "problem", other)
	newContent()
	r, err = examine(t, block())
	r.want(t, "trail", "problem", "this is not the encryption key of the trail")
	if err == nil || !strings.Contains(r["trail"][0].Cure, "encryption_key") {
		t.Errorf("%v %+v", err, r["trail"])
	}
	if err := os.Remove(content); err != nil {
		t.Fatal(err)
	}
	r, _ = examine(t, block())
	r.want(t, "encryption key", "problem", content)
}

// write writes a file that only its owner can read.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAReaderBesideAGatewayAtWork finds nothing wrong.
func TestAReaderBesideAGatewayAtWork(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	text := config(freeAddress(t), s.Store, builtIn)
	r, _ := examine(t, text)
	r.want(t, "trail", "ok", "opens; log ")
}
