package gateway_test

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

var soapVersions = []soap.Version{soap.V11, soap.V12}

// parsed reads an answer in SOAP, which must be of its operation's shape.
func parsed(t *testing.T, operation string, got caddytest.Response) *soap.Answer {
	t.Helper()
	answer, err := soap.Parse(wsfev1.OperationByName(operation), got.Body, "")
	if err != nil || len(answer.Findings) > 0 {
		t.Fatalf("%d %v: %v %+v\n%s", got.Status, got.Header, err, answer, got.Body)
	}
	return answer
}

// issued returns the CAE of an answer with one approved invoice.
func issued(t *testing.T, got caddytest.Response) string {
	t.Helper()
	answer := parsed(t, "FECAESolicitar", got)
	body, ok := answer.Body.(*wsfev1.FECAESolicitarAnswer)
	if !ok || got.Status != http.StatusOK || body.FeCabResp == nil || body.FeCabResp.Resultado != "A" {
		t.Fatalf("%d\n%s", got.Status, got.Body)
	}
	return wsfev1.VerdictOf(body).Invoices[0].Code
}

// TestClientsOfSOAPIssue through the same gateway as clients of JSON, and a repeat is a repeat in
// whatever form it comes.
func TestClientsOfSOAPIssue(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "replay on", "recover within 5s")
	codes := map[string]string{}
	for i, version := range soapVersions {
		got := s.Call(version, "FECAESolicitar", caddytest.Invoice(i+1))
		if got.Header.Get("Content-Type") != version.MediaType() || got.Header.Get("Wsfev1-Outcome") != "approved" || got.Header.Get("Wsfev1-Record") == "" {
			t.Errorf("%s: %v", version, got.Header)
		}
		codes[version.String()] = issued(t, got)
		for _, again := range soapVersions {
			repeat := s.Call(again, "FECAESolicitar", caddytest.Invoice(i+1))
			if repeat.Header.Get("Wsfev1-Outcome") != "replayed" || issued(t, repeat) != codes[version.String()] {
				t.Errorf("%s after %s: %v\n%s", again, version, repeat.Header, repeat.Body)
			}
		}
		repeat := s.Post("FECAESolicitar", caddytest.Invoice(i+1))
		if repeat.Header.Get("Wsfev1-Outcome") != "replayed" || !strings.Contains(string(repeat.Body), codes[version.String()]) {
			t.Errorf("JSON after %s: %v\n%s", version, repeat.Header, repeat.Body)
		}
	}
	first := s.Post("FECAESolicitar", caddytest.Invoice(3))
	repeat := s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(3))
	if code := issued(t, repeat); repeat.Header.Get("Wsfev1-Outcome") != "replayed" || !strings.Contains(string(first.Body), code) {
		t.Errorf("SOAP after JSON: %v\n%s", repeat.Header, repeat.Body)
	}
	intents, outcomes := caddytest.Kinds(s.Records())
	if intents != 3 || outcomes != 3 {
		t.Errorf("%d intents and %d outcomes of three invoices", intents, outcomes)
	}
}

// TestRecordOfACallHasBothForms: the exchange in JSON, and the bytes of the client without its
// credentials.
func TestRecordOfACallHasBothForms(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	message := s.Message(soap.V12, "FECAESolicitar", caddytest.Invoice(1))
	got := s.Send(soap.V12, "FECAESolicitar", message)
	issued(t, got)
	records := s.Records()
	if len(records) != 2 {
		t.Fatalf("%d records", len(records))
	}
	intent, outcome := records[0], records[1]
	for _, r := range records {
		if r.Client == nil || r.Client.Form != audit.FormSOAP12 || r.Client.RequestLength != int64(len(message)) {
			t.Fatalf("%s: %+v", r.Kind, r.Client)
		}
	}
	if string(outcome.Client.Answer) != string(got.Body) || !strings.HasPrefix(string(outcome.Answer), `{"FeCabResp"`) {
		t.Errorf("%s\n%s", outcome.Client.Answer, outcome.Answer)
	}
	if !strings.HasPrefix(string(intent.Request), `{"Auth"`) || len(outcome.Request)+len(outcome.Client.Request) != 0 {
		t.Errorf("%s", intent.Request)
	}
	kept := string(intent.Client.Request)
	if strings.Contains(kept, caddytest.Token) || strings.Contains(kept, caddytest.Sign) || !strings.Contains(kept, "<Token>hmac-sha256:") {
		t.Errorf("%s", kept)
	}
	if restored := strings.NewReplacer(textBetween(kept, "<Token>", "<"), caddytest.Token, textBetween(kept, "<Sign>", "<"), caddytest.Sign).Replace(kept); restored != message {
		t.Errorf("%s\n%s", restored, message)
	}
}

