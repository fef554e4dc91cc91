package redact_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/redact"
	before "github.com/fielato/fielato/internal/redact/testdata/before"
)

// probes are texts that may quote what was collected.
var probes = []string{"DocNro 1", "30000000007", "el 20222222223", "22333444", "121.5", "son 121,50", "15/11/2026", "no vale", "AB-778899", "20111111112", "1", "80", "62", "ticket", "x es 1", "1234,00", "86470000000001"}

// sameAsBefore holds everything that is made of a document against what was made of it before.
func sameAsBefore(t interface {
	Helper()
	Fatalf(string, ...any)
}, data, raw []byte,
) {
	t.Helper()
	key := []byte("a key of the tests")
	c := &choices{data: data}
	pointers := someFields[c.n(len(someFields))]
	fields, err := redact.NewFields(pointers)
	fieldsBefore, errBefore := before.NewFields(pointers)
	if err != nil || errBefore != nil {
		t.Fatalf("%v %v", err, errBefore)
	}
	credentials, request, wellFormed := c.credentials(), c.n(2) == 0, c.n(4) == 0
	now, then := redact.NewRedactor(key).Mask(fields), before.NewRedactor(key).Mask(fieldsBefore)
	same := func(what string, body []byte, got, want any) {
		t.Helper()
		if got, want := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); got != want {
			t.Fatalf("%s of %q (fields %q, credentials %.60q, request %v):\n got %s\nwant %s", what, body, pointers, credentials, request, got, want)
		}
	}
	type kept struct {
		body []byte
		ok   bool
	}
	result := func(body []byte, ok bool) kept { return kept{body, ok} }
	quotes := func(body []byte) {
		for _, probe := range probes {
			same("the quotes", body, now.Text(probe), then.Text(probe))
		}
	}
	isXML := c.n(2) == 0
	if isXML {
		c.message()
	} else {
		c.object()
	}
	body := c.broken()
	if raw != nil {
		body, isXML = raw, bytes.HasPrefix(bytes.TrimLeft(raw, " \ufeff"), []byte("<"))
	}
	copied := bytes.Clone(body)
	if isXML {
		charset := []string{"", "utf-8", "iso-8859-1"}[c.n(3)]
		same("XML", body, result(now.XML(body, charset, request, credentials...)), result(then.XML(body, charset, request, credentials...)))
		quotes(body)
		again := []byte("<r><Msg>" + ticketSign[3:30] + " de 22333444</Msg></r>")
		same("a second message", again, result(now.XML(again, "", false, credentials...)), result(then.XML(again, "", false, credentials...)))
	} else {
		now.Collect(body, wellFormed)
		then.Collect(body, wellFormed)
		quotes(body)
		same("a body", body, result(now.Body(body, false, credentials...)), result(then.Body(body, false, credentials...)))
		same("a body of its shape", body, result(now.Body(body, true, credentials...)), result(then.Body(body, true, credentials...)))
		same("malformed", body, result(now.Malformed(body, credentials...)), result(then.Malformed(body, credentials...)))
		quotes(body)
		same("a document", body, result(redact.NewRedactor(key).Credentials(credentials...).Document(body)), result(before.NewRedactor(key).Credentials(credentials...).Document(body)))
		same("no mask", body, result(redact.NewRedactor(key).Body(body, credentials...)), result(before.NewRedactor(key).Body(body, credentials...)))
	}
	if !bytes.Equal(body, copied) {
		t.Fatalf("the body was changed: %q", copied)
	}
	one, other := redact.NewRedactor(key).Credentials(credentials...), before.NewRedactor(key).Credentials(credentials...)
	texts, textsBefore := make([]string, 2+c.n(5)), []string(nil)
	for i := range texts {
		texts[i] = c.text()
	}
	textsBefore = slices.Clone(texts)
	for _, text := range texts {
		same("a text", []byte(text), one.Text(text), other.Text(text))
		same("a pointer", []byte(text), one.Pointer("/a/"+text), other.Pointer("/a/"+text))
	}
	var at, atBefore []*string
	for i := range texts {
		at, atBefore = append(at, &texts[i]), append(atBefore, &textsBefore[i])
	}
	one.Together(at[:1], at[1:])
	other.Together(atBefore[:1], atBefore[1:])
	same("texts together", nil, texts, textsBefore)
	finding := audit.Finding{Pointer: "/FeCAEReq/DocNro", Text: texts[0], Got: texts[1]}
	same("a finding", nil, now.Finding(finding), then.Finding(finding))
	digest := sha256.Sum256(body)
	same("a digest", body, now.Digest(digest), then.Digest(digest))
}

