package trail_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// withoutPassword fails the test if a text holds the password of the test's server.
func withoutPassword(t *testing.T, where string, text []byte) {
	t.Helper()
	if at := bytes.Index(text, []byte(postgrestest.Password)); at >= 0 {
		t.Errorf("%s holds the password: …%s…", where, text[max(0, at-120):at])
	}
}

// withoutPasswordIn looks into every file of a folder, and returns how many bytes it saw.
func withoutPasswordIn(t *testing.T, folder string) (seen int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen += len(text)
		withoutPassword(t, filepath.Base(path), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// TestThePasswordOfTheDatabaseIsShownNowhere, at log level DEBUG, while all goes well and
// while the server is away: in no log, no answer, no configuration that the admin API shows
// or that is saved, no metric.
func TestThePasswordOfTheDatabaseIsShownNowhere(t *testing.T) {
	cluster := postgrestest.New(t, "")
	t.Setenv(dsnVariable, cluster.Database(t))
	t.Setenv(ledgerVariable, cluster.Database(t))
	t.Setenv("XDG_DATA_HOME", t.TempDir()) // for the key
	folder := t.TempDir()
	saved := caddy.ConfigAutosavePath
	caddy.ConfigAutosavePath = filepath.Join(folder, "autosave.json")
	t.Cleanup(func() { caddy.ConfigAutosavePath = saved })
	s := &caddytest.Administered{Site: caddytest.Start(t, "respond 503"), Admin: caddytest.FreeAddress(t)}
	t.Cleanup(func() { s.Load("{\n admin off\n persist_config off\n}\n") }) // or its admin API would stay
	log := filepath.Join(folder, "default.log")
	config := s.WithAdmin(s.Config(sharedAudit("edge-1"), "wsfev1_backend {\n ledger "+sharedLedger+"\n }"))
	config = strings.Replace(config, "persist_config off", "log {\n"+caddytest.LogTo(log)+" level DEBUG\n }", 1)
	s.Load(config)
	look := func(status int, body string) {
		t.Helper()
		got := s.Post("FECAESolicitar", body)
		if got.Status != status {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
		withoutPassword(t, "an answer", got.Body)
		withoutPassword(t, "the metrics", s.Scrape())
		if dump := s.Ask(http.MethodGet, "/config/", ""); dump.Status != http.StatusOK || !strings.Contains(string(dump.Body), "{env."+dsnVariable+"}") {
			t.Errorf("GET /config/: %d %s", dump.Status, dump.Body)
		} else {
			withoutPassword(t, "GET /config/", dump.Body)
		}
	}
	look(http.StatusOK, caddytest.Invoice(1))
	cluster.Stop(t)
	look(http.StatusServiceUnavailable, caddytest.Invoice(2))
	if err := caddytest.LoadCaddyfile(strings.Replace(config, "node edge-1", "node edge-2", 1)); err == nil {
		t.Error("a configuration was loaded whose server is away")
	} else {
		withoutPassword(t, "the error", []byte(err.Error()))
	}
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	withoutPasswordIn(t, folder)
	for _, file := range []string{log, caddy.ConfigAutosavePath} {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("nothing in %s: %v", filepath.Base(file), err)
		}
	}
}

// TestAPasswordThatIsNotTakenIsNotShown.
func TestAPasswordThatIsNotTakenIsNotShown(t *testing.T) {
	const wrong = "geheim-falsch-fielato"
	dsn, err := url.Parse(postgrestest.Shared(t).Database(t))
	if err != nil {
		t.Fatal(err)
	}
	dsn.User = url.UserPassword("fielato", wrong)
	t.Setenv(dsnVariable, dsn.String())
	s := caddytest.Start(t, "respond 503")
	err = caddytest.LoadCaddyfile(s.Config(sharedAudit("edge-1"), "respond 503"))
	if err == nil || strings.Contains(err.Error(), wrong) || !strings.Contains(err.Error(), "the server does not accept user and password") {
		t.Errorf("a wrong password: %v", err)
	}
}

// TestAPasswordInTheConfigurationIsRefused, in each form of a DSN, and not shown either.
func TestAPasswordInTheConfigurationIsRefused(t *testing.T) {
	const secret = "geheim-im-text"
	s := caddytest.Start(t, "respond 503")
	for _, dsn := range []string{
		"postgres://fielato:" + secret + "@127.0.0.1:1/db", `"host=127.0.0.1 user=fielato password=` + secret + ` dbname=db"`,
		"postgres://fielato@127.0.0.1:1/db?password=" + secret, "postgres://fielato:geheim%2Dim%2Dtext@127.0.0.1:1/db",
	} {
		for _, config := range []string{
			s.Config("audit postgres "+dsn, "respond 503"),
			s.Config(s.Audit(), "wsfev1_backend {\n ledger postgres "+dsn+"\n }"),
		} {
			err := caddytest.LoadCaddyfile(config)
			if err == nil || !strings.Contains(err.Error(), "a password must not be in the configuration") || strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v", dsn, err)
			}
		}
	}
}
