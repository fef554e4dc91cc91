package trail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// TestGatewaysOfADatabaseShareATicket: three of them need one login. Without a key that all of them
// have, they do not start.
func TestGatewaysOfADatabaseShareATicket(t *testing.T) {
	login := caddytest.NewLogin(t, "20111111112")
	login.Mark(caddytest.NewMarkers())
	t.Setenv("FIELATO_TEST_DSN", strings.TrimPrefix(caddytest.EmptyDatabase(t), "postgres:"))
	file, _ := encryptionKey(t)
	folder := t.TempDir()
	options := func(node string, more ...string) string {
		lines := append([]string{"node " + node, "key " + filepath.Join(folder, node)}, more...)
		return "audit postgres {env.FIELATO_TEST_DSN} {\n" + strings.Join(lines, "\n") + "\n}\n" + login.Block("cuits 20111111112")
	}
	s := caddytest.NewSite(t)
	next := caddytest.WithBackend(t)
	err := caddytest.LoadCaddyfile(s.Config(options("a"), next))
	if err == nil || !strings.Contains(err.Error(), "encryption_key") || len(login.Attempts()) > 0 {
		t.Errorf("without a key: %v, %d logins", err, len(login.Attempts()))
	}
	config, addresses := s.Config(options("a", "encryption_key "+file), next), []string{s.URL}
	for _, node := range []string{"b", "c"} {
		address := "http://" + caddytest.FreeAddress(t)
		addresses = append(addresses, address)
		config += fmt.Sprintf("%s {\n bind %s\n wsfev1 {\n%s\n}\n%s\n}\n", address, caddytest.Loopback, options(node, "encryption_key "+file), next)
	}
	s.Load(config)
	bare := "{" + strings.Replace(caddytest.AuthText, `"Token":"`+caddytest.Token+`","Sign":"`+caddytest.Sign+`",`, "", 1) + "}"
	for _, address := range addresses {
		s.URL = address
		if got := s.Post("FECompTotXRequest", bare); got.Header.Get("Wsfev1-Outcome") != "answered" {
			t.Errorf("%s: %d %v %s", address, got.Status, got.Header, got.Body)
		}
	}
	if n := len(login.Attempts()); n != 1 {
		t.Errorf("%d logins", n)
	}
}

// TestManyCertificatesShareTheConnections to a database, which are few whatever the number of customers.
func TestManyCertificatesShareTheConnections(t *testing.T) {
	const customers = 12
	login, folder := caddytest.NewLogin(t, "20111111112"), t.TempDir()
	login.Mark(caddytest.NewMarkers())
	for i := range customers {
		certificate, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
			Subject: wsaatest.Subject(caddytest.IssuerOf(2*i).String(), "fielato"), Until: time.Now().AddDate(1, 0, 0),
		}))
		for from, to := range map[string]string{certificate: ".crt", key: ".key"} {
			if err := os.Rename(from, filepath.Join(folder, fmt.Sprint(i, to))); err != nil {
				t.Fatal(err)
			}
		}
	}
	dsn := strings.TrimPrefix(caddytest.EmptyDatabase(t), "postgres:")
	t.Setenv("FIELATO_TEST_DSN", dsn)
	file, _ := encryptionKey(t)
	s := caddytest.NewSite(t)
	s.Load(s.Config(fmt.Sprintf("audit postgres {env.FIELATO_TEST_DSN} {\nnode a\nkey %s\nencryption_key %s\n}\nwsaa %s {\ncertificate %s/*.crt\nkey %[4]s/*.key\n}",
		filepath.Join(t.TempDir(), "a"), file, login.URL, folder), caddytest.WithBackend(t)))
	for i := range customers {
		cuit := caddytest.IssuerOf(2 * i)
		if got := s.Post("FECompTotXRequest", fmt.Sprintf(`{"Auth":{"Cuit":%s}}`, cuit)); got.Header.Get("Wsfev1-Outcome") != "answered" {
			t.Errorf("%s: %d %v %s", cuit, got.Status, got.Header, got.Body)
		}
	}
	postgrestest.Shared(t).Exec(t, postgrestest.DatabaseOf(t, dsn), `DO $$ BEGIN
		ASSERT (SELECT count(*) BETWEEN 1 AND 2 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fielato tickets'), 'connections';
	END $$`)
}
