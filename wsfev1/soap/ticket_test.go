package soap_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// The ticket that the tests set. None of the messages has a part of it.
const ticketToken, ticketSign = "TkVX", "TkVXMg=="

// TestATicketReplacesTheCredentialsAndNothingElse, in the spelling of each client.
func TestATicketReplacesTheCredentialsAndNothingElse(t *testing.T) {
	for name, body := range files(t, "requests") {
		got, err := soap.SetTicket(body, "", ticketToken, ticketSign)
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
		if auth.Token.Reveal() != ticketToken || auth.Sign.Reveal() != ticketSign {
			t.Errorf("%s: %s", name, got)
		}
		old := before.Body.(*wsfev1.FECAESolicitarRequest).Auth
		auth.Token, auth.Sign = old.Token, old.Sign
		if meaning(t, before.Body) != meaning(t, after.Body) {
			t.Errorf("%s: something else changed: %s", name, got)
		}
		start, end := bytes.IndexFunc(got, differs(body)), 0
		for end < min(len(got), len(body))-start && got[len(got)-1-end] == body[len(body)-1-end] {
			end++
		}
		if longest := len(old.Token) + len(old.Sign) + 200; name != "utf-16" && len(body)-start-end > longest {
			t.Errorf("%s: other bytes changed: %s", name, got[start:len(got)-end])
		}
	}
}

// differs returns a function that finds the first byte which is not that of the body.
func differs(body []byte) func(rune) bool {
	at := 0
	return func(r rune) bool {
		if at >= len(body) || !strings.HasPrefix(string(body[at:]), string(r)) {
			return true
		}
		at += len(string(r))
		return false
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
}

// TestATicketIsSetInTheAuthOfTheBody: what looks like one in a Header stays.
func TestATicketIsSetInTheAuthOfTheBody(t *testing.T) {
	const header = `<s:Header><f:x><f:Auth><f:Token>a</f:Token></f:Auth></f:x></s:Header>`
	body := envelope(soap11, header+`<s:Body><f:FECompTotXRequest><f:Auth><f:Token>b</f:Token><f:Sign>c</f:Sign></f:Auth></f:FECompTotXRequest></s:Body>`)
	got, err := soap.SetTicket(body, "", "T", "S")
	if err != nil || !bytes.Contains(got, []byte(header)) || !bytes.Contains(got, []byte(`<f:Token>T</f:Token><f:Sign>S</f:Sign>`)) {
		t.Errorf("%v: %s", err, got)
	}
}

// TestATicketHasOnePlace: where there is none, or where another element may mean its content, the
// request is to be written anew.
func TestATicketHasOnePlace(t *testing.T) {
	for _, content := range []string{
		``, `<Auth/>`, `<Auth xmlns=""><Token/></Auth>`, auth + auth, `<Auth><Token>a</Token><Token>b</Token></Auth>`,
		`<x><Auth><Cuit>1</Cuit></Auth></x>`, `<Auth><Token id="t">a</Token><Sign>b</Sign></Auth>`,
		`<Auth><Token xmlns:e="http://www.w3.org/2003/05/soap-encoding" e:ref="t"/><Sign>b</Sign></Auth>`,
	} {
		if got, err := soap.SetTicket(request("FECompTotXRequest", content), "", "T", "S"); !errors.Is(err, soap.ErrNoAuth) || got != nil {
			t.Errorf("%s: %v, %s", content, err, got)
		}
	}
	if _, err := soap.SetTicket(request("FECompTotXRequest", auth), "", "ñ", "S"); !errors.Is(err, soap.ErrNoAuth) {
		t.Error(err)
	}
}

// FuzzTicket sets a ticket in what is no request. Where the decoder reads the request without
// findings, it reads the ticket afterwards.
func FuzzTicket(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte, charset string) { checkTicket(t, body, charset) })
}

func checkTicket(t *testing.T, body []byte, charset string) {
	t.Helper()
	changed, err := soap.SetTicket(body, charset, ticketToken, ticketSign)
	if err != nil {
		return
	}
	before, err := soap.Open(body, charset)
	if err != nil {
		return
	}
	op, err := before.Route("")
	if err != nil || op.Name == "FEDummy" {
		return
	}
	read := before.Decode(op)
	if len(read.Findings) > 0 {
		return
	}
	after, err := soap.Open(changed, charset)
	if err != nil {
		t.Fatalf("%v: %q became %q", err, body, changed)
	}
	again := after.Decode(op)
	auth := wsfev1.AuthOf(again.Body)
	if len(again.Findings) > 0 || auth.Token.Reveal() != ticketToken || auth.Sign.Reveal() != ticketSign || auth.Cuit != wsfev1.AuthOf(read.Body).Cuit {
		t.Fatalf("%v: %q became %q", brief(again.Findings), body, changed)
	}
}
