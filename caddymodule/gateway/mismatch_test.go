package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func init() {
	caddy.RegisterModule(altering{})
	httpcaddyfile.RegisterHandlerDirective("test_alter", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		var a altering
		for h.Next() {
			if !h.Args(&a.Operation, &a.Old, &a.New) {
				return nil, h.ArgErr()
			}
		}
		return a, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_alter", httpcaddyfile.Before, "reverse_proxy")
}

// altering changes the answers to one operation on their way, after all was done.
type altering struct{ Operation, Old, New string }

func (altering) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_alter", New: func() caddy.Module { return new(altering) }}
}

func (a altering) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if !strings.HasSuffix(r.URL.Path, a.Operation) {
		return next.ServeHTTP(w, r)
	}
	said := httptest.NewRecorder()
	if err := next.ServeHTTP(said, r); err != nil {
		return err
	}
	altered := bytes.Replace(said.Body.Bytes(), []byte(a.Old), []byte(a.New), 1)
	if bytes.Equal(altered, said.Body.Bytes()) {
		panic(fmt.Sprintf("there is no %s in %s", a.Old, said.Body))
	}
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(altered)
	return err
}

// TestAnAnswerThatDoesNotFitIsNotBelieved: the service is asked, and what it has is the
// answer, then and whenever the request comes again.
func TestAnAnswerThatDoesNotFitIsNotBelieved(t *testing.T) {
	const period = "{" + caddytest.AuthText + `,"Periodo":%s,"Orden":%s}`
	lot := strings.Replace(caddytest.Invoice(1), `"CantReg":1`, `"CantReg":2`, 1)
	detail := lot[strings.Index(lot, `[{"Concepto"`)+1 : len(lot)-len(`]}}}`)]
	lot = strings.Replace(lot, detail, detail+","+strings.ReplaceAll(detail, `"CbteDesde":1,"CbteHasta":1`, `"CbteDesde":2,"CbteHasta":2`), 1)
	for name, test := range map[string]struct{ operation, body, old, altered, pointer string }{
		"no code":                   {"FECAESolicitar", caddytest.Invoice(1), `"CAE":"`, `"CAE":"","Otro":"`, "/FeDetResp/FECAEDetResponse/0/CAE"},
		"no member with the code":   {"FECAESolicitar", caddytest.Invoice(1), `"CAE":"`, `"Otro":"`, "/FeDetResp/FECAEDetResponse/0/CAE"},
		"another issuer":            {"FECAESolicitar", caddytest.Invoice(1), `"Cuit":20111111112`, `"Cuit":30500010912`, "/FeCabResp/Cuit"},
		"another point of sale":     {"FECAESolicitar", caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":2`, "/FeCabResp/PtoVta"},
		"another type":              {"FECAESolicitar", caddytest.Invoice(1), `"CbteTipo":6`, `"CbteTipo":8`, "/FeCabResp/CbteTipo"},
		"another number":            {"FECAESolicitar", caddytest.Invoice(1), `"CbteDesde":1`, `"CbteDesde":2`, "/FeDetResp/FECAEDetResponse/0/CbteDesde"},
		"a longer range":            {"FECAESolicitar", caddytest.Invoice(1), `"CbteHasta":1`, `"CbteHasta":2`, "/FeDetResp/FECAEDetResponse/0/CbteHasta"},
		"another count":             {"FECAESolicitar", caddytest.Invoice(1), `"CantReg":1`, `"CantReg":2`, "/FeCabResp/CantReg"},
		"another concept":           {"FECAESolicitar", caddytest.Invoice(1), `"Concepto":1`, `"Concepto":2`, "/FeDetResp/FECAEDetResponse/0/Concepto"},
		"another type of document":  {"FECAESolicitar", caddytest.Invoice(1), `"DocTipo":99`, `"DocTipo":96`, "/FeDetResp/FECAEDetResponse/0/DocTipo"},
		"another document":          {"FECAESolicitar", caddytest.Invoice(1), `"DocNro":0`, `"DocNro":12345678`, "/FeDetResp/FECAEDetResponse/0/DocNro"},
		"another date":              {"FECAESolicitar", caddytest.InvoiceOf(1, `,"CbteFch":"20261120"`), `"CbteFch":"20261120"`, `"CbteFch":"20261119"`, "/FeDetResp/FECAEDetResponse/0/CbteFch"},
		"errors and another issuer": {"FECAESolicitar", caddytest.Invoice(1), `"Cuit":20111111112`, `"Cuit":30500010912,"Otro":{}`, "/FeCabResp/Cuit"},
		"an unknown verdict":        {"FECAESolicitar", caddytest.Invoice(1), `"Resultado":"A"`, `"Resultado":"X"`, "/FeCabResp/Resultado"},
		"no verdict":                {"FECAESolicitar", caddytest.Invoice(1), `"Resultado":"A"`, `"Resultado":null`, "/FeCabResp/Resultado"},
		"rejected as a whole":       {"FECAESolicitar", caddytest.Invoice(1), `"Resultado":"A"`, `"Resultado":"R"`, "/FeDetResp/FECAEDetResponse/0/Resultado"},
		"one of two has no verdict": {"FECAESolicitar", lot, `"CbteHasta":2,"CbteFch":"20261120","Resultado":"A"`, `"CbteHasta":2,"CbteFch":"20261120","Resultado":"X"`, "/FeDetResp/FECAEDetResponse/1/Resultado"},
		"an advance code of another period": {
			"FECAEASolicitar", fmt.Sprintf(period, "202611", "2"), `"Periodo":202611`, `"Periodo":202612`, "/ResultGet/Periodo",
		},
		"an advance code of another fortnight": {
			"FECAEASolicitar", fmt.Sprintf(period, "202611", "2"), `"Orden":2`, `"Orden":1`, "/ResultGet/Orden",
		},
		"no advance code": {"FECAEASolicitar", fmt.Sprintf(period, "202611", "2"), `"CAEA":"`, `"CAEA":"","Otro":"`, "/ResultGet/CAEA"},
	} {
		t.Run(name, func(t *testing.T) {
			backend := strings.Replace(caddytest.WithBackend(t), "{", "{\n\t\tclock fixed 2026-11-20T12:00:00-03:00", 1)
			s := caddytest.Start(t, fmt.Sprintf("route {\ntest_alter %s %q %q\n%s\n}", test.operation, test.old, test.altered, backend), "recover within 20s", "replay on")
			got := s.Post(test.operation, test.body)
			if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "recovered" {
				t.Fatalf("%d %s %s", got.Status, got.Header.Get("Wsfev1-Outcome"), got.Body)
			}
			if bytes.Contains(got.Body, []byte(`"CAE":""`)) || bytes.Contains(got.Body, []byte(`"CAEA":""`)) {
				t.Errorf("no code: %s", got.Body)
			}
			if again := s.Post(test.operation, test.body); again.Header.Get("Wsfev1-Outcome") != "replayed" || !bytes.Equal(again.Body, got.Body) {
				t.Errorf("again %s %s, before %s", again.Header.Get("Wsfev1-Outcome"), again.Body, got.Body)
			}
			for _, r := range s.Records() {
				for _, f := range r.Findings {
					if f.Code == "answer.mismatch" && f.Pointer == test.pointer {
						return
					}
				}
			}
			t.Errorf("no record says what was wrong at %s", test.pointer)
		})
	}
}

// TestAnAnswerToAnotherQueryReachesNobody: after a proxy has sent one answer too many, each is another client's. In
// SOAP the client gets a fault, and the record says what was wrong.
func TestAnAnswerToAnotherQueryReachesNobody(t *testing.T) {
	s := caddytest.Start(t, fmt.Sprintf("route {\ntest_alter FECompUltimoAutorizado %q %q\n%s\n}", `"PtoVta":1`, `"PtoVta":2`, caddytest.WithBackend(t)))
	for _, face := range caddytest.Faces {
		got := face.Post(s, "FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
		if got.Status < 500 || got.Header.Get("Wsfev1-Outcome") != "upstream_error" || !bytes.Contains(got.Body, []byte("upstream.mismatch")) || bytes.Contains(got.Body, []byte("CbteNro")) {
			t.Errorf("%s: %d %s %s", face.Name, got.Status, got.Header.Get("Wsfev1-Outcome"), got.Body)
		}
	}
	for _, r := range s.Records() {
		if len(r.Findings) != 1 || r.Findings[0].Code != "answer.mismatch" || r.Findings[0].Pointer != "/PtoVta" {
			t.Errorf("record %d: %+v", r.Index, r.Findings)
		}
	}
}

// TestAnInvoiceInformedUnderAnotherCAEAIsNotBelieved: the answer is about what was sent.
func TestAnInvoiceInformedUnderAnotherCAEAIsNotBelieved(t *testing.T) {
	const sent = "{" + caddytest.AuthText + `,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":3,"CbteTipo":6},"FeDetReq":{"FECAEADetRequest":[` +
		`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261105","ImpTotal":121.00,"MonId":"PES","MonCotiz":1,"CAEA":"26450000000012"}]}}}`
	said := `{"FeCabResp":{"Cuit":20111111112,"PtoVta":3,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":1,"Resultado":"A","Reproceso":"N"},` +
		`"FeDetResp":{"FECAEADetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261105","Resultado":"A","CAEA":"%s"}]}}`
	for caea, want := range map[string]string{"26450000000012": "", "26450000000024": "/FeDetResp/FECAEADetResponse/0/CAEA"} {
		upstream := caddytest.NewStub(t, caddytest.Answering(200, fmt.Sprintf(said, caea)))
		s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "mode observe")
		s.Post("FECAEARegInformativo", sent)
		got := ""
		for _, f := range s.Last().Findings {
			if f.Code == "answer.mismatch" {
				got = f.Pointer
			}
		}
		if got != want {
			t.Errorf("informed under %s: mismatch at %q, want %q", caea, got, want)
		}
	}
}
