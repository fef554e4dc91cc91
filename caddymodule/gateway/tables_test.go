package gateway_test

import (
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// cbteTable is an answer that lists these types of voucher.
func cbteTable(types ...int) string {
	rows := make([]string, len(types))
	for i, t := range types {
		rows[i] = fmt.Sprintf(`{"Id":%d,"Desc":"Comprobante %d","FchDesde":"20261001","FchHasta":"NULL"}`, t, t)
	}
	return `{"ResultGet":{"CbteTipo":[` + strings.Join(rows, ",") + `]}}`
}

// TestATypeThatTheServiceListsIsNotRefused, once a client has had the table; the difference is told
// once and counted.
func TestATypeThatTheServiceListsIsNotRefused(t *testing.T) {
	var table atomic.Value
	table.Store(cbteTable(1, 6, 99))
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) == "FEParamGetTiposCbte" {
			caddytest.Answering(200, table.Load().(string))(w, r)
			return
		}
		caddytest.Answering(200, `{"PtoVta":1,"CbteTipo":99,"CbteNro":7}`)(w, r)
	})
	file := filepath.Join(t.TempDir(), "log")
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "cache 1ns")
	s.Load(strings.Replace(s.Config(s.WithAudit("cache 1ns"), caddytest.ProxyTo(service.URL)), "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1))
	const series = `wsfev1_table_differences_total{operation="FEParamGetTiposCbte"}`
	counted := func() int {
		n, err := strconv.Atoi(s.Metric(series))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := counted()
	last := func(cbteTipo int) string {
		s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+fmt.Sprintf(`,"PtoVta":1,"CbteTipo":%d}`, cbteTipo))
		return string(s.Last().Outcome)
	}
	if got := last(99); got != "refused" {
		t.Errorf("before the table: %s", got)
	}
	for range 3 {
		s.Post("FEParamGetTiposCbte", tableQuestion)
	}
	if got := last(99); got != "answered" {
		t.Errorf("a type that the service lists: %s", got)
	}
	if got := last(98); got != "refused" {
		t.Errorf("a type that it does not list: %s", got)
	}
	if got := counted() - before; got != 1 {
		t.Errorf("counted %d times", got)
	}
	table.Store(cbteTable(1, 6, 97))
	s.Post("FEParamGetTiposCbte", tableQuestion)
	if got := last(99); got != "refused" {
		t.Errorf("a type that the service lists no more: %s", got)
	}
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"+99", "+97"} {
		if n := strings.Count(string(log), `"difference":["`+code+`"`); n != 1 {
			t.Errorf("%s is told %d times: %s", code, n, log)
		}
	}
	if got := counted() - before; got != 2 {
		t.Errorf("counted %d times", got)
	}
}

// TestTheThresholdIsThatOfTheEnvironment: the built-in service has production's, another service
// may have either.
func TestTheThresholdIsThatOfTheEnvironment(t *testing.T) {
	anonymous := caddytest.Invoice(1)
	for from, to := range map[string]string{
		`"ImpTotal":121`: `"ImpTotal":6050000`, `"ImpNeto":100`: `"ImpNeto":5000000`, `"ImpIVA":21`: `"ImpIVA":1050000`,
		`"BaseImp":100.00,"Importe":21.00`: `"BaseImp":5000000.00,"Importe":1050000.00`,
	} {
		if !strings.Contains(anonymous, from) {
			t.Fatalf("no %s in %s", from, anonymous)
		}
		anonymous = strings.Replace(anonymous, from, to, 1)
	}
	service := caddytest.NewStub(t, caddytest.Answering(200, `{"Errors":{"Err":[{"Code":501,"Msg":"x"}]}}`))
	for next, want := range map[string]bool{caddytest.WithBackend(t): false, caddytest.ProxyTo(service.URL): true} {
		s := caddytest.Start(t, next)
		s.Post("FECAESolicitar", anonymous)
		got := foundIn(s.Records()[0], "10015")
		if (got != "") != want || want && !strings.HasPrefix(got, "observe: Desde $ 3.958.316,00 o desde $ 10.000.000,00") {
			t.Errorf("%s: %q", next, got)
		}
	}
}
