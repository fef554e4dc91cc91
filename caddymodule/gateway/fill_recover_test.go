package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestALostFilledInvoiceIsFoundOut: the service has it with the condition that was filled in.
func TestALostFilledInvoiceIsFoundOut(t *testing.T) {
	for _, door := range caddytest.Doors {
		t.Run(door.Name, func(t *testing.T) {
			s := door.Start(t, caddytest.WithFaults(t, caddytest.FaultOnce("drop")), append(caddytest.Exactly, fillsFive)...)
			got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1)))
			if got.Header.Get("Wsfev1-Outcome") != "recovered" || got.Header.Get("Wsfev1-Filled") == "" {
				t.Fatalf("%v %s", got.Header, got.Body)
			}
			wantCondition(t, s, 1, "5")
			if again := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1))); again.Header.Get("Wsfev1-Outcome") != "replayed" || string(again.Body) != string(got.Body) {
				t.Errorf("%v %s", again.Header, again.Body)
			}
		})
	}
}

// TestALostFilledInvoiceIsFoundOutFromSOAP, at a service that speaks SOAP.
func TestALostFilledInvoiceIsFoundOutFromSOAP(t *testing.T) {
	service := newSOAPService(t)
	s := caddytest.Start(t, toSOAP(service.URL), append(caddytest.Exactly, fillsFive)...)
	for i, version := range soapVersions {
		service.failOnce(func(_ http.ResponseWriter, carryOut func() []byte) {
			carryOut()
			panic(http.ErrAbortHandler)
		})
		got := s.Call(version, "FECAESolicitar", lacking(caddytest.Invoice(1+i)))
		if got.Header.Get("Wsfev1-Outcome") != "recovered" || issued(t, got) == "" {
			t.Fatalf("%v %s", got.Header, got.Body)
		}
	}
}

// wantCondition checks the condition of an invoice that the service has.
func wantCondition(t *testing.T, s *caddytest.Site, number int, want string) {
	t.Helper()
	question := fmt.Sprintf(`{%s,"FeCompConsReq":{"CbteTipo":6,"CbteNro":%d,"PtoVta":1}}`, caddytest.AuthText, number)
	if found := s.Post("FECompConsultar", question); found.At(t, "/ResultGet/CondicionIVAReceptorId") != want {
		t.Errorf("the service has %s", found.Body)
	}
}

// TestAFilledInvoiceThatComesLateIsFoundOut: the service denied it and carried it out afterwards. By then
// the operator has declared another condition. The service rejects the repeat's number, or that answer
// is lost too: in neither case may the client take the next number.
func TestAFilledInvoiceThatComesLateIsFoundOut(t *testing.T) {
	for name, repeat := range map[string]string{"rejected": "", "lost": caddytest.FaultOnce("drop")} {
		t.Run(name, func(t *testing.T) {
			behind, ledger := caddytest.FreeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
			s := caddytest.NewSite(t)
			load := func(option, fault string) {
				s.Load(s.Config(s.WithAudit(append(caddytest.Exactly, option)...), caddytest.ProxyTo(behind)) + caddytest.ServiceSite(behind, ledger, fault))
			}
			load(fillsFive, "fault drop {\n commit no\n operation FECAESolicitar\n count 1\n}")
			if got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1))); got.Header.Get("Wsfev1-Outcome") != "not_issued" {
				t.Fatalf("%v %s", got.Header, got.Body)
			}
			late := &caddytest.Site{T: t, URL: "http://" + behind}
			code := late.Post("FECAESolicitar", caddytest.Invoice(1)).At(t, "/FeDetResp/FECAEDetResponse/0/CAE")
			load("fill CondicionIVAReceptorId from default 4", repeat)
			got := s.Post("FECAESolicitar", lacking(caddytest.Invoice(1)))
			if got.Header.Get("Wsfev1-Outcome") != "recovered" || got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE") != code {
				t.Errorf("%v %s, want %s", got.Header, got.Body, code)
			}
		})
	}
}

// TestAGatewayThatDiesKnowsWhatItFilledIn: it is killed between the intent and the answer. The next one,
// whose operator has declared something else, finds the invoice at the service and answers with it.
func TestAGatewayThatDiesKnowsWhatItFilledIn(t *testing.T) {
	behind, folder := caddytest.FreeAddress(t), t.TempDir()
	service := caddytest.NewSite(t)
	service.URL = "http://" + behind
	service.Load(caddytest.Quietly + caddytest.ServiceSite(behind, filepath.Join(folder, "ledger.db"), ""))
	carried, release := make(chan struct{}), make(chan struct{})
	// What stands between carries the first invoice to the service, and keeps the answer.
	between := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		operation := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		body, _ := io.ReadAll(r.Body)
		answer := service.Post(operation, string(body))
		if operation == "FECAESolicitar" {
			close(carried)
			<-release
		}
		caddytest.Answering(answer.Status, string(answer.Body))(w, r)
	})
	t.Cleanup(func() { close(release) })
	next := caddytest.ProxyTo(strings.TrimPrefix(between.URL, "http://"))
	first := caddytest.StartProcessIn(t, folder, "", next, append(caddytest.Exactly, fillsFive)...)
	abandoned := make(chan struct{})
	go func() {
		defer close(abandoned)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, first.URL+"/api/wsfev1/FECAESolicitar", strings.NewReader(lacking(caddytest.Invoice(1))))
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/json")
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_ = answer.Body.Close()
		}
	}()
	<-carried
	first.Kill()
	<-abandoned
	second := caddytest.StartProcessIn(t, folder, "", next, append(caddytest.Exactly, "fill CondicionIVAReceptorId from default 4")...)
	got := second.Post("FECAESolicitar", lacking(caddytest.Invoice(1)))
	if got.Header.Get("Wsfev1-Outcome") != "replayed" || got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	wantCondition(t, second.Site, 1, "5")
	second.End()
	records := caddytest.ReadStore(t, filepath.Join(folder, "audit.db"))
	if intents, outcomes := caddytest.Kinds(records); intents != 1 || outcomes != 1 {
		t.Errorf("%d intents, %d outcomes", intents, outcomes)
	}
	for _, r := range records {
		if r.Kind == audit.KindOutcome && r.Outcome != "recovered" {
			t.Errorf("%+v", r)
		}
	}
}
