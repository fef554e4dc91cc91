package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestSmallAnswersOfItemsTakeBoundedMemory: a service that lies can answer many invoices at a time with
// some kilobytes each of which decoding makes many times as much, in both forms.
func TestSmallAnswersOfItemsTakeBoundedMemory(t *testing.T) {
	clients := testrun.Whole(t, 32, 200)
	inSOAP := func(text string) string {
		return `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>` +
			`<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECAESolicitarResult>` + text + `</FECAESolicitarResult></FECAESolicitarResponse></soap:Body></soap:Envelope>`
	}
	for _, c := range testrun.Few(t, 2, []struct {
		name, answer string
		next         func(string, ...string) string
	}{
		{"details", `{"FeDetResp":{"FECAEDetResponse":[` + strings.Repeat("{},", 20_000) + `{}]}}`, caddytest.ProxyTo},
		{"details in SOAP", inSOAP(`<FeDetResp>` + strings.Repeat(`<FECAEDetResponse/>`, 3200) + `</FeDetResp>`), toSOAP},
		{"more details", `{"FeDetResp":{"FECAEDetResponse":[` + strings.Repeat("{},", 100_000) + `{}]}}`, caddytest.ProxyTo},
		{"more details in SOAP", inSOAP(`<FeDetResp>` + strings.Repeat(`<FECAEDetResponse/>`, 30_000) + `</FeDetResp>`), toSOAP},
		{"errors", `{"Errors":{"Err":[` + strings.Repeat("{},", 20_000) + `{}]}}`, caddytest.ProxyTo},
		{"observations in SOAP", inSOAP(`<FeDetResp><FECAEDetResponse><Observaciones>` + strings.Repeat(`<Obs/>`, 10_000) + `</Observaciones></FECAEDetResponse></FeDetResp>`), toSOAP},
		{"unknown members", `{` + each(4000, `"z%d":1,`) + `"zz":1}`, caddytest.ProxyTo},
	}) {
		t.Run(c.name, func(t *testing.T) {
			upstream := caddytest.NewStub(t, func(w http.ResponseWriter, _ *http.Request) {
				if strings.HasPrefix(c.answer, "<") {
					w.Header().Set("Content-Type", "text/xml; charset=utf-8")
				} else {
					w.Header().Set("Content-Type", "application/json")
				}
				_, _ = io.WriteString(w, c.answer)
			})
			s := caddytest.Start(t, c.next(upstream.URL), "in_flight wait 5m", "recover off", "replay off")
			server := s.Server()
			most := heapDuring(func() {
				var group sync.WaitGroup
				for n := range clients {
					group.Go(func() {
						body := strings.Replace(caddytest.Invoice(1), "20111111112", fmt.Sprint(20111111000+n), 1)
						r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/wsfev1/FECAESolicitar", strings.NewReader(body))
						r.Header.Set("Content-Type", "application/json")
						server.ServeHTTP(discarding{http.Header{}}, r)
					})
				}
				group.Wait()
			})
			t.Logf("%d MiB at most, for %d answers of %d kB", most>>20, clients, len(c.answer)>>10)
			if most > 224<<20 {
				t.Errorf("%d MiB of memory", most>>20)
			}
		})
	}
}
