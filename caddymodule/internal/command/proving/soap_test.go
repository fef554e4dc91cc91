package proving_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// latin1 is the type of the request of soapTrail: the message itself does not name its encoding.
const latin1 = "text/xml; charset=iso-8859-1"

// soapTrail is a trail with one invoice that was issued over SOAP, in a message of ISO-8859-1 with an
// element that the interface does not have. kept is the message as the record holds it.
func soapTrail(t *testing.T) (s *caddytest.Site, kept string) {
	t.Helper()
	s = caddytest.Start(t, caddytest.WithBackend(t))
	_, message, _ := strings.Cut(s.Message(soap.V11, "FECAESolicitar", caddytest.Invoice(1)), "?>")
	message = strings.Replace(message, "<Concepto>", "<Nota>\xd1and\xfa</Nota><Concepto>", 1)
	got := s.Send(soap.V11, "FECAESolicitar", message, func(r *http.Request) { r.Header.Set("Content-Type", `Text/XML;charset="ISO-8859-1"`) })
	if got.Status != http.StatusOK || !strings.Contains(string(got.Body), "<Resultado>A<") {
		t.Fatalf("%d\n%s", got.Status, got.Body)
	}
	return s, string(s.Records()[0].Client.Request)
}

// TestShowReadsAMessageByItsMediaType, and names what was ignored in both forms.
func TestShowReadsAMessageByItsMediaType(t *testing.T) {
	s, kept := soapTrail(t)
	if !strings.Contains(kept, "<Nota>\xd1and\xfa</Nota>") || strings.Contains(kept, caddytest.Token) {
		t.Fatalf("%s", kept)
	}
	out := s.Show("0")
	for _, want := range []string{
		"request of the client: " + latin1 + " (soap11), ", "<Nota>Ñandú</Nota>", "answer to the client: text/xml (soap11), ",
		"shape.unknown OBS observe /FeCAEReq/FeDetReq/FECAEDetRequest/0/Nota /Envelope/Body/FECAESolicitar/FeCAEReq/FeDetReq/FECAEDetRequest[1]/Nota\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if raw := s.Show("0", "--raw"); !strings.Contains(raw, "<Nota>\xd1and\xfa</Nota>") {
		t.Errorf("%s", raw)
	}
	if n := s.Metric(`wsfev1_findings_total{action="observe",code="shape.unknown"}`); n == "" || n == "0" {
		t.Errorf("findings: %q", n)
	}
}

// TestHalvesOfSOAPAreShownAsThoseOfJSON: the request stands with the outcome, once.
func TestHalvesOfSOAPAreShownAsThoseOfJSON(t *testing.T) {
	s, _ := soapTrail(t)
	search, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--kind", "outcome", "--format", "json")
	if err != nil {
		t.Fatal(err)
	}
	for name, object := range map[string]string{"show": s.Show("1", "--format", "json"), "search": search} {
		got := caddytest.Response{Body: []byte(object)}
		if request := got.At(t, "/client/request"); !strings.Contains(request, `<Nota>Ñandú</Nota>`) {
			t.Errorf("%s: %s", name, request)
		}
		if answer, media := got.At(t, "/client/answer"), got.At(t, "/client/media_type"); !strings.Contains(answer, "FECAESolicitarResult") || media != `"`+latin1+`"` {
			t.Errorf("%s: %s, %s", name, media, answer)
		}
		if name == "show" && (got.At(t, "/other_half/client/request") != "" || got.At(t, "/other_half/request") != "") {
			t.Errorf("the request is there twice: %s", object)
		}
	}
	intent := caddytest.Response{Body: []byte(s.Show("0", "--format", "json"))}
	if answer := intent.At(t, "/other_half/client/answer"); !strings.Contains(answer, "FECAESolicitarResult") {
		t.Errorf("%s", intent.Body)
	}
}

// TestEvidenceOfSOAP has the bytes of the client beside the JSON, a page on which people can read
// them, and is verified with them.
func TestEvidenceOfSOAP(t *testing.T) {
	s, kept := soapTrail(t)
	folder := filepath.Join(t.TempDir(), "factura")
	if err := evidenceFor(s, folder); err != nil {
		t.Fatal(err)
	}
	message, err := os.ReadFile(onlyFile(t, folder, "client-request.xml"))
	if err != nil || string(message) != kept {
		t.Errorf("%v\n%s", err, message)
	}
	answer, err := os.ReadFile(onlyFile(t, folder, "client-answer.xml"))
	if err != nil || !bytes.Contains(answer, []byte("FECAESolicitarResult")) {
		t.Errorf("%v\n%s", err, answer)
	}
	page := filesOf(t, folder)["index.html"]
	for _, want := range []string{
		"Pedido (application/json)", "Pedido del cliente (SOAP 1.1, " + latin1 + ")", "Respuesta al cliente (SOAP 1.1, text/xml)", "&lt;Nota&gt;Ñandú&lt;/Nota&gt;\n",
		"/Envelope/Body/FECAESolicitar/FeCAEReq/FeDetReq/FECAEDetRequest[1]/Nota", "client-request.xml", "Respuesta al cliente</th><td>SOAP 1.1, text/xml: ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	key := caddytest.KeyOf(t, caddytest.Exported(t, "sqlite:"+s.Store))
	verifiedByBoth(t, key, folder)
	for name, part := range map[string][2]string{"client-request.xml": {"\xd1", "\xd2"}, "client-answer.xml": {"<Resultado>A", "<Resultado>R"}} {
		forged := forge(t, folder, name, part[0], part[1])
		if out, _, err := caddytest.AuditCommand("verify", "--export", forged, "--key", key); err == nil || !strings.Contains(out, name+" is not what the record holds") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if said, sound := caddytest.Python(t, key, forged); sound || !strings.Contains(said, name) {
			t.Errorf("%s: verify.py: %s", name, said)
		}
	}
}

// TestExportsOfSOAPAreVerified, with the media type of the client, by both programs.
func TestExportsOfSOAPAreVerified(t *testing.T) {
	s, _ := soapTrail(t)
	folder := caddytest.Exported(t, "sqlite:"+s.Store)
	key := caddytest.KeyOf(t, folder)
	for name, text := range filesOf(t, folder) {
		if strings.HasSuffix(name, ".jsonl") && strings.Contains(text, `"client"`) && !strings.Contains(text, `"request_media_type":"`+latin1+`"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	verifiedByBoth(t, key, folder)
}
