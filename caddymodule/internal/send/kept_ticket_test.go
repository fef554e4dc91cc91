package send

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// checkWithAuth checks that a request that is accepted but for its ticket gets one, and stays what it
// was. It reports whether it is such a request.
func checkWithAuth(t *testing.T, op *wsfev1.Operation, body []byte) bool {
	t.Helper()
	request, findings := validate.Decode(op, body, validate.ARCA)
	if findings = slices.DeleteFunc(findings, validate.LacksTicket); len(findings) > 0 {
		return false
	}
	before := slices.Clone(body)
	auth := wsfev1.Auth{Token: `t+/="<&\`, Sign: "s", Cuit: wsfev1.AuthOf(request.Body).Cuit}
	with, err := withAuth(body, auth)
	if err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	if string(body) != string(before) {
		t.Fatalf("%q has become %q", before, body)
	}
	again, findings := validate.Decode(op, with, validate.ARCA)
	if len(findings) > 0 {
		t.Fatalf("%q has become %q: %v", body, with, findings)
	}
	if want := wsfev1.WithAuth(request.Body, auth); !reflect.DeepEqual(again.Body, want) {
		t.Fatalf("%q has become %q", body, with)
	}
	return true
}

// TestATicketGoesWhereAuthIs, however that is written.
func TestATicketGoesWhereAuthIs(t *testing.T) {
	op := wsfev1.OperationByName("FECompUltimoAutorizado")
	for body, accepted := range map[string]bool{
		`{"Auth":{"Cuit":20111111112},"PtoVta":1,"CbteTipo":6}`:                                     true,
		" \t\r\n{ \"PtoVta\" : 1 ,\n\"CbteTipo\":6 , \"Auth\" : { \"Cuit\" : 20111111112 } }\n ":    true,
		`{"PtoVta":1,"CbteTipo":6,"\u0041uth":{"Cuit":20111111112,"\u0054oken":""}}`:                true,
		`{"Auth":{"Token":"","Sign":"","Cuit":20111111112},"PtoVta":1,"CbteTipo":6}`:                true,
		`{"Auth":{"Token":"x","Sign":"y","Cuit":20111111112},"PtoVta":1,"CbteTipo":6}`:              true,
		`{"Auth":{"Cuit":20111111112},"Auth":{"Cuit":30500010912},"PtoVta":1,"CbteTipo":6}`:         false,
		`{"Auth":{"Cuit":20111111112,"Cuit":30500010912},"PtoVta":1,"CbteTipo":6}`:                  false,
		`{"Auth":{"Cuit":20111111112},"\u0041uth":{"Cuit":30500010912},"PtoVta":1,"CbteTipo":6}`:    false,
		`{"Auth":{"Cuit":20111111112},"auth":{"Cuit":30500010912},"PtoVta":1,"CbteTipo":6}`:         false,
		`{"Auth":null,"PtoVta":1,"CbteTipo":6}`:                                                     false,
		`{"Auth":[],"PtoVta":1,"CbteTipo":6}`:                                                       false,
		`{"PtoVta":1,"CbteTipo":6}`:                                                                 false,
		"\ufeff" + `{"Auth":{"Cuit":20111111112},"PtoVta":1,"CbteTipo":6}`:                          false,
		`{"Auth":{"Cuit":20111111112},"PtoVta":1,"CbteTipo":6}{}`:                                   false,
		`{"PtoVta":{"Auth":{"Cuit":30500010912}},"Auth":{"Cuit":20111111112},"CbteTipo":6}`:         false,
		"{\"Auth\":{\"Cuit\":20111111112},\"PtoVta\":1,\"CbteTipo\":6,\"x\":\"\xff\"}":              false,
		`{"Auth":{"Cuit":20111111112},"PtoVta":1,"CbteTipo":6}` + strings.Repeat(" ", 1<<20):        true,
		`{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `,"Auth":{"Cuit":1}}`: false,
	} {
		if checkWithAuth(t, op, []byte(body)) != accepted {
			t.Errorf("%.200q: accepted %v", body, !accepted)
		}
	}
}

// FuzzWithAuth: every request that the decoder accepts gets a ticket, and nothing else of it changes.
func FuzzWithAuth(f *testing.F) {
	op := wsfev1.OperationByName("FECompUltimoAutorizado")
	for _, body := range []string{
		`{"Auth":{"Cuit":20111111112},"PtoVta":1,"CbteTipo":6}`, `{ "PtoVta":1,"CbteTipo":6,"\u0041uth" : {"Token":"","Sign":null,"Cuit":20111111112} } `,
		`{"Auth":{"Cuit":20111111112},"Auth":{},"PtoVta":1,"CbteTipo":6}`, `{"Auth":{"Cuit":20111111112},"PtoVta":1,"CbteTipo":6,"x":{"Auth":"\ud800"}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkWithAuth(t, op, body) })
}
