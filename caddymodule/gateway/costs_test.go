//go:build !race

// The race detector allocates too, and its pools lose what they hold: .ci/plain has this test.

package gateway_test

import (
	"fmt"
	"math"
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
		{"an invoice", "test_approve", false, 1, 250, cost{206, 22_100}},
		{"a lot of 250", "test_approve", false, 250, 20, cost{990, 590_000}},
		{"an invoice in SOAP", "test_approve", true, 1, 250, cost{291, 42_600}},
		{"a lot of 250 in SOAP", "test_approve", true, 250, 20, cost{1126, 1_557_000}},
		{"an invoice for the built-in service", caddytest.WithBackend(t), false, 1, 250, cost{337, 30_100}},
		{"a lot of 250 for the built-in service", caddytest.WithBackend(t), false, 250, 20, cost{1100, 573_200}},
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

// windows is how often a cost is measured. A pool has a part for each processor, and allocates where a goroutine
// moves to a processor whose part is still empty: a window that saw this is dearer than an exchange. It happens
// to few windows, since a part stays filled, and dearer code is dearer in all of them.
const windows = 4

// costOf returns the cost of one request, for the whole process: the least of some windows.
func costOf(t *testing.T, s *caddytest.Site, inSOAP bool, invoices, requests int) cost {
	t.Helper()
	server := s.Server()
	first := int64(1)
	texts := func() []string {
		texts := make([]string, requests)
		for i := range texts {
			texts[i] = caddytest.LotText(0, first, invoices)
			if inSOAP {
				texts[i] = s.Message(soap.V11, "FECAESolicitar", texts[i])
			}
			first += int64(invoices)
		}
		return texts
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
	for _, text := range texts() { // fills pools and buffers
		send(text)
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	least := cost{math.Inf(1), math.Inf(1)}
	for range windows {
		least = cheaper(least, windowOf(texts(), send))
	}
	return least
}

// windowOf sends the texts and returns what one of them cost.
func windowOf(texts []string, send func(string)) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, text := range texts {
		send(text)
	}
	runtime.ReadMemStats(&after)
	n := float64(len(texts))
	return cost{float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n}
}

func cheaper(a, b cost) cost { return cost{min(a.objects, b.objects), min(a.bytes, b.bytes)} }
