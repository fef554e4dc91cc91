package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// refusingFirst carries the first request of each operation that changes something out, and refuses it all
// the same.
func refusingFirst(t *testing.T, behind string, refuse http.HandlerFunc) *caddytest.Stub {
	t.Helper()
	service := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind})
	var refused sync.Map
	return caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		r.Host = behind
		op := wsfev1.OperationByName(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		if op.Effect == wsfev1.EffectChanges {
			if _, again := refused.LoadOrStore(op.Name, true); !again {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				service.ServeHTTP(&discarding{http.Header{}}, r)
				r.Body = io.NopCloser(bytes.NewReader(body))
				refuse(w, r)
				return
			}
		}
		service.ServeHTTP(w, r)
	})
}

// TestNoOperationIsTakenForNotCarriedOut: each that changes something, refused with an error body after it
// was carried out. FECAEARegInformativo declares that body.
func TestNoOperationIsTakenForNotCarriedOut(t *testing.T) {
	behind := caddytest.FreeAddress(t)
	eachIsRecovered(t, behind, caddytest.Answering(400, errorBody), "")
}

// TestNoOperationIsRefusedBecauseOfItself: something on the way sends each request twice, and the service refuses the
// second one, with 10016, 15008, 703 and 1209.
func TestNoOperationIsRefusedBecauseOfItself(t *testing.T) {
	behind := caddytest.FreeAddress(t)
	eachIsRecovered(t, behind, httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind}).ServeHTTP, audit.CauseRejected)
}

// eachIsRecovered: the cause is in the record, as the pages say by it why the gateway has asked.
func eachIsRecovered(t *testing.T, behind string, refuse http.HandlerFunc, cause audit.Cause) {
	t.Helper()
	u := refusingFirst(t, behind, refuse)
	s := caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(caddytest.Patiently...), caddytest.ProxyTo(u.URL)) +
		caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), ""))
	recovered := func(operation, body string) caddytest.Response {
		t.Helper()
		got := s.Post(operation, body)
		if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "recovered" {
			t.Errorf("%s: %d %v %s", operation, got.Status, got.Header, got.Body)
		}
		if r := s.Last(); r.Cause != cause {
			t.Errorf("%s: the cause is %q: %s", operation, r.Cause, r.Detail)
		}
		return got
	}
	recovered("FECAESolicitar", caddytest.Invoice(1))
	periodo, orden, firstDay := caddytest.Fortnight(t, wsfev1.DateOf(time.Now()))
	caea := strings.Trim(recovered("FECAEASolicitar", fmt.Sprintf(`{%s,"Periodo":%d,"Orden":%d}`, caddytest.AuthText, periodo, orden)).At(t, "/ResultGet/CAEA"), `"`)
	now := time.Now().In(wsfev1.Argentina)
	more := fmt.Sprintf(`,"CbteFch":"%s","CAEA":"%s","CbteFchHsGen":"%s"`, now.Format("20060102"), caea, now.Format("20060102150405"))
	recovered("FECAEARegInformativo", strings.NewReplacer("FeCAEReq", "FeCAEARegInfReq", "FECAEDetRequest", "FECAEADetRequest", `"PtoVta":1`, `"PtoVta":3`).Replace(caddytest.InvoiceOf(1, more)))
	if !firstDay { // it is too early in the fortnight to say so
		recovered("FECAEASinMovimientoInformar", fmt.Sprintf(`{%s,"PtoVta":4,"CAEA":"%s"}`, caddytest.AuthText, caea))
	}
}

