package gateway_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// lastCall is a query of the last invoice of a series, which has none.
const lastCall = `{` + caddytest.AuthText + `,"PtoVta":1,"CbteTipo":6}`

// TestActionsThatContradictAreRefused, wherever they stand: programs on the way go by any of them.
func TestActionsThatContradictAreRefused(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	message := s.Message(soap.V12, "FECompUltimoAutorizado", lastCall)
	const right, other = `"` + soap.ActionPrefix + `FECompUltimoAutorizado"`, `"` + soap.ActionPrefix + `FEDummy"`
	for name, test := range map[string]struct {
		header    []string
		parameter string
		status    int
	}{
		"all the same":              {[]string{right, right}, right, 200},
		"none":                      {nil, "", 200},
		"one of them empty":         {[]string{`""`}, right, 200},
		"of the media type":         {[]string{right}, other, 500},
		"of the media type alone":   {nil, other, 500},
		"of the header":             {[]string{other}, right, 500},
		"of another of the headers": {[]string{right, other}, "", 500},
		"of the first header":       {[]string{other, right}, right, 500},
	} {
		got := s.Send(soap.V12, "", message, func(r *http.Request) {
			r.Header["Soapaction"] = test.header
			if test.parameter != "" {
				r.Header.Set("Content-Type", soap.V12.MediaType()+"; action="+test.parameter)
			}
		})
		if got.Status != test.status {
			t.Errorf("%s: %d, want %d\n%s", name, got.Status, test.status, got.Body)
		}
	}
}

// TestNoPieceOfACredentialInAnActionIsRepeated: an action longer than a name of the interface may
// be a piece of a Token. The fault is in the record.
func TestNoPieceOfACredentialInAnActionIsRepeated(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	message := s.Message(soap.V11, "FEDummy", `{}`)
	for _, piece := range []string{strings.Repeat("x", 33), "FEDummy" + strings.Repeat("Q0FFU29s", 5), "FE/Dummy", "FE+Dummy"} {
		for _, prefix := range []string{"", soap.ActionPrefix} {
			got := s.Send(soap.V11, "", message, func(r *http.Request) { r.Header.Set("SOAPAction", prefix+piece) })
			if got.Status != http.StatusInternalServerError || strings.Contains(string(got.Body), piece) {
				t.Errorf("%s%s: %d\n%s", prefix, piece, got.Status, got.Body)
			}
			if kept := s.Last().Client; strings.Contains(string(kept.Answer), piece) {
				t.Errorf("recorded %s", kept.Answer)
			}
		}
	}
	if got := s.Send(soap.V11, "FECAESolicitr", message); !strings.Contains(string(got.Body), soap.ActionPrefix+"FECAESolicitr.") {
		t.Errorf("a misspelled name: %s", got.Body)
	}
}

// spelledAs returns a message with amounts written in another way.
func spelledAs(message, total string) string {
	return strings.Replace(message, "<ImpTotal>121.00<", "<ImpTotal>"+total+"<", 1)
}

// TestOneInvoiceInAllFormsAtOnceIsIssuedOnce, however each of them spells the amounts.
func TestOneInvoiceInAllFormsAtOnceIsIssuedOnce(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
	for number := 1; number <= 25; number++ {
		body := caddytest.Invoice(number)
		sends := []func() caddytest.Response{
			func() caddytest.Response { return s.Post("FECAESolicitar", body) },
			func() caddytest.Response { return s.Post("FECAESolicitar", strings.Replace(body, "121.00", "121", 1)) },
			func() caddytest.Response {
				return s.Post("FECAESolicitar", strings.Replace(body, "121.00", "1.21e2", 1))
			},
		}
		for _, version := range soapVersions {
			for _, total := range []string{"121.00", "121", "1.21E2", "+121.0", "0121.00", "121.00000000000001", "120.99999999999999999"} {
				message := spelledAs(s.Message(version, "FECAESolicitar", body), total)
				sends = append(sends, func() caddytest.Response { return s.Send(version, "FECAESolicitar", message) })
			}
		}
		answers := make([]caddytest.Response, len(sends))
		var clients sync.WaitGroup
		for i, send := range sends {
			clients.Go(func() { answers[i] = send() })
		}
		clients.Wait()
		approved := 0
		for _, got := range answers {
			switch outcome := got.Header.Get("Wsfev1-Outcome"); outcome {
			case "approved":
				approved++
			case "replayed", "refused", "conflict":
			default:
				t.Errorf("invoice %d: %s, %d %s", number, outcome, got.Status, got.Body)
			}
		}
		if n := upstream.TimesAsked(number); n != 1 || approved != 1 {
			t.Errorf("invoice %d was sent %d times, and approved to %d clients", number, n, approved)
		}
	}
}

