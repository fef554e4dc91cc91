package mask_test

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/mask"
)

const (
	aToken = "PD94bWwgdmVyc2lvbj0iMS4wIj8+/dG9rZW4="
	aSign  = "c2lnbi9vZg+/c29tZWJvZHk="
)

func redactor() *mask.Redactor { return mask.NewRedactor([]byte("a key of the tests")) }

// mark is the fingerprint of a text, quoted.
func mark(secret string) string { return `"` + redactor().Fingerprint([]byte(secret)) + `"` }

func TestFingerprintIsTheSameForTheSameSecretAndKeyOnly(t *testing.T) {
	first := redactor().Fingerprint([]byte(aToken))
	if again := redactor().Fingerprint([]byte(aToken)); again != first {
		t.Errorf("%s, then %s", first, again)
	}
	if other := mask.NewRedactor([]byte("another key")).Fingerprint([]byte(aToken)); other == first {
		t.Error("another key gives the same fingerprint")
	}
	if other := redactor().Fingerprint([]byte(aSign)); other == first {
		t.Error("another secret gives the same fingerprint")
	}
	if hexadecimal, found := strings.CutPrefix(first, "hmac-sha256:"); !found || len(hexadecimal) != 32 {
		t.Errorf("form %s", first)
	}
}

func TestRedactorKeepsACopyOfItsKey(t *testing.T) {
	key := []byte("a key")
	r := mask.NewRedactor(key)
	first := r.Fingerprint([]byte(aToken))
	key[0]++
	if r.Fingerprint([]byte(aToken)) != first {
		t.Error("the caller can change the key")
	}
}

// TestBodyReplacesCredentialsAndNothingElse: what comes out is written out here.
func TestBodyReplacesCredentialsAndNothingElse(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing to replace", " {\"A\" : 1.50,\t\"B\":[ ]}\n", " {\"A\" : 1.50,\t\"B\":[ ]}\n"},
		{
			"all other bytes stay", "{ \"Auth\" :{\"Token\": \"t\" ,\n\"Sign\":\"s\",\"Cuit\":20111111112}, \"X\":1.00e0}",
			"{ \"Auth\" :{\"Token\": " + mark("t") + " ,\n\"Sign\":" + mark("s") + ",\"Cuit\":20111111112}, \"X\":1.00e0}",
		},
		{"odd case", `{"auth":{"TOKEN":"t","sIGN":"s","CUIT":1}}`, `{"auth":{"TOKEN":` + mark("t") + `,"sIGN":` + mark("s") + `,"CUIT":1}}`},
		{"outside of Auth", `{"Token":"t","X":{"Y":[{"Sign":"s"}]}}`, `{"Token":` + mark("t") + `,"X":{"Y":[{"Sign":` + mark("s") + `}]}}`},
		{"twice", `{"Token":"a","Token":"b"}`, `{"Token":` + mark("a") + `,"Token":` + mark("b") + `}`},
		{"escapes in the name", `{"\u0054oken":"t","A\u0075th":"x"}`, `{"\u0054oken":` + mark("t") + `,"A\u0075th":` + mark("x") + `}`},
		{"escapes in the value", `{"Token":"a\/\u0062"}`, `{"Token":` + mark("a/b") + `}`},
		{"unknown members of Auth", `{"Auth":{"Tokn":"t","More":{"Deep":["a",1,true,null]}}}`, `{"Auth":{"Tokn":` + mark("t") +
			`,"More":{"Deep":[` + mark("a") + `,` + mark("1") + `,` + mark("true") + `,null]}}}`},
		{"Auth is a text", `{"Auth":"t"}`, `{"Auth":` + mark("t") + `}`},
		{"Auth is a list", `{"Auth":["t",{"Cuit":1}]}`, `{"Auth":[` + mark("t") + `,{"Cuit":` + mark("1") + `}]}`},
		{"Token is a number", `{"Token":12345678901234567890}`, `{"Token":` + mark("12345678901234567890") + `}`},
		{"Token is a list", `{"Token":["a",{"b":"c"}]}`, `{"Token":[` + mark("a") + `,{"b":` + mark("c") + `}]}`},
		{"Token is null", `{"Token":null,"Sign":{}}`, `{"Token":null,"Sign":{}}`},
		{"Cuit in Auth is a short text", `{"Auth":{"Cuit":"20-11111111-2"}}`, `{"Auth":{"Cuit":"20-11111111-2"}}`},
		{"Cuit in Auth is no CUIT", `{"Auth":{"Cuit":"` + aToken + `"}}`, `{"Auth":{"Cuit":` + mark(aToken) + `}}`},
		{"Cuit elsewhere is any text", `{"Cuit":"the one of the other voucher"}`, `{"Cuit":"the one of the other voucher"}`},
		{"a name too long", `{"` + strings.Repeat("n", 33) + `":1}`, `{` + mark(strings.Repeat("n", 33)) + `:1}`},
		{"a list in place of an object", `["a",{"b":1},null]`, `[` + mark("a") + `,{"b":` + mark("1") + `},null]`},
		{"a text in place of an object", ` "a" `, ` ` + mark("a") + ` `},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := []byte(test.in)
			got, ok := redactor().Body(in)
			if !ok || string(got) != test.want {
				t.Errorf("%v\n got %s\nwant %s", ok, got, test.want)
			}
			if string(in) != test.in {
				t.Error("the body was changed in its place")
			}
		})
	}
}

