package soap_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// found writes secrets as "name=value:what stands in the body".
func found(body []byte, secrets []soap.Secret) string {
	var out []string
	for _, s := range secrets {
		out = append(out, s.Name+"="+s.Value.Reveal()+":"+string(body[s.Start:s.End]))
	}
	return strings.Join(out, " | ")
}

func TestCredentialsAreFoundInEveryForm(t *testing.T) {
	for name, body := range files(t, "requests") {
		secrets, err := soap.FindSecrets(body, "")
		if err != nil || len(secrets) != 2 || secrets[0].Value.Reveal() != "VE9LRU4tREUtUFJVRUJB" || secrets[1].Value.Reveal() != "RklSTUEtREUtUFJVRUJB" {
			if name != "reversed" || len(secrets) != 2 || secrets[1].Name != "Token" {
				t.Errorf("%s: %v, %s", name, err, found(body, secrets))
			}
		}
		masked := bytes.Clone(body)
		for _, s := range secrets {
			for i := s.Start; i < s.End; i++ {
				masked[i] = 0
			}
		}
		if again, err := soap.FindSecrets(bytes.ReplaceAll(masked, []byte{0}, nil), ""); name != "utf-16" && (err != nil || len(again) != 2 || again[0].Value != "" || again[1].Value != "") {
			t.Errorf("%s: left %v, %s", name, err, found(body, again))
		}
	}
}

func TestCredentialsAreFoundWhereTheyDoNotBelong(t *testing.T) {
	for content, want := range map[string]string{
		`<Auth xmlns=""><Token>a</Token></Auth>`:              "Token=a:a",
		`<Auth><token> a </token><SIGN>b</SIGN></Auth>`:       "Token=a: a  | Sign=b:b",
		`<x:Token xmlns:x="urn:x">a</x:Token>`:                "Token=a:a",
		`<Auth Token="a&amp;b" sign='c'/>`:                    "Token=a&b:a&amp;b | Sign=c:c",
		`<Token><![CDATA[a]]><!-- a -->&#98;<c>d</c></Token>`: "Token=abd:<![CDATA[a]]><!-- a -->&#98;<c>d</c>",
		`<Token><Token>a</Token><Sign>b</Sign></Token>`:       "Token=ab:<Token>a</Token><Sign>b</Sign>",
		`<Token/><Sign></Sign>`:                               "Token=: | Sign=:",
		`<Tokens>a</Tokens><Signs/>`:                          "",
	} {
		body := request("FEDummy", content)
		secrets, err := soap.FindSecrets(body, "")
		if got := found(body, secrets); err != nil || got != want {
			t.Errorf("%s: %v, %s; want %s", content, err, got, want)
		}
	}
}

func TestCredentialsAreHiddenInEveryForm(t *testing.T) {
	for name, body := range files(t, "requests") {
		hidden, err := soap.ReplaceSecrets(body, "", func(s soap.Secret) string { return `<"` + s.Name + `'ñ>` })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if found, err := soap.FindSecrets(hidden, ""); err != nil || len(found) != 2 || found[0].Value.Reveal() != `<"`+found[0].Name+`'?>` {
			t.Errorf("%s: %v, %s", name, err, valuesOf(found))
		}
		before, after := read(t, body), read(t, hidden)
		after.Body.(*wsfev1.FECAESolicitarRequest).Auth = before.Body.(*wsfev1.FECAESolicitarRequest).Auth
		if meaning(t, before.Body) != meaning(t, after.Body) {
			t.Errorf("%s: something else changed: %s", name, hidden)
		}
	}
	body := request("FEDummy", `<Auth Token='a"b' Sign="c'd"/>`)
	hidden, err := soap.ReplaceSecrets(body, "", func(soap.Secret) string { return `'"` })
	if want := request("FEDummy", `<Auth Token='&apos;&quot;' Sign="&apos;&quot;"/>`); err != nil || !bytes.Equal(hidden, want) {
		t.Errorf("%v: %s", err, hidden)
	}
	if hidden, err := soap.ReplaceSecrets(body[:len(body)-1], "", func(soap.Secret) string { return "" }); err == nil || hidden != nil {
		t.Errorf("%s, %v", hidden, err)
	}
}

func valuesOf(secrets []soap.Secret) (values []string) {
	for _, s := range secrets {
		values = append(values, s.Value.Reveal())
	}
	return values
}

