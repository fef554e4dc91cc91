package mask_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

func TestTextIsKeptUnlessItHoldsAPartOfACredential(t *testing.T) {
	r := redactor()
	for _, text := range []string{"", "A", "86470000000001", "dial tcp: connection refused", aToken[:11], strings.Repeat("x", 4000)} {
		if got := r.Text(text, aToken, aSign, "", "short"); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{
		aToken, aSign, "malformed: " + aToken[5:20], fmt.Sprintf("%q", `{"Token":"`+strings.ReplaceAll(aToken, "/", `\/`)+`"}`),
		strings.Repeat("x", 4000) + aSign, "eight ch",
	} {
		if got := r.Text(text, aToken, aSign, "eight ch"); got != r.Fingerprint([]byte(text)) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestPointerNamesMembersButNoCredentials(t *testing.T) {
	r := redactor()
	for pointer, want := range map[string]string{
		"":                           "",
		"/FeCAEReq/FeCabReq/CantReg": "/FeCAEReq/FeCabReq/CantReg",
		"/Auth/Tokn":                 "/Auth/Tokn",
		"/Envelope/Body/FECAEASinMovimientoConsultarResponse/x[1]": "/Envelope/Body/FECAEASinMovimientoConsultarResponse/x[1]",
		"/a~1b~0c/0": "/a~1b~0c/0",
		"/Auth/" + strings.ReplaceAll(aToken, "/", "~1"):     "/Auth/" + r.Fingerprint([]byte(aToken)),
		"/" + strings.ReplaceAll(aSign, "/", "~1") + "/X":    "/" + r.Fingerprint([]byte(aSign)) + "/X",
		"/Auth/" + strings.Repeat("z", 33):                   "/Auth/" + r.Fingerprint([]byte(strings.Repeat("z", 33))),
		"/Auth/" + aSign[12:] + "…":                          "/Auth/" + r.Fingerprint([]byte(aSign[12:]+"…")),
		"/Auth/" + strings.Repeat("z", 32) + "/1/Más de uno": "/Auth/" + strings.Repeat("z", 32) + "/1/Más de uno",
	} {
		if got := r.Pointer(pointer, aSign); got != want {
			t.Errorf("%s became %s, want %s", pointer, got, want)
		}
	}
}

// TestEveryNameOfTheInterfaceIsKept: a name that is longer than the bound would be
// replaced in every record.
func TestEveryNameOfTheInterfaceIsKept(t *testing.T) {
	var visit func(*wsfev1.Shape)
	visit = func(s *wsfev1.Shape) {
		for _, m := range s.Members {
			body := fmt.Sprintf(`{%q:null}`, m.Name)
			if got, _ := redactor().Body([]byte(body)); string(got) != body {
				t.Errorf("%s became %s", body, got)
			}
			if inner := m.Shape; inner.Kind == wsfev1.KindList {
				visit(inner.Item)
			} else {
				visit(inner)
			}
		}
	}
	for _, op := range wsfev1.Operations {
		visit(op.Request)
		visit(op.Answer)
	}
}

// FuzzRedact: for any body, the result is JSON and does not hold the credential, wherever it stood.
func FuzzRedact(f *testing.F) {
	const secret = "7hPqR0-a-secret-of-the-fuzz"
	for _, seed := range []string{
		`{"Auth":{"Token":"$","Sign":"$","Cuit":20111111112}}`, `{"Auth":["$"]}`, `{"Msg":"a\u002b$"}`, `{"$":{"$":"$"}}`, `"$"`,
		"\ufeff{}", "{\"a\":\"\xff$\"}", `{"Token":1,"Token":2}`, `[[[[]]]] `,
	} {
		f.Add([]byte(seed))
	}
	r := redactor()
	f.Fuzz(func(t *testing.T, body []byte) {
		body = bytes.ReplaceAll(body, []byte("$"), []byte(secret))
		got, ok := r.Body(body, secret)
		if !ok {
			return
		}
		if !jsontext.Value(got).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("%q became %q, which is no JSON", body, got)
		}
		if bytes.Contains(got, []byte(secret)) {
			t.Errorf("%q became %q", body, got)
		}
		if again, ok := r.Body(got, secret); !ok || len(again) == 0 {
			t.Errorf("%q cannot be read again", got)
		}
	})
}
