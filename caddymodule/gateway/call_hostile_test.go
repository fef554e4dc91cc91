package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/caddytest"
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

// TestNoPieceOfACredentialInAnActionIsRepeated: what is longer than a name of the interface may be
// a piece of a Token. The fault is in the record.
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
