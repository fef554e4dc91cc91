package gateway_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

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

// TestTheLargestRequestGetsATicket: max_body bounds the request that the client sends, without the ticket.
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
