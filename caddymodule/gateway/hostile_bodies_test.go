package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// hostileLot is a lot of these invoices, with these credentials.
func hostileLot(operation, credentials, invoices string) string {
	request, list := "FeCAEReq", "FECAEDetRequest"
	if operation == "FECAEARegInformativo" {
		request, list = "FeCAEARegInfReq", "FECAEADetRequest"
	}
	return fmt.Sprintf(`{"Auth":{%s,"Cuit":20111111112},%q:{"FeCabReq":{"CantReg":9998,"PtoVta":1,"CbteTipo":6},"FeDetReq":{%q:[%s]}}}`,
		credentials, request, list, strings.TrimSuffix(invoices, ","))
}

// each makes n texts of a form that takes a number.
func each(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// TestARequestCostsWhatItsBodyIsWorth: none within the limits takes the gateway seconds, or
// memory by the gigabyte, whatever it holds.
func TestARequestCostsWhatItsBodyIsWorth(t *testing.T) {
	const short = `"Token":"dG9rZW4=","Sign":"c2lnbg=="`
	part := testrun.Whole(t, 8, 1) // of what a body may hold
	long := `"Token":"` + each(200_000/part, "%08x") + `","Sign":"` + each(200_000/part, "%08X") + `"`
	bodies := []struct{ name, operation, body string }{
		{"empty invoices", "FECAESolicitar", hostileLot("FECAESolicitar", short, strings.Repeat("{},", 1_390_000/part))},
		{"unknown members", "FECAESolicitar", hostileLot("FECAESolicitar", short, strings.Repeat(`{"zz":1},`, 460_000/part))},
		{"the longest lot", "FECAESolicitar", hostileLot("FECAESolicitar", short, strings.Repeat("{},", 9998))},
		{"the longest lot under an advance code", "FECAEARegInformativo", hostileLot("FECAEARegInformativo", short, strings.Repeat("{},", 9998))},
		{"the longest lists", "FECAESolicitar", hostileLot("FECAESolicitar", short, strings.Repeat(`{"Tributos":{"Tributo":[`+strings.Repeat("{},", 9990)+`{}]}},`, 9))},
		{"long names and credentials", "FECAESolicitar", hostileLot("FECAESolicitar", long, each(1000, `{"%08d`+strings.Repeat("ab", 96)+`":1},`))},
		{"long figures and credentials", "FECAESolicitar", hostileLot("FECAESolicitar", long, each(250, `{"MonId":"%08d`+strings.Repeat("ab", 96)+`"},`))},
		{"many figures", "FECAESolicitar", hostileLot("FECAESolicitar", short, each(9998, `{"DocNro":2%09d,"CbteDesde":%[1]d,"CbteHasta":%[1]d},`))},
		{"many figures that are repeated", "FECAESolicitar", hostileLot("FECAESolicitar", short, each(9998, `{"DocNro":2%09d,"MonId":"3%[1]09d"},`))},
		{"many figures of a wrong shape", "FECAESolicitar", hostileLot("FECAESolicitar", short, each(60_000/part, `{"DocNro":2%09d,"MonId":"3%[1]09d"},`))},
		{"members over and over", "FECAESolicitar", hostileLot("FECAESolicitar", short, `{`+each(90_000/part, `"DocNro":2%09d,"MonId":"3%[1]09d",`)+`"zz":1},`)},
	}
	for name, options := range map[string][]string{"": nil, ", redacted": {caddytest.RedactDocNro}} {
		s := caddytest.Start(t, "respond 503", append([]string{"max_body 8MiB"}, options...)...)
		server := s.Server()
		for _, b := range bodies {
			t.Run(b.name+name, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := testrun.ProcessorTime()
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/wsfev1/"+b.operation, strings.NewReader(b.body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				server.ServeHTTP(w, r)
				took := testrun.ProcessorTime() - began
				runtime.ReadMemStats(&after)
				allocated := after.TotalAlloc - before.TotalAlloc
				t.Logf("%d bytes: %v, %d MB allocated; status %d, %d bytes", len(b.body), took, allocated>>20, w.Code, w.Body.Len())
				if took > 10*time.Second/time.Duration(min(part, 4)) { // less than half of one, without the race detector
					t.Errorf("%d bytes take %v", len(b.body), took)
				}
				// Under the race detector pools forget, and all of it is allocated again.
				if limit := uint64(64*len(b.body) + 128<<20); allocated > limit {
					t.Errorf("%d bytes allocate %d, more than %d", len(b.body), allocated, limit)
				}
			})
		}
	}
}
