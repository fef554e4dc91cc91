//go:build !race

// The race detector allocates too, and its pools lose what they hold: .ci/run runs this test without it.

package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// cost is the objects and the bytes that the gateway allocates for a request, without Caddy's, the client's and the
// next handler's. None of them depends on the machine.
type cost struct{ objects, bytes float64 }

// TestAnExchangeAllocatesNoMore than is written down here. Whoever makes an exchange cheaper writes the new figures
// down; whoever makes it dearer by more than a twentieth learns it, and says in the commit why.
func TestAnExchangeAllocatesNoMore(t *testing.T) {
	for _, form := range []struct {
		name, next string
		soap       bool
		invoices   int
		requests   int
		want       cost
	}{
		{"an invoice", "test_approve", false, 1, 1000, cost{207, 22_500}},
		{"a lot of 250", "test_approve", false, 250, 40, cost{1009, 604_600}},
		{"an invoice in SOAP", "test_approve", true, 1, 1000, cost{323, 45_600}},
		{"a lot of 250 in SOAP", "test_approve", true, 250, 40, cost{1170, 1_604_000}},
		{"an invoice for the built-in service", caddytest.WithBackend(t), false, 1, 1000, cost{338, 30_600}},
		{"a lot of 250 for the built-in service", caddytest.WithBackend(t), false, 250, 40, cost{1119, 591_300}},
	} {
		t.Run(form.name, func(t *testing.T) {
			s := caddytest.Start(t, form.next, "replay on")
			got := costOf(t, s, form.soap, form.invoices, form.requests)
			s.Load(fmt.Sprintf("{\n admin off\n persist_config off\n metrics\n}\n%s {\n test_approve\n}\n", s.URL))
			bare := costOf(t, s, false, form.invoices, form.requests)
			got.objects, got.bytes = got.objects-bare.objects, got.bytes-bare.bytes
			t.Logf("%.0f objects, %.0f bytes more than the %.0f and %.0f without a gateway", got.objects, got.bytes, bare.objects, bare.bytes)
			if got.objects > form.want.objects*1.05 || got.bytes > form.want.bytes*1.05 {
				t.Errorf("%.0f objects and %.0f bytes, where %.0f and %.0f are written down", got.objects, got.bytes, form.want.objects, form.want.bytes)
			}
			if err := caddy.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// costOf returns the cost of one request, for the whole process.
func costOf(t *testing.T, s *caddytest.Site, inSOAP bool, invoices, requests int) cost {
	t.Helper()
	server := s.Server()
	texts := make([]string, 2*requests)
	for i := range texts {
		texts[i] = caddytest.LotText(0, int64(1+i*invoices), invoices)
		if inSOAP {
			texts[i] = s.Message(soap.V11, "FECAESolicitar", texts[i])
		}
	}
	send := func(text string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/wsfev1/FECAESolicitar", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		if inSOAP {
			r = httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/wsfev1/service.asmx", strings.NewReader(text))
			r.Header.Set("Content-Type", soap.V11.MediaType())
			r.Header.Set("SOAPAction", `"`+soap.ActionPrefix+`FECAESolicitar"`)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), "8647") && !strings.Contains(w.Body.String(), "CAEFchVto") || w.Code != http.StatusOK {
			t.Fatalf("status %d: %.400s", w.Code, w.Body)
		}
	}
	for _, text := range texts[:requests] { // fills pools and buffers
		send(text)
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, text := range texts[requests:] {
		send(text)
	}
	runtime.ReadMemStats(&after)
	n := float64(requests)
	return cost{float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n}
}