func TestBodyReplacesEchoes(t *testing.T) {
	escaped := strings.NewReplacer("/", `\/`, "+", `\u002b`).Replace(aToken)
	encoded := func(before string) string {
		return base64.StdEncoding.EncodeToString([]byte(before + `"Token":"` + aToken + `"}`))
	}
	for _, test := range []struct{ name, in, want string }{
		{"whole text", `{"Msg":"` + aToken + `"}`, `{"Msg":` + mark(aToken) + `}`},
		{"part of a text", `{"Msg":"bad: ` + aSign + `!"}`, `{"Msg":` + mark("bad: "+aSign+"!") + `}`},
		{"escaped", `{"Msg":"` + escaped + `"}`, `{"Msg":` + mark(aToken) + `}`},
		{"a name", `{"` + aSign + `":1}`, `{` + mark(aSign) + `:1}`},
		{"in a list", `{"X":[["` + aSign + `"]]}`, `{"X":[[` + mark(aSign) + `]]}`},
		{"cut off at the end", `{"X":"` + aToken[:20] + `…"}`, `{"X":` + mark(aToken[:20]+"…") + `}`},
		{"cut off at the beginning", `{"X":"…` + aToken[10:] + `"}`, `{"X":` + mark("…"+aToken[10:]) + `}`},
		{"the middle", `{"X":"` + aToken[8:22] + `"}`, `{"X":` + mark(aToken[8:22]) + `}`},
		{"percent-encoded", `{"X":"` + url.QueryEscape(aToken) + `"}`, `{"X":` + mark(url.QueryEscape(aToken)) + `}`},
		{"in base64", `{"X":"got ` + encoded("") + `"}`, `{"X":` + mark("got "+encoded("")) + `}`},
		{"in base64, one byte further", `{"X":"` + encoded("{") + `"}`, `{"X":` + mark(encoded("{")) + `}`},
		{"in base64, two bytes further", `{"X":"` + encoded(" {") + `"}`, `{"X":` + mark(encoded(" {")) + `}`},
		{"something else in base64", `{"X":"` + encoded("")[:12] + strings.Repeat("QUJD", 9) + `"}`, `{"X":"` + encoded("")[:12] + strings.Repeat("QUJD", 9) + `"}`},
		{"the middle as a name", `{"` + aToken[8:22] + `":1}`, `{` + mark(aToken[8:22]) + `:1}`},
		{"another text", `{"X":"` + aToken[:8] + `"}`, `{"X":"` + aToken[:8] + `"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := redactor().Body([]byte(test.in), aToken, aSign)
			if !ok || string(got) != test.want {
				t.Errorf("%v\n got %s\nwant %s", ok, got, test.want)
			}
		})
	}
}

// TestShortCredentialsAreNoEchoes: what occurs everywhere by chance stays.
func TestShortCredentialsAreNoEchoes(t *testing.T) {
	const body = `{"Msg":"a short one"}`
	for _, credential := range []string{"", "a", "short"} {
		if got, ok := redactor().Body([]byte(body), credential); !ok || string(got) != body {
			t.Errorf("%q: %v %s", credential, ok, got)
		}
	}
	got, _ := redactor().Body([]byte(`{"Token":"a"}`), "a")
	if want := `{"Token":` + mark("a") + `}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestInspectedIsBody: the short way leads to the same place, for bodies of shape.
func TestInspectedIsBody(t *testing.T) {
	for _, body := range []string{
		`{"Auth":{"Token":"` + aToken + `","Sign":"` + aSign + `","Cuit":20111111112}}`,
		`{"Auth":{"Token":"` + aToken + `","Sign":"` + aToken + `","Cuit":20111111112},"MonId":"` + aSign + `"}`,
		`{"Errors":{"Err":[{"Code":600,"Msg":"bad token ` + aToken + `"}]}}`,
		`{"Errors":{"Err":[{"Code":600,"Msg":"bad token ` + aToken[:20] + `"}]}}`,
		`{"Errors":{"Err":[{"Code":600,"Msg":"bad token ` + aToken[8:22] + `"}]}}`,
		`{"Errors":{"Err":[{"Code":600,"Msg":"bad token ` + url.QueryEscape(aSign) + `"}]}}`,
		`{ "Errors" : {"Err":[{"Code":600 , "Msg" : "` + aToken[:12] + `" } ] } }`,
		`{"Errors":{"Err":[{"Code":600,"Msg":"bad token\t` + aToken + `"}]}}`,
		`{"Msg":"` + aToken + `, a part","Auth":{"Token":"` + aToken + `","Sign":"` + aSign + `"}}`,
		`{"Auth":{"Token":"` + aToken + `","Sign":"` + aSign + `"},"Msg":"` + aToken[:30] + `"}`,
		`{"Auth":{"Token":"` + aToken + aToken + `","Sign":"` + aToken + `"}}`,
		`{"RegXReq":250}`,
		`{}`,
	} {
		want, _ := redactor().Body([]byte(body), aToken, aSign)
		got, ok := redactor().Inspected([]byte(body), aToken, aSign)
		if !ok || !bytes.Equal(got, want) {
			t.Errorf("%v\n got %s\nwant %s", ok, got, want)
		}
	}
	for _, short := range []string{"12345678", "123456789012345", "1234567890123456", "12345678901234567"} {
		body := `{"Auth":{"Token":"` + short + `","Sign":"` + short + `"},"MonId":"` + short + `"}`
		got, ok := redactor().Inspected([]byte(body), short)
		if want := strings.ReplaceAll(body, `"`+short+`"`, mark(short)); !ok || string(got) != want {
			t.Errorf("%d characters: %v %s", len(short), ok, got)
		}
	}
	got, ok := redactor().Inspected([]byte(`{"Auth":{"Token":"t","Sign":"s"}}`), "t", "s")
	if want := `{"Auth":{"Token":` + mark("t") + `,"Sign":` + mark("s") + `}}`; !ok || string(got) != want {
		t.Errorf("short credentials: %v %s", ok, got)
	}
}

func TestWhatIsNoJSONIsNotKept(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	for _, body := range []string{
		"", " ", "Token=t", "<Token>t</Token>", `{"Token":"t"`, `{"Token":"t"}}`, `{"Token":"t"} {}`, `{"Token":}`, `{Token:"t"}`,
		deep, strings.Repeat(`{"Auth":`, 200_000),
	} {
		if got, ok := redactor().Body([]byte(body)); ok || got != nil {
			t.Errorf("%.40q was kept as %.80q", body, got)
		}
	}
}

func TestInvalidUTF8HidesNothing(t *testing.T) {
	for _, body := range []string{
		"{\"Token\":\"\xff" + aToken + "\"}", "{\"Msg\":\"\xff" + aToken + "\"}",
		"{\"Msg\":\"\xff" + strings.ReplaceAll(aToken, "/", `\/`) + "\"}", `{"Msg":"\ud800` + strings.ReplaceAll(aToken, "/", `\/`) + `"}`,
	} {
		got, ok := redactor().Body([]byte(body), aToken)
		if !ok || bytes.Contains(got, []byte(aToken[:16])) || !bytes.Contains(got, []byte("hmac-sha256:")) {
			t.Errorf("%q was kept as %q", body, got)
		}
	}
}

// TestMalformedHidesWhatNobodyKnows: a request of no known shape has its credentials
// anywhere.
func TestMalformedHidesWhatNobodyKnows(t *testing.T) {
	fields, err := mask.NewFields([]string{"/FeCAEReq/DocNro"})
	if err != nil {
		t.Fatal(err)
	}
	wrapped := `{\"Auth\":{\"Token\":\"` + aToken + `\"}}`
	for _, test := range []struct{ name, in, want string }{
		{"under another name", `{"auth_token":"` + aToken + `"}`, `{"auth_token":` + mark(aToken) + `}`},
		{"in a list", `{"Tokens":["` + aToken + `","x"]}`, `{"Tokens":[` + mark(aToken) + `,"x"]}`},
		{"a request as a text", `{"body":"` + wrapped + `"}`, `{"body":` + mark(`{"Auth":{"Token":"`+aToken+`"}}`) + `}`},
		{"XML", `{"soap":"<Token>` + aToken + `</Token>"}`, `{"soap":` + mark("<Token>"+aToken+"</Token>") + `}`},
		{
			"a second time", `{"auth":{"token":"` + aToken + `"},"MonId":"` + aToken + `","a":"` + aToken[:12] + `"}`,
			`{"auth":{"token":` + mark(aToken) + `},"MonId":` + mark(aToken) + `,"a":` + mark(aToken[:12]) + `}`,
		},
		{
			"twice, of which one is read", `{"Auth":{"Token":"` + aSign + `","Token":"` + aToken + `"},"MonId":"` + aToken + `"}`,
			`{"Auth":{"Token":` + mark(aSign) + `,"Token":` + mark(aToken) + `},"MonId":` + mark(aToken) + `}`,
		},
		{"a short text", `{"comment":"an invoice of November"}`, `{"comment":"an invoice of November"}`},
		{
			"a member of the interface", `{"Desc":"` + strings.Repeat("a long text ", 9) + `","x":{"MonId":"` + strings.Repeat("P", 40) + `"}}`,
			`{"Desc":"` + strings.Repeat("a long text ", 9) + `","x":{"MonId":"` + strings.Repeat("P", 40) + `"}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := redactor().Malformed([]byte(test.in), aSign); !ok || string(got) != test.want {
				t.Errorf("%v\n got %s\nwant %s", ok, got, test.want)
			}
			masked := strings.Replace(test.in, "{", `{"docNro":7,`, 1)
			want := strings.Replace(test.want, "{", `{"docNro":`+mark("7")+`,`, 1)
			if got, ok := redactor().Mask(fields).Malformed([]byte(masked), aSign); !ok || string(got) != want {
				t.Errorf("with a field hidden: %v\n got %s\nwant %s", ok, got, want)
			}
		})
	}
	many := `{"Auth":{"Token":["` + strings.Repeat(aToken+`","`, 2000) + `"]}}`
	if got, ok := redactor().Malformed([]byte(many)); ok {
		t.Errorf("a request of credentials alone was kept: %.80s", got)
	}
}
