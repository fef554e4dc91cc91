package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestCredentialsThatTheUpstreamEchoesAreNotKept; the client gets them, as the
// upstream has said them.
func TestCredentialsThatTheUpstreamEchoesAreNotKept(t *testing.T) {
	var status int
	var answer string
	v := caddytest.OpenVault(t, "", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	})
	slash := strings.NewReplacer("/", `\/`, "+", `\u002b`)
	escaped := caddytest.Markers{Token: slash.Replace(v.Token), Sign: slash.Replace(v.Sign)}
	request := strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))
	for _, echo := range []struct {
		name   string
		status int
		body   string
	}{
		{"in Msg", 200, v.In(`{"Errors":{"Err":[{"Code":600,"Msg":"no vale $T, $S"}]}}`)},
		{"in Msg, escaped", 200, escaped.In(`{"Errors":{"Err":[{"Code":600,"Msg":"no vale $T, $S"}]}}`)},
		{"in Msg, cut off", 200, `{"Errors":{"Err":[{"Code":600,"Msg":"no vale ` + v.Token[:100] + `…"}]}}`},
		{"in Msg, the end of it", 200, `{"Errors":{"Err":[{"Code":600,"Msg":"no vale …` + v.Sign[40:] + `"}]}}`},
		{"as names", 200, v.In(`{"$T":{"$S":1},"Errors":{"$S":[]}}`)},
		{"as names, escaped", 200, escaped.In(`{"$T":{"$S":1}}`)},
		{"as names, cut off", 200, v.In(`{"FeCabResp":{"$T":{"$S":`)},
		{"as Resultado and CAE", 200, strings.NewReplacer(`"A"`, `"`+v.Sign+`"`, "86470000000001", v.Token).Replace(caddytest.Approval)},
		{"as Resultado and CAE, cut off", 200, strings.NewReplacer(`"A"`, `"`+v.Sign+`"`, "86470000000001", v.Token).Replace(caddytest.Approval)[:1400]},
		{"the whole request", 200, request},
		{"the whole request as a text", 400, fmt.Sprintf(`{"Errors":{"Err":[{"Code":"1","Msg":%q}]}}`, request)},
		{"a page", 500, v.In("<html><body>Token=$T Sign=$S</body></html>")},
		{"the error body", 400, v.In(`{"Errors":{"Err":[{"Code":"$S","Msg":"$T"}]}}`)},
	} {
		status, answer = echo.status, echo.body
		for _, face := range caddytest.Faces {
			got := face.Post(v.Site, "FECAESolicitar", request)
			if !face.IsSOAP && (got.Status != echo.status || string(got.Body) != echo.body) {
				t.Errorf("%s: the client got %d %s", echo.name, got.Status, got.Body)
			}
			if said := strings.HasPrefix(echo.name, "in Msg"); face.IsSOAP && said != strings.Contains(string(got.Body), "no vale") {
				t.Errorf("%s: the client of %s got %d %s", echo.name, face.Name, got.Status, got.Body)
			}
			if last := v.Last(); last.Status != echo.status || last.AnswerLength != int64(len(echo.body)) || face.IsSOAP != (last.Client != nil) {
				t.Errorf("%s, %s: recorded %+v", echo.name, face.Name, last)
			}
		}
	}
	v.Search(t)
}

// TestCredentialsInABrokenAnswerAreNotKept: Go's errors quote what they could not read.
func TestCredentialsInABrokenAnswerAreNotKept(t *testing.T) {
	m := caddytest.NewMarkers()
	for name, partial := range map[string]string{
		"status line":        m.Token + "\r\n\r\n",
		"status":             "HTTP/1.1 " + m.Sign + " x\r\n\r\n",
		"line of the header": "HTTP/1.1 200 OK\r\n" + m.Token + "\r\n\r\n",
		"length":             "HTTP/1.1 200 OK\r\nContent-Length: " + m.Token + "\r\n\r\n",
		"transfer encoding":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + m.Sign + "\r\n\r\n",
		"body":               "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + m.Token,
	} {
		t.Run(name, func(t *testing.T) {
			v := caddytest.OpenVault(t, "", caddytest.HangUp(partial))
			for _, face := range caddytest.Faces {
				got := face.Post(v.Site, "FECAESolicitar", face.Own(strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))))
				if got.Status != face.Status(504) {
					t.Errorf("%s: %d %s", face.Name, got.Status, got.Body)
				}
				if detail := v.Last().Detail; detail == "" {
					t.Error("the record does not say why")
				}
			}
			v.SearchOwn(t)
		})
	}
}

// TestCredentialsInASettlementAreNotKept: the service echoes them in what it tells of a lost
// invoice, while the client waits or when nobody does any more.
func TestCredentialsInASettlementAreNotKept(t *testing.T) {
	const found = `{"ResultGet":{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261120","ImpTotal":121,` +
		`"ImpTotConc":0,"ImpNeto":100,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,` +
		`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21}]},"Resultado":"A","CodAutorizacion":"86470000000001","EmisionTipo":"CAE",` +
		`"FchVto":"20261130","FchProceso":"20261120120000","PtoVta":1,"CbteTipo":6,"Observaciones":{"Obs":[{"Code":10063,"Msg":"$T $S"}]}}}`
	for _, late := range []bool{false, true} {
		for outcome, found := range map[string]string{"recovered": found, "different": strings.Replace(found, "PES", "$S", 1)} {
			t.Run(fmt.Sprintf("%s, late %v", outcome, late), func(t *testing.T) {
				m := caddytest.NewMarkers()
				var back atomic.Bool
				back.Store(!late)
				v := caddytest.OpenVault(t, "", func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") || !back.Load() {
						panic(http.ErrAbortHandler)
					}
					caddytest.Answering(200, m.In(found))(w, r)
				})
				v.Options = strings.Replace(v.Options, "recover off", "recover within 400ms", 1)
				v.Load(v.Options)
				for _, face := range caddytest.Faces {
					back.Store(!late)
					checkSettlement(t, v, face, outcome, late, &back)
				}
				v.Search(t)
			})
		}
	}
}

