package gateway_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// believing is a service that accepts the markers alone.
func believing(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case !bytes.Contains(body, []byte(caddytest.NewMarkers().Token)):
		caddytest.Answering(200, `{"Errors":{"Err":[{"Code":600,"Msg":"ValidacionDeToken: Error al verificar hash"}]}}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/FECAESolicitar"):
		caddytest.Answering(200, caddytest.Approval)(w, r)
	case strings.HasSuffix(r.URL.Path, "/FEParamGetPtosVenta"):
		caddytest.Answering(200, `{"ResultGet":{"PtoVenta":[{"Nro":1,"EmisionTipo":"CAE","Bloqueado":"N"}]}}`)(w, r)
	default:
		caddytest.Answering(200, `{"RegXReq":250,"ResultGet":{"IvaTipo":[]}}`)(w, r)
	}
}

// TestOwnCredentialsAreNotBelievedForTheKeepers: the service has accepted the keeper's ticket, and not the
// credentials that a client brought or left out. Whoever comes later without a keeper is asked about.
func TestOwnCredentialsAreNotBelievedForTheKeepers(t *testing.T) {
	for name, c := range map[string]struct {
		tickets string
		post    func(s *caddytest.Site, operation, body string) caddytest.Response
	}{
		"none": {"missing", func(s *caddytest.Site, operation, body string) caddytest.Response {
			return postBare(s, caddytest.Faces[1], operation, body)
		}},
		"wrong ones": {"always", (*caddytest.Site).Post},
		"wrong ones in SOAP": {"always", func(s *caddytest.Site, operation, body string) caddytest.Response {
			return caddytest.Faces[1].Post(s, operation, body)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			service, login := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit)
			login.Mark(caddytest.NewMarkers())
			s := caddytest.NewSite(t)
			load := func(options ...string) {
				s.URL = "http://" + caddytest.FreeAddress(t)
				s.Load(s.Config(s.WithAudit(append(options, "ticket off", "cache 1h", "replay on", "recover within 400ms")...), caddytest.ProxyTo(service.URL)))
			}
			points := "{" + caddytest.AuthText + "}"
			load(login.Block("cuits "+keptCuit, "tickets "+c.tickets))
			for _, want := range []string{"approved", "replayed"} {
				if got := c.post(s, "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != want {
					t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
				}
			}
			for _, want := range []string{"answered", "cached"} {
				if got := c.post(s, "FEParamGetPtosVenta", points); got.Header.Get("Wsfev1-Outcome") != want {
					t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
				}
			}
			load()
			if got := c.post(s, "FECAESolicitar", caddytest.Invoice(1)); bytes.Contains(got.Body, []byte("86470000000001")) {
				t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			}
			if got := c.post(s, "FEParamGetPtosVenta", points); !bytes.Contains(got.Body, []byte("600")) || bytes.Contains(got.Body, []byte("EmisionTipo")) {
				t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			}
		})
	}
}

// TestTablesNeedNoTicket: after a restart without a ticket they come from the trail, also those about
// the issuer. All that wait for one that cannot be fetched are told why.
func TestTablesNeedNoTicket(t *testing.T) {
	service := caddytest.NewStub(t, believing)
	s := caddytest.NewSite(t)
	load := func(down bool) {
		login := caddytest.NewLogin(t, keptCuit) // another one has another ticket
		login.Mark(caddytest.NewMarkers())
		if down {
			login.Change(func(service *wsaatest.Service) { service.Down = http.ErrServerClosed })
		}
		s.URL = "http://" + caddytest.FreeAddress(t)
		s.Load(s.Config(s.WithAudit(login.Block("cuits "+keptCuit, "store memory"), "ticket off", "cache 1h", "recover within 400ms"), caddytest.ProxyTo(service.URL)))
	}
	load(false)
	points := "{" + caddytest.AuthText + "}"
	first := postBare(s, caddytest.Faces[0], "FEParamGetPtosVenta", points)
	if first.Header.Get("Wsfev1-Outcome") != "answered" {
		t.Fatalf("%d %v %s", first.Status, first.Header, first.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	load(true)
	before := service.Hits.Load()
	got := postBare(s, caddytest.Faces[0], "FEParamGetPtosVenta", points)
	if got.Header.Get("Wsfev1-Outcome") != "cached" || string(got.Body) != string(first.Body) {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got := postBare(s, caddytest.Faces[0], "FEParamGetTiposIva", points)
			if got.Status != 503 || got.Header.Get("Wsfev1-Outcome") != "not_sent" || got.Header.Get("Retry-After") == "" || !bytes.Contains(got.Body, []byte("wsaa.no_ticket")) {
				t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			}
		})
	}
	all.Wait()
	if service.Hits.Load() != before {
		t.Error("something was sent")
	}
	// A client with a ticket of its own is not affected.
	own := caddytest.NewMarkers().In(strings.NewReplacer(caddytest.Token, "$T", caddytest.Sign, "$S").Replace(points))
	if got := s.Post("FEParamGetTiposIva", own); got.Header.Get("Wsfev1-Outcome") != "answered" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
}
