package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// TestACertificateWithoutATicketKeepsNoOtherFromAsking: a table that is too old is asked for anew with the ticket of
// one certificate, also right after another one had none for the same table.
func TestACertificateWithoutATicketKeepsNoOtherFromAsking(t *testing.T) {
	const other = "30-50001091-2"
	service := caddytest.NewStub(t, believing)
	with, without := caddytest.NewLogin(t, keptCuit), caddytest.NewLogin(t, other)
	with.Mark(caddytest.NewMarkers())
	without.Change(func(service *wsaatest.Service) { service.Down = http.ErrServerClosed })
	s := caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(with.Block("cuits "+keptCuit, "store memory"), without.Block("cuits "+other, "store memory"), "ticket off", "cache 100ms"), caddytest.ProxyTo(service.URL)))
	asks := func(cuit string) string {
		body := `{"Auth":{"Token":"","Sign":"","Cuit":` + strings.ReplaceAll(cuit, "-", "") + `}}`
		return s.Post("FEParamGetTiposIva", body).Header.Get("Wsfev1-Outcome")
	}
	if got := asks(keptCuit); got != "answered" {
		t.Fatal(got)
	}
	for began := time.Now(); time.Since(began) < 300*time.Millisecond; { // some times the age of the answer
		if got := asks(other); got != "cached" {
			t.Fatalf("the issuer without a ticket: %s", got)
		}
	}
	if got := asks(keptCuit); got != "answered" {
		t.Errorf("the issuer with a ticket: %s", got)
	}
}
