package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

func init() {
	caddy.RegisterModule(approving{})
	httpcaddyfile.RegisterHandlerDirective("test_approve", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return approving{}, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_approve", httpcaddyfile.Before, "reverse_proxy")
}

// approving is a next handler that approves a lot in JSON at little cost.
type approving struct{}

func (approving) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_approve", New: func() caddy.Module { return new(approving) }}
}

func (approving) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	_, cuit, _ := bytes.Cut(body, []byte(`"Cuit":`))
	cuit, _, _ = bytes.Cut(cuit, []byte("}"))
	invoices := bytes.Count(body, []byte(`"CbteDesde":`))
	answer := append(make([]byte, 0, 200+250*invoices), `{"FeCabResp":{"Cuit":`...)
	answer = append(append(answer, cuit...), `,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":`...)
	answer = append(strconv.AppendInt(answer, int64(invoices), 10), `,"Resultado":"A","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[`...)
	for i := range invoices {
		if i > 0 {
			answer = append(answer, ',')
		}
		_, body, _ = bytes.Cut(body, []byte(`"CbteDesde":`))
		number, _, _ := bytes.Cut(body, []byte(","))
		answer = append(append(answer, `{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":`...), number...)
		answer = append(append(answer, `,"CbteHasta":`...), number...)
		answer = append(answer, `,"CbteFch":"20261120","Resultado":"A","CAE":"8647`...)
		answer = append(append(answer, "0000000000"[len(number):]...), number...)
		answer = append(answer, `","CAEFchVto":"20261130"}`...)
	}
	answer = append(answer, "]}}"...)
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(answer))}
	_, err = w.Write(answer)
	return err
}

// BenchmarkSteps measures the gateway's own part of an exchange, without sockets: requests
// go through Caddy's chain of handlers in memory, 32 at a time, to a handler that costs
// next to nothing, first without a gateway and then with everything on and the trail on
// disk. The difference of the two is the cost of the gateway.
//
//	go test ./caddymodule/gateway -run '^$' -bench Steps/.*/1$ -benchtime 60000x -benchmem
//	go test ./caddymodule/gateway -run '^$' -bench Steps/.*/250 -benchtime 2000x -benchmem
func BenchmarkSteps(b *testing.B) {
	for _, form := range []struct {
		name  string
		start func(b *testing.B) *caddytest.Site
	}{
		{"bare", func(b *testing.B) *caddytest.Site {
			s := caddytest.Start(b, "respond ok")
			s.Load(fmt.Sprintf("{\n admin off\n persist_config off\n metrics\n}\n%s {\n test_approve\n}\n", s.URL))
			return s
		}},
		{"gateway", func(b *testing.B) *caddytest.Site {
			return caddytest.Start(b, "test_approve", "recover within 20s", "replay on")
		}},
	} {
		for _, invoices := range []int{1, 250} {
			b.Run(fmt.Sprint(form.name, "/", invoices), func(b *testing.B) {
				caddytest.Silence(b)
				steps(b, form.start(b), invoices)
			})
		}
	}
}

// steps sends b.N lots of so many invoices to a site, and stops it.
func steps(b *testing.B, s *caddytest.Site, invoices int) {
	server := s.Server()
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	began := testrun.ProcessorTime()
	var group sync.WaitGroup
	for lane := range caddytest.Connections {
		group.Go(func() {
			for first := 1; left.Add(-1) >= 0; first += invoices {
				body := caddytest.LotText(2*lane, int64(first), invoices)
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, s.URL+"/api/wsfev1/FECAESolicitar", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				server.ServeHTTP(w, r)
				if !strings.Contains(w.Body.String(), `"Resultado":"A"`) {
					b.Errorf("status %d: %s", w.Code, w.Body)
					return
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64((testrun.ProcessorTime()-began).Microseconds())/float64(b.N), "cpu-µs/op")
	b.StopTimer()
	if err := caddy.Stop(); err != nil {
		b.Fatal(err)
	}
}