// textBetween returns what stands after one text and before another.
func textBetween(text, after, before string) string {
	_, rest, _ := strings.Cut(text, after)
	inner, _, _ := strings.Cut(rest, before)
	return inner
}

// TestCallsThatAreNone are answered as the service answers them.
func TestCallsThatAreNone(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	message := s.Message(soap.V11, "FECompUltimoAutorizado", `{`+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
	for name, test := range map[string]struct {
		action, message string
		status          int
		want            string
	}{
		"no action":       {"", message, 200, "<CbteNro>0</CbteNro>"},
		"unknown action":  {"FEXXX", message, 500, "Server did not recognize the value of HTTP Header SOAPAction: " + soap.ActionPrefix + "FEXXX."},
		"another action":  {"FEDummy", message, 500, "SOAPAction nombra una operación"},
		"empty body":      {"FEDummy", strings.ReplaceAll(message, textBetween(message, "<soap:Body>", "</soap:Body>"), ""), 200, "<AppServer>OK</AppServer>"},
		"cut":             {"FECompUltimoAutorizado", message[:len(message)-40], 400, ""},
		"not XML":         {"FECompUltimoAutorizado", "hello", 400, ""},
		"text in a count": {"FECompUltimoAutorizado", strings.Replace(message, "<PtoVta>1<", "<PtoVta>uno<", 1), 500, "System.FormatException: Input string was not in a correct format."},
		"too large":       {"FECompUltimoAutorizado", strings.Replace(message, "<PtoVta>1<", "<PtoVta>2147483648<", 1), 500, "Value was either too large or too small for an Int32."},
		"no count":        {"FECompUltimoAutorizado", strings.Replace(message, "<PtoVta>1</PtoVta>", "", 1), 200, "<Errors><Err><Code>"},
		"no Auth":         {"FECompUltimoAutorizado", strings.ReplaceAll(message, "Auth>", "Aut>"), 200, "<Code>500</Code><Msg>Campo Auth no fue ingresado o esta mal formado.</Msg>"},
		"another member":  {"FECompUltimoAutorizado", strings.Replace(message, "<PtoVta>", "<Extra>9</Extra><PtoVta>", 1), 200, "<CbteNro>0</CbteNro>"},
		"twice":           {"FECompUltimoAutorizado", strings.Replace(message, "<PtoVta>", "<PtoVta>1</PtoVta><PtoVta>", 1), 500, "shape.duplicate /PtoVta: "},
		"a document type": {"FECompUltimoAutorizado", `<!DOCTYPE a>` + strings.TrimPrefix(message, `<?xml version="1.0" encoding="utf-8"?>`), 400, ""},
	} {
		got := s.Send(soap.V11, test.action, test.message)
		if got.Status != test.status || !strings.Contains(string(got.Body), test.want) || test.want == "" && len(got.Body) > 0 {
			t.Errorf("%s: %d, want %d with %q\n%s", name, got.Status, test.status, test.want, got.Body)
		}
		if got.Header.Get("Wsfev1-Record") == "" {
			t.Errorf("%s: %v", name, got.Header)
		}
	}
	for _, r := range s.Records() {
		for _, text := range []string{string(r.Client.Request), string(r.Client.Answer), string(r.Request)} {
			if strings.Contains(text, caddytest.Token) {
				t.Errorf("record %d keeps a Token: %s", r.Index, text)
			}
		}
	}
}

// TestRecordOfAFaultIsWithoutItsAddress, which is known only when the record is durable.
func TestRecordOfAFaultIsWithoutItsAddress(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	for _, version := range soapVersions {
		message := s.Message(version, "FECompUltimoAutorizado", `{`+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`)
		got := s.Send(version, "FECompUltimoAutorizado", strings.Replace(message, "<PtoVta>1<", "<PtoVta>uno<", 1))
		body := string(got.Body)
		own := `<Record xmlns="` + soap.FaultNamespace + `">` + got.Header.Get("Wsfev1-Record") + `</Record>`
		kept := s.Last().Client
		if sent := strings.Replace(body, own, "", 1); sent == body || sent != string(kept.Answer) ||
			kept.AnswerLength != int64(len(sent)) || kept.AnswerDigest != sha256.Sum256([]byte(sent)) {
			t.Errorf("%s\n%s", body, kept.Answer)
		}
		if !strings.Contains(body, "<Code>shape.kind</Code><Pointer>/PtoVta</Pointer><Path>/Envelope/Body/FECompUltimoAutorizado/PtoVta</Path>") {
			t.Errorf("%s", body)
		}
	}
}

// TestRefusalsTowardsSOAP: by a rule an answer of the service's own shape, otherwise a fault.
func TestRefusalsTowardsSOAP(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "cuits 20111111112")
	wrong := strings.Replace(caddytest.Invoice(1), "121.00", "122.00", 1)
	for _, version := range soapVersions {
		got := s.Call(version, "FECAESolicitar", wrong)
		answer := parsed(t, "FECAESolicitar", got).Body.(*wsfev1.FECAESolicitarAnswer)
		if got.Status != http.StatusOK || answer.FeCabResp.Resultado != "R" || !strings.Contains(string(got.Body), "<Code>10048</Code>") {
			t.Errorf("%s: %d\n%s", version, got.Status, got.Body)
		}
		foreign := strings.ReplaceAll(caddytest.Invoice(1), "20111111112", "30000000007")
		got = s.Call(version, "FECAESolicitar", foreign)
		if fault := parsed(t, "FECAESolicitar", got).Fault; got.Status != http.StatusInternalServerError || fault == nil || fault.Code != soap.Client || !strings.HasPrefix(fault.Text, "http.cuit: ") {
			t.Errorf("%s: %d\n%s", version, got.Status, got.Body)
		}
	}
}

// TestOtherTroubleIsAFault, with HTTP 500 and never an answer that says that nothing was issued.
func TestOtherTroubleIsAFault(t *testing.T) {
	for name, test := range map[string]struct {
		next string
		want string
	}{
		"not sent": {"reverse_proxy " + caddytest.FreeAddress(t), "upstream.not_sent: "},
		"a page":   {"respond <html> 200", "upstream."},
	} {
		s := caddytest.Start(t, test.next)
		for _, operation := range []string{"FECAESolicitar", "FECompUltimoAutorizado"} {
			body := caddytest.Invoice(1)
			if operation != "FECAESolicitar" {
				body = `{` + caddytest.AuthText + `,"PtoVta":1,"CbteTipo":6}`
			}
			got := s.Call(soap.V11, operation, body)
			fault := parsed(t, operation, got).Fault
			if got.Status != http.StatusInternalServerError || fault == nil || fault.Code != soap.Server || !strings.HasPrefix(fault.Text, test.want) {
				t.Errorf("%s, %s: %d\n%s", name, operation, got.Status, got.Body)
			}
		}
	}
}

// TestSOAPCanBeTurnedOff, and then the address is none of the interface.
func TestSOAPCanBeTurnedOff(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "soap off")
	got := s.Call(soap.V11, "FEDummy", `{}`)
	caddytest.CheckErrorBody(t, got, http.StatusNotFound, "http.operation")
}