// TestARefusalAndNoAnswerToTheQuestion: the client is told that nobody knows, the series waits, and goes
// on once the service answers.
func TestARefusalAndNoAnswerToTheQuestion(t *testing.T) {
	for _, commits := range []bool{true, false} {
		t.Run(fmt.Sprint(commits), func(t *testing.T) {
			service := newSOAPService(t)
			sick := true
			var mu sync.Mutex
			between := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: strings.TrimPrefix(service.URL, "http://")})
			u := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if !sick {
					between.ServeHTTP(w, r)
					return
				}
				if commits && strings.Contains(r.Header.Get("SOAPAction"), "FECAESolicitar") {
					between.ServeHTTP(&discarding{http.Header{}}, r)
				}
				endingsInSOAP["Client"].write(w)
			})
			s := caddytest.Start(t, toSOAP(u.URL), caddytest.Exactly...)
			if got := s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "unknown" {
				t.Fatalf("%v %s", got.Header, got.Body)
			}
			if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Header.Get("Wsfev1-Outcome") != "unsettled" {
				t.Errorf("%v %s", got.Header, got.Body)
			}
			mu.Lock()
			sick = false
			mu.Unlock()
			caddytest.Eventually(t, "the invoice", func() bool {
				got := s.Post("FECAESolicitar", caddytest.Invoice(1))
				return got.Status == 200 && got.Header.Get("Wsfev1-Outcome") == map[bool]string{true: "replayed", false: "approved"}[commits] ||
					!commits && got.Header.Get("Wsfev1-Outcome") == "replayed"
			})
			last := s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
			if last.At(t, "/CbteNro") != "1" {
				t.Errorf("%s", last.Body)
			}
		})
	}
}

// TestARefusalStaysOpenWithoutRecovery: the client gets it as it came, and the trail does not say that
// nothing was carried out.
func TestARefusalStaysOpenWithoutRecovery(t *testing.T) {
	for name, e := range map[string]ending{"a fault": endingsInSOAP["Client"], "a bare 400": endingsInSOAP["400, empty"], "an unknown code": endingsInSOAP["602"]} {
		t.Run(name, func(t *testing.T) {
			service := newSOAPService(t)
			s := caddytest.Start(t, toSOAP(service.URL))
			service.failOnce(func(w http.ResponseWriter, _ func() []byte) { e.write(w) })
			got := s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(1))
			if got.Header.Get("Wsfev1-Outcome") != "upstream_error" || s.Last().Outcome != "upstream_error" {
				t.Errorf("%v %s, recorded %s", got.Header, got.Body, s.Last().Outcome)
			}
		})
	}
}

// TestOddDigitsAreOfTheSameInvoice: the client hears of its invoice, in either form, whatever digits it has
// written; a lost answer must not become another invoice.
func TestOddDigitsAreOfTheSameInvoice(t *testing.T) {
	amounts := []string{"121.00000000000000001", "1.21e2", "120.99999999999999999999", "121.000000000000000000000000"}
	if testrun.Factor(t) >= 1 {
		amounts = append(amounts, "12100000000000000000000000e-23", "0121.0", "+121", "1210.E-1")
	}
	for _, amount := range amounts {
		for _, inSOAP := range []bool{false, true} {
			if !inSOAP && (amount[0] == '+' || strings.HasPrefix(amount, "01") || strings.Contains(amount, ".E")) {
				continue // no number of JSON
			}
			t.Run(fmt.Sprintf("%s/%t", amount, inSOAP), func(t *testing.T) {
				u := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
						panic(http.ErrAbortHandler)
					}
					caddytest.Answering(200, strings.ReplaceAll(consulted("1"), "121.00", "121"))(w, r)
				})
				s := caddytest.Start(t, caddytest.ProxyTo(u.URL), append(caddytest.Exactly, "mode observe")...)
				var got caddytest.Response
				if inSOAP {
					message := s.Message(soap.V11, "FECAESolicitar", caddytest.Invoice(1))
					got = s.Send(soap.V11, "FECAESolicitar", strings.Replace(message, ">121.00<", ">"+amount+"<", 1))
				} else {
					got = s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":`+amount, 1))
				}
				if got.Header.Get("Wsfev1-Outcome") != "recovered" {
					t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
				}
			})
		}
	}
}