// checkSettlement sends an invoice that gets lost, and waits until that is settled.
func checkSettlement(t *testing.T, v *caddytest.Vault, face caddytest.Face, outcome string, late bool, back *atomic.Bool) {
	t.Helper()
	settled := `wsfev1_recoveries_total{result="` + outcome + `"}`
	before := v.Metric(settled)
	got := face.Post(v.Site, "FECAESolicitar", face.Own(strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))))
	if late == (got.Status == 200) {
		t.Fatalf("%s: %d %s", face.Name, got.Status, got.Body)
	}
	back.Store(true)
	caddytest.Eventually(t, "a settlement", func() bool { return v.Metric(settled) == caddytest.Plus(t, before, 1) })
	last := v.Last()
	if late && (last.Kind != audit.KindSettlement || string(last.Outcome) != outcome) || !bytes.Contains(last.Answer, []byte(`"Obs":[{"Code":10`)) {
		t.Errorf("%s: recorded %+v", face.Name, last)
	}
	if outcome == "different" && (len(last.Findings) != 1 || !strings.HasPrefix(last.Findings[0].Expected, "hmac-sha256:")) {
		t.Errorf("%s: found %+v", face.Name, last.Findings)
	}
}

// TestCredentialsOfAPanicAreNotKept: the next handler panics with the request in
// its hands.
func TestCredentialsOfAPanicAreNotKept(t *testing.T) {
	v := caddytest.OpenVault(t, "test_panic", caddytest.Answering(200, caddytest.Approval))
	for _, face := range caddytest.Faces {
		got := face.Post(v.Site, "FECAESolicitar", face.Own(strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))))
		if got.Status != face.Status(504) {
			t.Errorf("%s: %d %s", face.Name, got.Status, got.Body)
		}
	}
	v.Search(t)
}

// TestCredentialsOfAnUnreachedUpstreamAreNotKept.
func TestCredentialsOfAnUnreachedUpstreamAreNotKept(t *testing.T) {
	v := caddytest.OpenVault(t, caddytest.ProxyTo("127.0.0.1:1"), caddytest.Answering(200, caddytest.Approval))
	for _, face := range caddytest.Faces {
		got := face.Post(v.Site, "FECAESolicitar", face.Own(strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))))
		if got.Status != face.Status(502) {
			t.Errorf("%s: %d %s", face.Name, got.Status, got.Body)
		}
	}
	v.Search(t)
}

// TestCredentialsOfTheBuiltInServiceAreNotKept: its ledger keeps none either.
func TestCredentialsOfTheBuiltInServiceAreNotKept(t *testing.T) {
	ledger := t.TempDir()
	v := caddytest.OpenVault(t, "wsfev1_backend {\n ledger sqlite "+filepath.Join(ledger, "ledger.db")+"\n }", nil)
	replace := strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign)
	for _, face := range caddytest.Faces {
		if got := face.Post(v.Site, "FECAESolicitar", face.Own(replace.Replace(caddytest.Invoice(1)))); got.Header.Get("Wsfev1-Outcome") != "approved" {
			t.Errorf("%s: %d %s", face.Name, got.Status, got.Body)
		}
		face.Post(v.Site, "FECAEASolicitar", face.Own(replace.Replace("{"+caddytest.AuthText+","+caddytest.OpenFortnight()+"}")))
	}
	v.Search(t)
	if seen := v.AbsentFromFolder(t, ledger); seen < 1000 {
		t.Errorf("only %d bytes in the ledger", seen)
	}
}

// TestCredentialsAreNotInTheConfiguration that the admin endpoint shows.
func TestCredentialsAreNotInTheConfiguration(t *testing.T) {
	v := caddytest.OpenVault(t, "", caddytest.Answering(200, caddytest.Approval))
	// The admin endpoint answers to no other loopback address.
	admin := strings.Replace(caddytest.FreeAddress(t), caddytest.Loopback, "127.0.0.1", 1)
	v.Load(strings.Replace(v.Options, "admin off", "admin "+admin, 1))
	for _, face := range caddytest.Faces {
		face.Post(v.Site, "FECAESolicitar", face.Own(strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))))
	}
	for _, path := range []string{"/config/", "/metrics"} {
		r, err := http.NewRequest(http.MethodGet, "http://"+admin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		body := v.Do(r).Body
		if !bytes.Contains(body, []byte("wsfev1")) {
			t.Errorf("%s: %.100s", path, body)
		}
		v.AbsentFrom(t, path, body)
	}
	v.Load(v.Options) // without the admin endpoint, which would outlive the test
	v.Search(t)
}
