package client_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/internal/cms"
	"github.com/fielato/fielato/wsfev1"
)

// contentOf returns what was signed.
func contentOf(t *testing.T, in0 string) string {
	t.Helper()
	der, err := base64.StdEncoding.DecodeString(in0)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := cms.Verify(der)
	if err != nil {
		t.Fatal(err)
	}
	return string(signed.Content)
}

// goodTicket is the document of a ticket that can be read, but for its Token, which is no document.
const goodTicket = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<loginTicketResponse version="1">
    <header>
        <source>CN=wsaahomo, O=AFIP, C=AR, SERIALNUMBER=CUIT 33693450239</source>
        <destination>SERIALNUMBER=CUIT 20111111112, CN=prueba</destination>
        <uniqueId>4026531840</uniqueId>
        <generationTime>2026-11-22T03:45:24.563-03:00</generationTime>
        <expirationTime>2026-11-22T15:45:24.563-03:00</expirationTime>
    </header>
    <credentials>
        <token>U0VDUkVUTw==</token>
        <sign>RklSTUE=</sign>
    </credentials>
</loginTicketResponse>
`

func answer(ticket string) string { return string(wsaa.SOAP11.Answer(wsfev1.Secret(ticket))) }

// TestAnOpaqueTicketIsGood: only the services must be able to read a Token.
func TestAnOpaqueTicketIsGood(t *testing.T) {
	for name, body := range map[string]string{
		"as it is":           answer(goodTicket),
		"SOAP 1.2":           string(wsaa.SOAP12.Answer(wsfev1.Secret(goodTicket))),
		"CDATA":              `<Envelope><Body><loginCmsResponse><loginCmsReturn><![CDATA[` + goodTicket + `]]></loginCmsReturn></loginCmsResponse></Body></Envelope>`,
		"lines in the token": answer(strings.Replace(goodTicket, "U0VDUkVUTw==", "\n  U0VD\n  UkVUTw==\r\n", 1)),
		"no offset":          answer(strings.ReplaceAll(goodTicket, "-03:00", "")),
		"UTC":                answer(strings.NewReplacer("T03:45", "T06:45", "T15:45", "T18:45", "-03:00", "Z").Replace(goodTicket)),
	} {
		ticket, err := client.ReadReply(client.Reply{Status: 200, Body: []byte(body)}, "wsfe")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ticket.Token.Reveal() != "U0VDUkVUTw==" || ticket.Sign.Reveal() != "RklSTUE=" || ticket.Known || !ticket.ActsFor(20111111112) ||
			!ticket.Expiration.Equal(loginNow.Add(12*time.Hour+563*time.Millisecond)) {
			t.Errorf("%s: %+v", name, ticket)
		}
	}
}

// TestAStrangeAnswerIsTriedAgain: it is none of a login service, the error says why, and repeats
// nothing of it.
func TestAStrangeAnswerIsTriedAgain(t *testing.T) {
	change := func(old, replacement string) string {
		changed := strings.Replace(goodTicket, old, replacement, 1)
		if changed == goodTicket {
			t.Fatalf("%s is not there", old)
		}
		return answer(changed)
	}
	deep := strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100)
	another, _, err := wsaa.NewTicket(loginNow, time.Hour, "wsfex", 20111111112)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		status int
		body   string
		text   string
	}{
		"nothing":                  {200, "", "no SOAP message"},
		"a page":                   {502, "<html><body>Bad <b>gateway</body></html>", "status 502"},
		"JSON":                     {200, `{"token": "U0VDUkVUTw=="}`, "no SOAP message"},
		"another document":         {200, "<Envelope><Body/></Envelope>", "neither a ticket nor a fault"},
		"a ticket and a fault":     {200, "<Envelope><Body><loginCmsResponse><loginCmsReturn/></loginCmsResponse><Fault><faultcode/></Fault></Body></Envelope>", "or both"},
		"a ticket with status 500": {500, answer(goodTicket), "not the status of one"},
		"a ticket with status 302": {302, answer(goodTicket), "not the status of one"},
		"two tickets":              {200, strings.Replace(answer("x"), "</loginCmsReturn>", "</loginCmsReturn><loginCmsReturn>U0VDUkVUTw==</loginCmsReturn>", 1), "twice"},
		"a document type":          {200, `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>` + answer(goodTicket)[38:], "document type"},
		"an inner document type":   {200, answer(`<!DOCTYPE a [<!ENTITY b "c">]><loginTicketResponse/>`), "document type"},
		"deep":                     {200, deep, "XML at byte"},
		"deep inside":              {200, answer(deep), "XML at byte"},
		"long":                     {200, answer(strings.Repeat(" ", 2<<20) + goodTicket), "more than 2097152 bytes"},
		"an empty return":          {200, answer(""), "cannot be read"},
		"no token":                 {200, change("<token>U0VDUkVUTw==</token>", ""), "token is not base64"},
		"an empty token":           {200, change("U0VDUkVUTw==", " "), "token is not base64"},
		"two tokens":               {200, change("<token>", "<token>eA==</token><token>"), "token is there twice"},
		"elements in the token":    {200, change("U0VDUkVUTw==", "U0VD<b/>UkVUTw=="), "token has elements"},
		"a token that is none":     {200, change("U0VDUkVUTw==", "U0VDUkVUTw==&lt;/Token&gt;"), "token is not base64"},
		"a long token":             {200, change("U0VDUkVUTw==", strings.Repeat("A", 1<<20+1)), "token has more than 1048576 bytes"},
		"a long sign":              {200, change("RklSTUE=", strings.Repeat("A", 4097)), "sign has more than 4096 bytes"},
		"a sign that is none":      {200, change("RklSTUE=", "\"firma\""), "sign is not base64"},
		"no times":                 {200, change("2026-11-22T03:45:24.563-03:00", ""), "generationTime is not a time"},
		"another form of times":    {200, change("2026-11-22T15:45:24.563-03:00", "22/11/2026 15:45"), "expirationTime is not a time"},
		"a backward life":          {200, change("2026-11-22T15:45", "2026-11-22T02:45"), "ends before it begins"},
		"an endless life":          {200, change("2026-11-22T15:45", "2046-11-22T15:45"), "more than ten years"},
		"the year 0":               {200, change("2026-11-22T03:45", "0000-11-22T03:45"), "generationTime is not a time"},
		"the year 2300":            {200, strings.NewReplacer("2026-11", "2300-11").Replace(answer(goodTicket)), "generationTime is not a time"},
		"of another service":       {200, change("U0VDUkVUTw==", another.Reveal()), "another service"},
	} {
		ticket, err := client.ReadReply(client.Reply{Status: test.status, Body: []byte(test.body)}, "wsfe")
		var failed *client.Error
		if ticket != nil || !errors.As(err, &failed) || failed.Code != client.Unexpected || failed.Advice != client.Retry || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %+v, %v", name, ticket, err)
			continue
		}
		if strings.Contains(err.Error(), "U0VD") || strings.Contains(err.Error(), "firma") || len(err.Error()) > 400 {
			t.Errorf("%s: it repeats what came: %v", name, err)
		}
	}
}

// TestATokenThatEndsEarlierEndsTheTicket.
func TestATokenThatEndsEarlierEndsTheTicket(t *testing.T) {
	token, _, err := wsaa.NewTicket(loginNow, time.Hour, "wsfe", 20111111112)
	if err != nil {
		t.Fatal(err)
	}
	ticket, err := client.ReadReply(client.Reply{Status: 200, Body: []byte(answer(strings.Replace(goodTicket, "U0VDUkVUTw==", token.Reveal(), 1)))}, "wsfe")
	if err != nil || !ticket.Expiration.Equal(loginNow.Add(time.Hour)) {
		t.Errorf("%+v, %v", ticket, err)
	}
}

// TestAnAnswerThatDoesNotComeIsTriedAgain, and its error can be told from others.
func TestAnAnswerThatDoesNotComeIsTriedAgain(t *testing.T) {
	s, c := newClient(t, 0)
	s.Down = errors.New("no route")
	var failed *client.Error
	if result, err := c.Login(t.Context(), "wsfe", 0); !errors.Is(err, s.Down) || !errors.As(err, &failed) || failed.Code != client.Unreachable || failed.Advice != client.Retry || result.Measured {
		t.Errorf("%+v, %v", result, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Login(ended, "wsfe", 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzReply: whatever comes, there is a ticket that can be used, or an error that shows none.
func FuzzReply(f *testing.F) {
	f.Add(200, "", []byte(answer(goodTicket)))
	f.Add(200, "iso-8859-1", wsaa.SOAP12.Answer(wsfev1.Secret(goodTicket)))
	f.Add(500, "utf-8", wsaa.SOAP11.Fault(wsaa.NewFault(wsaa.AlreadyAuthenticated, nil)))
	f.Add(500, "", wsaa.SOAP12.Fault(wsaa.NewFault(wsaa.NotAuthorized, nil)))
	token, sign, err := wsaa.NewTicket(loginNow, time.Hour, "wsfe", 20111111112)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(200, "", []byte(answer(strings.NewReplacer("U0VDUkVUTw==", token.Reveal(), "RklSTUE=", sign.Reveal()).Replace(goodTicket))))
	f.Fuzz(func(t *testing.T, status int, charset string, body []byte) {
		ticket, err := client.ReadReply(client.Reply{Status: status, Charset: charset, Body: body}, "wsfe")
		if err != nil {
			var failed *client.Error
			if ticket != nil || !errors.As(err, &failed) || failed.Code == "" || len(err.Error()) > 1500 {
				t.Errorf("%v, %v", ticket, err)
			}
			return
		}
		for _, text := range []string{ticket.Token.Reveal(), ticket.Sign.Reveal()} {
			if text == "" || strings.ContainsAny(text, " \r\n\t<>&\"'") {
				t.Errorf("a credential is %q", text)
			}
		}
		if !ticket.Expiration.After(ticket.Generation) || status != 200 {
			t.Errorf("%+v", ticket)
		}
	})
}