// TestNothingIsHiddenOrShownThatWasNot: of documents of any kind, also broken ones.
func TestNothingIsHiddenOrShownThatWasNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sameAsBefore(t, rapid.SliceOfN(rapid.Byte(), 8, 600).Draw(t, "choices"), nil)
	})
	random := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		data := make([]byte, 40+random.IntN(900))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		sameAsBefore(t, data, nil)
	}
}

// TestALotIsKeptAsItWas, with echoes and without.
func TestALotIsKeptAsItWas(t *testing.T) {
	key := []byte("a key of the tests")
	random := rand.New(rand.NewPCG(13, 14))
	echoes := []string{"", ticketToken, ticketSign, ticketSign[10:40], "no vale: " + ticketToken[:40], "vale", `a \"b\"`, strings.Repeat("un texto largo ", 4)}
	for i := range 400 {
		soap := i%2 == 1
		request, answer := lotOf(random.IntN(4), soap)
		if echo := echoes[random.IntN(len(echoes))]; echo != "" && random.IntN(2) == 0 {
			request, answer = strings.ReplaceAll(request, "PES", echo), strings.Replace(answer, ">N<", ">"+echo+"<", 1)
			answer = strings.Replace(answer, `"N"`, `"N","Msg":"`+echo+`"`, 1)
		}
		if random.IntN(6) == 0 && !soap { // a credential in the codes of messages
			events := listed(codes(ticketSign[random.IntN(100):][:8+random.IntN(20)]), `{"Code":$,"Msg":"x"}`)
			answer = strings.TrimSuffix(answer, "}") + `,"Events":{"Evt":[` + events + `]}}`
		}
		for _, of := range []string{request, answer} {
			now, then := redact.NewRedactor(key).Mask(nil), before.NewRedactor(key).Mask(nil)
			credentials := []string{ticketToken, ticketSign}
			var got, want []byte
			var ok, okBefore bool
			if soap {
				got, ok = now.XML([]byte(of), "utf-8", of == request, credentials...)
				want, okBefore = then.XML([]byte(of), "utf-8", of == request, credentials...)
			} else {
				got, ok = now.Body([]byte(of), true, credentials...)
				want, okBefore = then.Body([]byte(of), true, credentials...)
			}
			if ok != okBefore || !bytes.Equal(got, want) {
				t.Fatalf("%v, %v: %s became\n%s, before\n%s", ok, okBefore, of, got, want)
			}
		}
	}
}

// FuzzBefore is TestNothingIsHiddenOrShownThatWasNot for choices, or for a body itself.
func FuzzBefore(f *testing.F) {
	for _, seed := range []string{`{"Auth":{"Token":"t","Sign":"s","Cuit":1},"Msg":[1,2,"x\u0041"]}`, `<e><Auth><Token>t</Token></Auth><Msg a="b">x<!--c--></Msg></e>`, `{"DocNro":[1.`, `{"a":tru`, `{"a" 1}`, `[1,]`, `{1:2}`, `{"DocNro":1}{"DocNro":2}`} {
		f.Add([]byte("0123456789"), []byte(seed))
	}
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), []byte(nil))
	f.Fuzz(func(t *testing.T, data, raw []byte) {
		if len(raw) == 0 {
			raw = nil
		}
		raw = bytes.ReplaceAll(raw, []byte("$"), []byte(ticketSign[:30]))
		sameAsBefore(t, data, raw)
	})
}