// TestAClientOfSOAPThatLeavesFindsItsInvoice, in whatever form it comes again.
func TestAClientOfSOAPThatLeavesFindsItsInvoice(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
	release := upstream.Hold(t, 1)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	message := s.Message(soap.V11, "FECAESolicitar", caddytest.Invoice(1))
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/wsfev1/service.asmx", strings.NewReader(message))
		if err == nil {
			r.Header.Set("Content-Type", "text/xml")
			_, err = caddytest.Try(r)
		}
		left <- err
	}()
	<-upstream.Arrived
	leave()
	if err := <-left; err == nil {
		t.Error("it has not left")
	}
	release()
	for _, face := range caddytest.Faces {
		if got := face.Post(s, "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" || upstream.TimesAsked(1) != 1 {
			t.Errorf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
		}
	}
}

// TestWhatXMLCannotHoldIsReplaced: JSON can hold characters that XML has not. The record has them.
func TestWhatXMLCannotHoldIsReplaced(t *testing.T) {
	for text, want := range map[string]string{
		`a\u0001b`: "a\uFFFDb", `\u0000`: "\uFFFD", `\uFFFE\uffff`: "\uFFFD\uFFFD", `]]>&<\"`: `]]>&<"`, `x\r\n\ty`: "x\r\n\ty", `\u007f\u0085`: "\u007f\u0085", "😀": "😀",
	} {
		upstream := caddytest.NewStub(t, caddytest.Answering(200, `{"Errors":{"Err":[{"Code":600,"Msg":"`+text+`"}]}}`))
		s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
		for _, version := range soapVersions {
			got := s.Call(version, "FECompUltimoAutorizado", lastCall)
			answer := parsed(t, "FECompUltimoAutorizado", got)
			if said := wsfev1.VerdictOf(answer.Body); got.Status != http.StatusOK || len(said.Codes) != 1 || !isWellFormed(got.Body) {
				t.Errorf("%q: %d %q", text, got.Status, got.Body)
			}
			if body := answer.Body.(*wsfev1.FECompUltimoAutorizadoAnswer); body.Errors.Err[0].Msg != want {
				t.Errorf("%q became %q, want %q", text, body.Errors.Err[0].Msg, want)
			}
			if kept := s.Last(); !strings.Contains(string(kept.Answer), text) {
				t.Errorf("%q is recorded as %s", text, kept.Answer)
			}
		}
	}
}

// isWellFormed reports whether package xml reads a document.
func isWellFormed(document []byte) bool {
	for d := xml.NewDecoder(bytes.NewReader(document)); ; {
		if _, err := d.Token(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// TestAnyAnswerTowardsSOAP: any answer but the operation's own becomes a fault. It never says
// that nothing was issued, for something may have been.
func TestAnyAnswerTowardsSOAP(t *testing.T) {
	var answering atomic.Pointer[http.HandlerFunc]
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) { (*answering.Load())(w, r) })
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "recover within 50ms")
	long := `{"FeCabResp":{"Resultado":"` + strings.Repeat("A\x01", 100_000) + `"}}`
	for i, body := range []string{
		"", "null", "[]", `"x"`, "{}", "1", "<html/>", `{"AppServer":"OK"}`, `{"CbteNro":1}`, caddytest.Approval[:200], caddytest.Approval + "x", "\xFF\xFE", `{"FeCabResp":"\xFF"}`, long,
		`{"FeCabResp":{"Resultado":"\ud800"}}`, `{"FeCabResp":{"Resultado":null},"FeDetResp":null}`, `{"FeDetResp":{"FECAEDetResponse":{}}}`, strings.Repeat("[", 100_000),
	} {
		for j, status := range []int{200, 204, 302, 404, 500} {
			if j > 0 && j-1 != i%4 && testrun.Factor(t) < 1 {
				continue // each body comes with success, and with another status in turn
			}
			answer := body
			if status == http.StatusNoContent {
				answer = ""
			}
			next := caddytest.Answering(status, answer)
			answering.Store(&next)
			message := strings.Replace(caddytest.Invoice(1), "20111111112", caddytest.IssuerOf(2*(10*i+status/100)).String(), 1)
			got := s.Call(soap.V11, "FECAESolicitar", message)
			fault := parsed(t, "FECAESolicitar", got).Fault
			if got.Status != http.StatusInternalServerError || fault == nil || fault.Code == soap.Client && status == 200 || !isWellFormed(got.Body) || got.Header.Get("Wsfev1-Record") == "" {
				t.Errorf("%d %.60q: %d %v\n%.500s", status, answer, got.Status, got.Header, got.Body)
			}
		}
	}
}
