package gateway_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestReloadsNeedOneLogin: many of them under load, one that fails, other CUITs, a restart.
func TestReloadsNeedOneLogin(t *testing.T) {
	service, login := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit)
	login.Mark(caddytest.NewMarkers())
	s := caddytest.NewSite(t)
	config := func(i int, lines ...string) string {
		return s.Config(s.WithAudit(login.Block(lines...), "ticket off", fmt.Sprintf("max_body %dKiB", 100+i)), caddytest.ProxyTo(service.URL))
	}
	ask := func() caddytest.Response {
		return postBare(s, caddytest.Faces[0], "FECompUltimoAutorizado", caddytest.LastText(1))
	}
	cuits := "cuits " + keptCuit + " " + caddytest.IssuerOf(1).String()
	s.Load(config(0, cuits))
	var stop atomic.Bool
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for !stop.Load() {
				r := s.Request(t.Context(), "FECompUltimoAutorizado", without(caddytest.LastText(1)))
				if got, err := caddytest.Try(r); err == nil && got.Status != 200 {
					t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
				}
			}
		})
	}
	for i := range testrun.Size(t, 0, 4) {
		s.Load(config(i+1, cuits))
		// Caddy lets a configuration answer at the addresses that it has, until it finds that another is taken. The
		// clients stay with the one that is in force.
		elsewhere := strings.ReplaceAll(config(0, "cuits "+keptCuit), s.URL, "http://"+caddytest.FreeAddress(t))
		if err := caddytest.LoadCaddyfile(elsewhere + login.URL + " {\n bind 127.0.0.1\n respond x\n}\n"); err == nil {
			t.Fatal("a configuration with a port of another program was loaded")
		}
	}
	stop.Store(true)
	all.Wait()
	s.Load(config(30, cuits, "tickets always"))
	s.Load(config(30, "cuits "+caddytest.IssuerOf(1).String())) // another keeper, with the ticket in the store
	if got := ask(); got.Status != 200 {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.URL = "http://" + caddytest.FreeAddress(t)
	s.Load(config(31, cuits))
	if got := ask(); got.Status != 200 {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if n := len(login.Attempts()); n != 1 {
		t.Errorf("%d logins", n)
	}
}

// TestValidatingMakesNothing: neither a login nor a folder.
func TestValidatingMakesNothing(t *testing.T) {
	login, s := caddytest.NewLogin(t, keptCuit), caddytest.NewSite(t)
	s.Store = filepath.Join(t.TempDir(), "new", "audit.db")
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(s.Config(s.WithAudit(login.Block("cuits "+keptCuit)), caddytest.WithBackend(t))), nil)
	if err != nil {
		t.Fatal(err)
	}
	var config caddy.Config
	if err := caddy.StrictUnmarshalJSON(adapted, &config); err != nil {
		t.Fatal(err)
	}
	if err := caddy.Validate(&config); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(s.Store)); !os.IsNotExist(err) {
		t.Errorf("the folder of the store: %v", err)
	}
	if n := len(login.Attempts()); n > 0 {
		t.Errorf("%d logins", n)
	}
}

// TestADamagedStoreOfTickets costs a login after a restart, and no request.
func TestADamagedStoreOfTickets(t *testing.T) {
	for name, damage := range map[string]func(folder string) error{
		"a folder that is a file": func(folder string) error { return os.WriteFile(folder, []byte("x"), 0o600) },
		"no permissions":          func(folder string) error { return os.Mkdir(folder, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			service, login := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit)
			login.Mark(caddytest.NewMarkers())
			s := caddytest.NewSite(t)
			if err := damage(s.Store + ".tickets"); err != nil {
				t.Fatal(err)
			}
			err := caddytest.LoadCaddyfile(s.Config(s.WithAudit(login.Block("cuits "+keptCuit), "ticket off"), caddytest.ProxyTo(service.URL)))
			if err != nil {
				if !strings.Contains(err.Error(), ".tickets") {
					t.Errorf("the error does not name the folder: %v", err)
				}
				return
			}
			if got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
				t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			}
		})
	}
}

// TestAnAuthorityThatIsMendedCounts from the next reload on, though its file has the same name.
func TestAnAuthorityThatIsMendedCounts(t *testing.T) {
	service, login := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit)
	login.Mark(caddytest.NewMarkers())
	address, err := url.Parse(login.URL)
	if err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(address))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	wrong, err := os.ReadFile(login.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	right := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	s := caddytest.NewSite(t)
	load := func(text []byte, size string) int {
		if err := os.WriteFile(authority, text, 0o600); err != nil {
			t.Fatal(err)
		}
		block := strings.Replace(login.Block("cuits "+keptCuit, "tls_ca "+authority, "store memory"), login.URL, secure.URL, 1)
		s.URL = "http://" + caddytest.FreeAddress(t)
		s.Load(s.Config(s.WithAudit(block, "ticket off", "max_body "+size), caddytest.ProxyTo(service.URL)))
		return postBare(s, caddytest.Faces[0], "FECompTotXRequest", "{"+caddytest.AuthText+"}").Status
	}
	if got := load(wrong, "1MiB"); got != http.StatusServiceUnavailable {
		t.Errorf("with another authority: %d", got)
	}
	if got := load(right, "2MiB"); got != http.StatusOK {
		t.Errorf("with the right authority: %d", got)
	}
}
