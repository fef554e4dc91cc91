package gateway_test

import (
	"bytes"
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

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/caddytest"
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
	for i := range 4 * testrun.Factor(t) {
		s.Load(config(i+1, cuits))
		if err := caddytest.LoadCaddyfile(config(0, "cuits "+keptCuit) + login.URL + " {\n bind 127.0.0.1\n respond x\n}\n"); err == nil {
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

// TestARefusedTicketIssuesNothingTwice: the request that it was used for is rejected and not sent
// again, the next one waits for another ticket, and the service is no less there for it.
func TestARefusedTicketIssuesNothingTwice(t *testing.T) {
	for _, echo := range []string{"", " $T"} {
		service := caddytest.NewStub(t, caddytest.Answering(200, caddytest.NewMarkers().In(`{"Errors":{"Err":[{"Code":600,"Msg":"ValidacionDeToken: No validaron las fechas del token`+echo+`"}]}}`)))
		login := caddytest.NewLogin(t, keptCuit)
		login.Mark(caddytest.NewMarkers())
		s := caddytest.NewSite(t)
		s.Load(s.Config(s.WithAudit(append(caddytest.Exactly, "breaker 1", "ticket off", login.Block("cuits "+keptCuit))...), caddytest.ProxyTo(service.URL)))
		got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1))
		if got.Header.Get("Wsfev1-Outcome") != "rejected" || service.Hits.Load() != 1 {
			t.Errorf("%d requests: %d %v %s", service.Hits.Load(), got.Status, got.Header, got.Body)
		}
		again := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1))
		if again.Header.Get("Wsfev1-Outcome") != "not_sent" || !bytes.Contains(again.Body, []byte("wsaa.no_ticket")) || service.Hits.Load() != 1 {
			t.Errorf("%d requests: %d %v %s", service.Hits.Load(), again.Status, again.Header, again.Body)
		}
		if intents, outcomes := caddytest.Kinds(s.Records()); intents != 1 || outcomes != 1 {
			t.Errorf("%d intents, %d outcomes", intents, outcomes)
		}
		// One with a ticket of its own is sent: no outage has begun.
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		if service.Hits.Load() != 2 {
			t.Errorf("%d requests", service.Hits.Load())
		}
	}
}

// TestAnInvoiceIsRecoveredByALaterTicket: the keeper has none when the answer is lost, and asks with
// the one of that moment.
func TestAnInvoiceIsRecoveredByALaterTicket(t *testing.T) {
	var back atomic.Bool
	var asked atomic.Pointer[string]
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") || !back.Load() {
			panic(http.ErrAbortHandler)
		}
		text := string(body)
		asked.Store(&text)
		caddytest.Answering(200, consulted("1"))(w, r)
	})
	s := caddytest.NewSite(t)
	load := func(mark string) {
		login := caddytest.NewLogin(t, keptCuit)
		login.Mark(caddytest.Markers{Token: mark, Sign: mark})
		s.URL = "http://" + caddytest.FreeAddress(t)
		s.Load(s.Config(s.WithAudit(append(caddytest.Exactly, "ticket off", login.Block("cuits "+keptCuit, "store memory"))...), caddytest.ProxyTo(service.URL)))
	}
	load("Zmlyc3QgdGlja2V0IG9mIGFsbA==")
	if got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	back.Store(true)
	const second = "YW5vdGhlciB0aWNrZXQgdGhhbiB0aGF0"
	load(second)
	got := postBare(s, caddytest.Faces[0], "FECAESolicitar", caddytest.Invoice(1))
	if !bytes.Contains(got.Body, []byte("86470000000001")) {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if text := asked.Load(); text == nil || !strings.Contains(*text, second) {
		t.Errorf("it was asked with %v", text)
	}
	if last := s.Last(); last.Kind == audit.KindIntent {
		t.Errorf("an intent is the last record: %+v", last)
	}
}

// TestASlowLoginHoldsUpNobodyElse: requests wait as long as for a query, and no longer; one with its
// own ticket does not wait.
func TestASlowLoginHoldsUpNobodyElse(t *testing.T) {
	service, login := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit)
	release := make(chan struct{})
	silent := caddytest.NewStub(t, caddytest.Silent(release))
	defer close(release)
	block := strings.Replace(login.Block("cuits "+keptCuit), login.URL, silent.URL, 1)
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), append(caddytest.Exactly, "ticket off", block)...)
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			got := postBare(s, caddytest.Faces[0], "FECompUltimoAutorizado", caddytest.LastText(1))
			if got.Status != 400 && got.Status != 503 {
				t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			}
			got = postBare(s, caddytest.Faces[0], "FECompTotXRequest", "{"+caddytest.AuthText+"}")
			if got.Status != 503 || got.Header.Get("Retry-After") == "" || got.Header.Get("Retry-After") == "0" {
				t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			}
		})
	}
	own := caddytest.NewMarkers().In(strings.NewReplacer(caddytest.Token, "$T", caddytest.Sign, "$S").Replace("{" + caddytest.AuthText + "}"))
	if got := s.Post("FECompTotXRequest", own); got.Status != 200 {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	all.Wait()
	if n := silent.Hits.Load(); n != 1 {
		t.Errorf("%d logins", n)
	}
}

// TestTheLargestRequestGetsATicket: max_body is about what the client sends.
func TestTheLargestRequestGetsATicket(t *testing.T) {
	login := caddytest.NewLogin(t, keptCuit)
	large := caddytest.Markers{Token: strings.Repeat("QUJD", 100_000), Sign: "c2lnbg=="}
	login.Mark(large)
	for name, service := range keptServices(t) {
		body := without(caddytest.Invoice(1))
		s := caddytest.Start(t, service.next, login.Block("cuits "+keptCuit), "ticket off", "max_body 4KiB")
		body += strings.Repeat(" ", 4<<10-len(body))
		if got := s.Post("FECAESolicitar", body); got.Header.Get("Wsfev1-Outcome") != "approved" {
			t.Errorf("%s: %d %v %s", name, got.Status, got.Header, got.Body)
		}
		if sent := service.last(); !bytes.Contains(sent, []byte(large.Token)) {
			t.Errorf("%s: %d bytes were sent", name, len(sent))
		}
		if got := s.Post("FECAESolicitar", body+" "); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %v %s", name, got.Status, got.Header, got.Body)
		}
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
		login = caddytest.NewLogin(t, keptCuit)
		login.Mark(large)
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
