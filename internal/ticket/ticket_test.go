package ticket_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/ticket"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// The ticket that the tests set. None of the messages has a part of it.
const ticketToken, ticketSign = "TkVX", "TkVXMg=="

// TestATicketReplacesTheCredentialsAndNothingElse, in the spelling of each client.
const (
	soap11 = "http://schemas.xmlsoap.org/soap/envelope/"
	auth   = "<Auth><Token>a</Token><Sign>b</Sign><Cuit>20111111112</Cuit></Auth>"
)

// requests are those that clients of many kinds have written.
func requests(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../../wsfev1/soap/testdata/requests/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		if all[strings.TrimSuffix(filepath.Base(file), ".xml")], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func envelope(namespace, inner string) []byte {
	return []byte(`<s:Envelope xmlns:s="` + namespace + `" xmlns:f="` + soap.Namespace + `" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + inner + `</s:Envelope>`)
}

// request wraps the content of an operation's element.
func request(op, content string) []byte {
	return envelope(soap11, "<s:Body><"+op+` xmlns="`+soap.Namespace+`">`+content+"</"+op+"></s:Body>")
}

// read reads a request that names its operation by its element.
func read(t testing.TB, body []byte) *soap.Request {
	t.Helper()
	e, err := soap.Open(body, "")
	if err != nil {
		t.Fatalf("%v in %.400s", err, body)
	}
	op, err := e.Route("")
	if err != nil {
		t.Fatalf("%v in %.400s", err, body)
	}
	return e.Decode(op)
}

func TestATicketReplacesTheCredentialsAndNothingElse(t *testing.T) {
	for name, body := range requests(t) {
		got, err := ticket.Set(body, "", ticketToken, ticketSign)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		before, after := read(t, body), read(t, got)
		if len(after.Findings) > 0 {
			t.Errorf("%s: %v in %s", name, after.Findings, got)
			continue
		}
		auth := &after.Body.(*wsfev1.FECAESolicitarRequest).Auth
		if auth.Token.Reveal() != ticketToken || auth.Sign.Reveal() != ticketSign {
			t.Errorf("%s: %s", name, got)
		}
		old := before.Body.(*wsfev1.FECAESolicitarRequest).Auth
		auth.Token, auth.Sign = old.Token, old.Sign
		if !reflect.DeepEqual(before.Body, after.Body) {
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

// differs returns a function that finds the first byte that differs from the body.
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
		`<Auth><Token/><Cuit>1</Cuit></Auth>`:                       `<Auth><Sign xmlns="http://ar.gov.afip.dif.FEV1/">S</Sign><Token xmlns="http://ar.gov.afip.dif.FEV1/">T</Token><Cuit>1</Cuit></Auth>`,
		`<Auth><Sign xsi:nil="true"/><Token>a</Token></Auth>`:       `<Auth><Sign xmlns="http://ar.gov.afip.dif.FEV1/">S</Sign><Token>T</Token></Auth>`,
		`<Auth><Sign xsi:nil="true"></Sign><Token>a</Token></Auth>`: `<Auth><Sign xmlns="http://ar.gov.afip.dif.FEV1/">S</Sign><Token>T</Token></Auth>`,
		`<Auth><Token xmlns="">x</Token><Sign>a</Sign></Auth>`:      `<Auth><Token xmlns="http://ar.gov.afip.dif.FEV1/">T</Token><Token xmlns="">x</Token><Sign>S</Sign></Auth>`,
	} {
		got, err := ticket.Set(request("FECompTotXRequest", content), "", "T", "S")
		if err != nil || !bytes.Equal(got, request("FECompTotXRequest", want)) {
			t.Errorf("%s: %v\n%s\nwant\n%s", content, err, got, request("FECompTotXRequest", want))
		}
	}
}

// TestATicketIsSetInTheAuthOfTheBody: what looks like one in a Header stays.
func TestATicketIsSetInTheAuthOfTheBody(t *testing.T) {
	const header = `<s:Header><f:x><f:Auth><f:Token>a</f:Token></f:Auth></f:x></s:Header>`
	body := envelope(soap11, header+`<s:Body><f:FECompTotXRequest><f:Auth><f:Token>b</f:Token><f:Sign>c</f:Sign></f:Auth></f:FECompTotXRequest></s:Body>`)
	got, err := ticket.Set(body, "", "T", "S")
	if err != nil || !bytes.Contains(got, []byte(header)) || !bytes.Contains(got, []byte(`<f:Token>T</f:Token><f:Sign>S</f:Sign>`)) {
		t.Errorf("%v: %s", err, got)
	}
}

// TestATicketHasOnePlace: where there is none, or where another element may mean its content, the
// request is to be written anew.
func TestATicketHasOnePlace(t *testing.T) {
	for _, content := range []string{
		``, `<Auth/>`, `<Auth xmlns=""><Token/></Auth>`, `<Auth><Token>a</Token><Token>b</Token></Auth>`,
		`<x><Auth><Cuit>1</Cuit></Auth></x>`, `<Auth><Token id="t">a</Token><Sign>b</Sign></Auth>`,
		`<Auth><Token xmlns:e="http://www.w3.org/2003/05/soap-encoding" e:ref="t"/><Sign>b</Sign></Auth>`,
	} {
		if got, err := ticket.Set(request("FECompTotXRequest", content), "", "T", "S"); !errors.Is(err, ticket.ErrNoAuth) || got != nil {
			t.Errorf("%s: %v, %s", content, err, got)
		}
	}
	if _, err := ticket.Set(request("FECompTotXRequest", auth), "", "ñ", "S"); !errors.Is(err, ticket.ErrNoAuth) {
		t.Error(err)
	}
}

// TestTicketsOfMutants holds the ticket's way into requests with something wrong in them against the
// decoder.
func TestTicketsOfMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(20261123, 1))
	all := requests(t)
	names := slices.Sorted(maps.Keys(all))
	for range testrun.Size(t, 2_000, 10_000) {
		body := bytes.Clone(all[names[r.IntN(len(names))]])
		for range 1 + r.IntN(3) {
			from := r.IntN(len(body))
			body = slices.Replace(body, from, min(len(body), from+r.IntN(12)), []byte(insertions[r.IntN(len(insertions))])...)
		}
		checkTicket(t, body, "utf-8")
	}
}

var insertions = []string{"", "", "<a>", "</a>", "<Token>", "</Token>", "<Auth>", "<Sign/>", " id='x'", "&amp;", "<![CDATA[x]]>", "<!-- -->", " xmlns=''", "<", ">", "\x00"}

// FuzzTicket sets a ticket in bytes that are no request. Where the decoder reads the request
// without findings, it reads the ticket afterwards.
func FuzzTicket(f *testing.F) {
	for _, body := range requests(f) {
		f.Add(body, "")
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) { checkTicket(t, body, charset) })
}

func checkTicket(t *testing.T, body []byte, charset string) {
	t.Helper()
	changed, err := ticket.Set(body, charset, ticketToken, ticketSign)
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
		t.Fatalf("%v: %q became %q", again.Findings, body, changed)
	}
}
