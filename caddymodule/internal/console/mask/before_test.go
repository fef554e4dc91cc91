package mask_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	before "github.com/fielato/fielato/internal/redact/testdata/before/console"
	"github.com/fielato/fielato/wsfev1"
)

// sameAsBefore holds everything that is shown of an exchange against what was shown of it before.
func sameAsBefore(t interface {
	Helper()
	Fatalf(string, ...any)
}, data, raw []byte,
) {
	t.Helper()
	c := &choices{data: data}
	issuer := wsfev1.CUIT([]int64{20111111112, 0, 20222222223}[c.n(3)])
	collect, isMalformed := c.n(4), c.n(3) == 0
	isXML := c.n(2) == 0
	if isXML {
		c.message()
	} else {
		c.object()
		for range c.n(3) {
			c.json(3)
		}
	}
	body := c.broken()
	if raw != nil {
		body, isXML = raw, bytes.HasPrefix(bytes.TrimLeft(raw, " \ufeff"), []byte("<"))
	}
	charset := []string{"", "utf-8", "iso-8859-1"}[c.n(3)]
	r := &audit.Record{Cuit: issuer, Client: &audit.Leg{Form: audit.FormJSON}, Resultado: c.text(), Upstream: c.text()}
	if isMalformed {
		r.Findings = []audit.Finding{{Code: "shape.kind", Pointer: "/" + c.of(someNames)}}
	}
	if collect > 0 {
		if isXML {
			r.Client.Form, r.Client.Request = audit.FormSOAP11, body
		} else {
			r.Request = body
		}
	}
	now, then := mask.Of(issuer, r), before.Of(issuer, r)
	if collect == 0 && isXML {
		now.CollectXML(body, charset)
		then.CollectXML(body, charset)
	}
	same := func(what string, got, want any) {
		t.Helper()
		if got, want := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); got != want {
			t.Fatalf("%s of %q (malformed: %v, XML: %v):\n got %s\nwant %s", what, body, isMalformed, isXML, got, want)
		}
	}
	type shown struct {
		body string
		ok   bool
	}
	copied := bytes.Clone(body)
	{
		got, ok := now.XML(body, charset)
		want, okBefore := then.XML(body, charset)
		same("the message", shown{got, ok}, shown{want, okBefore})
	}
	{
		got, ok := now.JSON(body)
		want, okBefore := then.JSON(body)
		same("the body", shown{string(got), ok}, shown{string(want), okBefore})
	}
	if !bytes.Equal(body, copied) {
		t.Fatalf("the body was changed: %q", copied)
	}
	for range 4 {
		text := c.text()
		same("a text", now.Text(text), then.Text(text))
		same("a code", now.Code(text), then.Code(text))
		same("numbers", now.Numbers(text), then.Numbers(text))
		finding := audit.Finding{Pointer: "/" + c.of(someNames), Text: text, Got: c.text()}
		same("a finding", now.Finding(finding), then.Finding(finding))
	}
	same("whether it is empty", now.Empty(), then.Empty())
	same("a summary", now.InSummary(r), then.InSummary(r))
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

// FuzzBefore is TestNothingIsHiddenOrShownThatWasNot for choices, or for a body itself.
func FuzzBefore(f *testing.F) {
	for _, seed := range []string{`{"DocNro":20222222223,"Msg":["20-22222222-3"]}`, `<e><DocNro>20222222223</DocNro><Msg a="b">20-22222222-3<!--c--></Msg></e>`, `{"DocNro":[1.`, `{"a":tru`, `{"a" 1}`, `[1,]`, `{1:2}`, `{"DocNro":1234}{"DocNro":2345}`, `{"Opcional":[{"Id":"62","Valor":"22333444"}],"a":"22333444"}`} {
		f.Add([]byte("0123456789"), []byte(seed))
	}
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), []byte(nil))
	f.Fuzz(func(t *testing.T, data, raw []byte) {
		if len(raw) == 0 {
			raw = nil
		}
		sameAsBefore(t, data, raw)
	})
}
