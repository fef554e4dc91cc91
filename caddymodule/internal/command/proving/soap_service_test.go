package proving_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// twoGateways is a trail in front of a service that speaks SOAP: another gateway with the built-in
// one. It has an invoice of a client of JSON, and then one of a client of SOAP.
func twoGateways(t *testing.T) *caddytest.Site {
	t.Helper()
	s, behind := caddytest.NewSite(t), caddytest.FreeAddress(t)
	other := "http://" + behind + " {\n bind " + caddytest.Loopback + "\n wsfev1 {\n audit sqlite " + filepath.Join(t.TempDir(), "other.db") + "\n }\n" + caddytest.WithBackend(t) + "\n}\n"
	s.Load(s.Config(s.WithAudit(), "wsfev1_arca http://"+behind) + other)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != http.StatusOK || got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
	}
	if got := s.Call(soap.V12, "FECAESolicitar", caddytest.Invoice(2)); got.Status != http.StatusOK || !strings.Contains(string(got.Body), "<Resultado>A<") {
		t.Fatalf("%d\n%s", got.Status, got.Body)
	}
	return s
}

// TestTheServicesLegIsEvidence: the messages of a service that speaks SOAP stand beside the JSON, except
// the ones that the client's leg has already.
func TestTheServicesLegIsEvidence(t *testing.T) {
	s := twoGateways(t)
	records := s.Records()
	if len(records) != 4 {
		t.Fatalf("%d records", len(records))
	}
	json, both := records[1], records[3]
	if json.Client != nil || json.Service == nil || json.Service.Form != "soap11" || !strings.Contains(string(json.Service.Request), "<CbteDesde>1<") ||
		!strings.Contains(string(json.Service.Answer), "FECAESolicitarResult") || strings.Contains(string(json.Service.Request), caddytest.Token) {
		t.Errorf("of a client of JSON: %+v", json.Service)
	}
	if both.Client == nil || both.Service == nil || both.Service.Form != "soap12" || both.Service.RequestDigest != both.Client.RequestDigest ||
		both.Service.AnswerDigest != both.Client.AnswerDigest || len(both.Service.Request)+len(both.Service.Answer) > 0 {
		t.Errorf("of a client of SOAP: %+v\n%+v", both.Service, both.Client)
	}
	for address, want := range map[string][]string{
		"1": {"request to the service: text/xml; charset=utf-8 (soap11), ", "answer of the service: text/xml (soap11), ", "<CbteDesde>1</CbteDesde>"},
		"3": {"request of the client: ", "answer to the client: "},
	} {
		out := s.Show(address)
		for _, part := range want {
			if !strings.Contains(out, part) {
				t.Errorf("%s: %q is not in\n%s", address, part, out)
			}
		}
		if strings.Contains(out, "service: ") != (address == "1") || strings.Contains(out, caddytest.Token) {
			t.Errorf("%s:\n%s", address, out)
		}
	}
	got := caddytest.Response{Body: []byte(s.Show("1", "--format", "json"))}
	if form := got.At(t, "/service/form"); form != `"soap11"` {
		t.Errorf("%s\n%s", form, got.Body)
	}
}

// TestTheServicesLegIsVerified, in exports and in evidence, also by the other program.
func TestTheServicesLegIsVerified(t *testing.T) {
	s := twoGateways(t)
	folder := filepath.Join(t.TempDir(), "factura")
	if err := evidenceFor(s, folder); err != nil {
		t.Fatal(err)
	}
	export := caddytest.Exported(t, "sqlite:"+s.Store)
	key := caddytest.KeyOf(t, export)
	verifiedByBoth(t, key, folder, export)
	if page := filesOf(t, folder)["index.html"]; !strings.Contains(page, "Pedido al servicio (SOAP 1.1, text/xml; charset=utf-8)") || !strings.Contains(page, "service-answer.xml") {
		t.Errorf("the page does not show it")
	}
	for name, part := range map[string][2]string{"service-request.xml": {"<CbteDesde>1", "<CbteDesde>7"}, "service-answer.xml": {"<Resultado>A", "<Resultado>R"}} {
		forged := forge(t, folder, name, part[0], part[1])
		if said, sound := caddytest.Python(t, key, forged); sound || !strings.Contains(said, name) {
			t.Errorf("%s: verify.py: %s", name, said)
		}
		if out, _, err := caddytest.AuditCommand("verify", "--export", forged, "--key", key); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}