func TestNothingIsFoundInWhatCannotBeRead(t *testing.T) {
	good := files(t, "requests")["default-namespace"]
	for _, body := range [][]byte{nil, good[:len(good)-1], append(bytes.Clone(good), '<'), bytes.Replace(good, []byte("</Token>"), []byte("</token>"), 1), bytes.Replace(good, []byte("<Sign>"), []byte("<Sign>&x;"), 1)} {
		secrets, err := soap.FindSecrets(body, "")
		var refused *soap.Error
		if !errors.As(err, &refused) || secrets != nil {
			t.Errorf("%v in %.60s", err, body)
		}
	}
}

func TestATicketReplacesTheCredentialsAndNothingElse(t *testing.T) {
	for name, body := range files(t, "requests") {
		got, err := soap.SetTicket(body, "", "TkVX", "TkVXMg==")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		before, after := read(t, body), read(t, got)
		if len(after.Findings) > 0 {
			t.Errorf("%s: %v in %s", name, brief(after.Findings), got)
			continue
		}
		auth := &after.Body.(*wsfev1.FECAESolicitarRequest).Auth
		if auth.Token.Reveal() != "TkVX" || auth.Sign.Reveal() != "TkVXMg==" {
			t.Errorf("%s: %s", name, got)
		}
		old := before.Body.(*wsfev1.FECAESolicitarRequest).Auth
		auth.Token, auth.Sign = old.Token, old.Sign
		if meaning(t, before.Body) != meaning(t, after.Body) {
			t.Errorf("%s: something else changed: %s", name, got)
		}
		secrets, _ := soap.FindSecrets(body, "")
		if end := secrets[1].End; !bytes.HasSuffix(got, body[end:]) || !bytes.HasPrefix(got, body[:secrets[0].Start]) {
			t.Errorf("%s: other bytes changed: %s", name, got)
		}
	}
}

func TestATicketIsFilledIn(t *testing.T) {
	for content, want := range map[string]string{
		`<Auth><Cuit>1</Cuit></Auth>`:                               `<Auth><Token xmlns="http://ar.gov.afip.dif.FEV1/">T</Token><Sign xmlns="http://ar.gov.afip.dif.FEV1/">S</Sign><Cuit>1</Cuit></Auth>`,
		`<Auth><Token></Token><Sign/><Cuit>1</Cuit></Auth>`:         `<Auth><Token>T</Token><Sign xmlns="http://ar.gov.afip.dif.FEV1/">S</Sign><Cuit>1</Cuit></Auth>`,
		`<Auth><Sign xsi:nil="true"/><Token>a</Token></Auth>`:       `<Auth><Sign xmlns="http://ar.gov.afip.dif.FEV1/">S</Sign><Token>T</Token></Auth>`,
		`<Auth><Sign xsi:nil="true"></Sign><Token>a</Token></Auth>`: `<Auth><Sign xmlns="http://ar.gov.afip.dif.FEV1/">S</Sign><Token>T</Token></Auth>`,
		`<Auth><Token xmlns="">x</Token><Sign>a</Sign></Auth>`:      `<Auth><Token xmlns="http://ar.gov.afip.dif.FEV1/">T</Token><Token xmlns="">x</Token><Sign>S</Sign></Auth>`,
	} {
		got, err := soap.SetTicket(request("FECompTotXRequest", content), "", "T", "S")
		if err != nil || !bytes.Equal(got, request("FECompTotXRequest", want)) {
			t.Errorf("%s: %v\n%s\nwant\n%s", content, err, got, request("FECompTotXRequest", want))
		}
	}
	for _, content := range []string{``, `<Auth/>`, `<Auth xmlns=""><Token/></Auth>`, auth + auth, `<Auth><Token>a</Token><Token>b</Token></Auth>`, `<x><Auth><Cuit>1</Cuit></Auth></x>`} {
		if got, err := soap.SetTicket(request("FECompTotXRequest", content), "", "T", "S"); !errors.Is(err, soap.ErrNoAuth) {
			t.Errorf("%s: %v, %s", content, err, got)
		}
	}
	const header = `<s:Header><f:x><f:Auth><f:Token>a</f:Token></f:Auth></f:x></s:Header>`
	body := envelope(soap11, header+`<s:Body><f:FECompTotXRequest><f:Auth><f:Token>b</f:Token><f:Sign>c</f:Sign></f:Auth></f:FECompTotXRequest></s:Body>`)
	if got, err := soap.SetTicket(body, "", "T", "S"); err != nil || !bytes.Contains(got, []byte(header)) || !bytes.Contains(got, []byte(`<f:Token>T</f:Token><f:Sign>S</f:Sign>`)) {
		t.Errorf("%v: %s", err, got)
	}
	if _, err := soap.SetTicket(request("FECompTotXRequest", auth), "", "ñ", "S"); !errors.Is(err, soap.ErrNoAuth) {
		t.Error(err)
	}
}
