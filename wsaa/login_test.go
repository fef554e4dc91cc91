package wsaa_test

import (
	"crypto"
	"encoding/base64"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// loginNow is the moment of the logins.
var loginNow = time.Date(2026, 11, 22, 6, 45, 24, 563_400_000, time.UTC)

// loginService is a login service whose clock stands at *now.
type loginService struct {
	wsaa.Server
	now time.Time
}

func newLoginService(t *testing.T) *loginService {
	t.Helper()
	issuer, err := wsaa.NewIssuer()
	if err != nil {
		t.Fatal(err)
	}
	s := &loginService{now: loginNow}
	s.Server = wsaa.Server{
		Issuer: issuer, Clock: func() time.Time { return s.now }, Services: []string{"wsfe"}, Life: 12 * time.Hour, Logins: new(wsaa.Logins),
	}
	return s
}

// in0 signs a request as a client does.
func in0(t *testing.T, client *wsaatest.Client, request string, form wsaatest.Form) string {
	t.Helper()
	return base64.StdEncoding.EncodeToString(client.Sign(t, []byte(request), form))
}

// code returns the code of a refused login, "granted" if it was not.
func code(fault *wsaa.Fault) string {
	if fault == nil {
		return "granted"
	}
	return fault.Code
}

// ticketOf is what a client reads from the response.
type ticketOf struct {
	XMLName     xml.Name `xml:"loginTicketResponse"`
	Version     string   `xml:"version,attr"`
	Source      string   `xml:"header>source"`
	Destination string   `xml:"header>destination"`
	UniqueID    uint32   `xml:"header>uniqueId"`
	Generation  string   `xml:"header>generationTime"`
	Expiration  string   `xml:"header>expirationTime"`
	Token       string   `xml:"credentials>token"`
	Sign        string   `xml:"credentials>sign"`
}

func readResponse(t *testing.T, login wsaa.Login) (got ticketOf) {
	t.Helper()
	if err := xml.Unmarshal([]byte(login.Response.Reveal()), &got); err != nil {
		t.Fatalf("%v: %s", err, login.Response.Reveal())
	}
	return got
}

// TestALoginGivesATicketOfTheRealForm.
func TestALoginGivesATicketOfTheRealForm(t *testing.T) {
	s := newLoginService(t)
	s.Represented = map[wsfev1.CUIT][]wsfev1.CUIT{20111111112: {30500010912}}
	login, fault := s.Login(in0(t, wsaatest.NewClient(t, wsaatest.Spec{}), wsaatest.Request(loginNow), wsaatest.Form{}))
	if fault != nil {
		t.Fatal(fault)
	}
	text := login.Response.Reveal()
	form := regexp.MustCompile(`^<\?xml version="1.0" encoding="UTF-8" standalone="yes"\?>
<loginTicketResponse version="1">
    <header>
        <source>CN=wsaahomo, O=AFIP, C=AR, SERIALNUMBER=CUIT 33693450239</source>
        <destination>SERIALNUMBER=CUIT 20111111112, CN=prueba</destination>
        <uniqueId>\d+</uniqueId>
        <generationTime>2026-11-22T03:45:24.563-03:00</generationTime>
        <expirationTime>2026-11-22T15:45:24.563-03:00</expirationTime>
    </header>
    <credentials>
        <token>[A-Za-z0-9+/]+=*</token>
        <sign>[A-Za-z0-9+/]{171}=</sign>
    </credentials>
</loginTicketResponse>
$`)
	if !form.MatchString(text) {
		t.Errorf("not of the form: %s", text)
	}
	got := readResponse(t, login)
	ticket, ok := wsaa.ReadTicket(wsfev1.Secret(got.Token))
	if !ok {
		t.Fatal("the Token cannot be read")
	}
	wantFrom, wantUntil := loginNow.Truncate(time.Second).Add(-time.Minute), loginNow.Truncate(time.Second).Add(12*time.Hour)
	if !ticket.Generation.Equal(wantFrom) || !ticket.Expiration.Equal(wantUntil) || ticket.Service != "wsfe" ||
		ticket.Destination != "CN=wsfe, O=AFIP, C=AR" || !slices.Equal(ticket.Relations, []wsfev1.CUIT{20111111112, 30500010912}) {
		t.Errorf("%+v", ticket)
	}
	if err := wsaa.VerifySign(s.Issuer.Certificate(), wsfev1.Secret(got.Token), wsfev1.Secret(got.Sign)); err != nil {
		t.Error(err)
	}
	if login.Subject == "" || login.CUIT != 20111111112 || login.Service != "wsfe" || !login.Expiration.Equal(loginNow.Add(12*time.Hour)) {
		t.Errorf("%+v", login)
	}
}

// TestTheDestinationIsTheNameInReverse, quoted where it must be.
func TestTheDestinationIsTheNameInReverse(t *testing.T) {
	s := newLoginService(t)
	subject := wsaatest.Subject("30500010912", `Pérez, Gómez & <Hijos> "SA"`)
	subject.Organization, subject.Country = []string{"nim"}, []string{"ar"}
	login, fault := s.Login(in0(t, wsaatest.NewClient(t, wsaatest.Spec{Subject: subject}), wsaatest.Request(loginNow), wsaatest.Form{}))
	if fault != nil {
		t.Fatal(fault)
	}
	want := `SERIALNUMBER=CUIT 30500010912, CN="Pérez, Gómez & <Hijos> \"SA\"", O=nim, C=ar`
	if got := readResponse(t, login).Destination; got != want || login.Subject != want {
		t.Errorf("%s\n%s, want\n%s", got, login.Subject, want)
	}
	token, _ := base64.StdEncoding.DecodeString(readResponse(t, login).Token)
	if _, ok := wsaa.ReadTicket(wsfev1.Secret(base64.StdEncoding.EncodeToString(token))); !ok {
		t.Errorf("the Token cannot be read: %s", token)
	}
}

// TestTicketsDiffer, also of the same second, and each is good.
func TestTicketsDiffer(t *testing.T) {
	s := newLoginService(t)
	request := in0(t, wsaatest.NewClient(t, wsaatest.Spec{}), wsaatest.Request(loginNow), wsaatest.Form{})
	seen := map[string]bool{}
	for range 10 {
		login, fault := s.Login(request)
		if fault != nil {
			t.Fatal(fault)
		}
		got := readResponse(t, login)
		if seen[got.Token] || seen[got.Sign] {
			t.Error("the same again")
		}
		seen[got.Token], seen[got.Sign] = true, true
	}
}

// TestEveryClientLogsIn: the requests as the clients write and sign them.
func TestEveryClientLogsIn(t *testing.T) {
	s := newLoginService(t)
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	element := func(version, id, from, until string) string {
		return `<loginTicketRequest` + version + `><header><uniqueId>` + id + `</uniqueId><generationTime>` + from +
			`</generationTime><expirationTime>` + until + `</expirationTime></header><service>wsfe</service></loginTicketRequest>`
	}
	for name, test := range map[string]struct {
		request string
		form    wsaatest.Form
	}{
		"now to now and 12 h":        {`<?xml version="1.0" encoding="UTF-8" ?>` + "\n   " + element(` version="1.0"`, "1795329895", "2026-11-22T06:45:24+00:00", "2026-11-22T18:45:24+00:00"), wsaatest.Form{Unsorted: true}},
		"standalone, milliseconds":   {`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + element(` version="1.0"`, "1795329899", "2026-11-22T06:34:59.502Z", "2026-11-22T06:54:59.502Z"), wsaatest.Form{Unsorted: true}},
		"always the same id":         {`<?xml version="1.0"?>` + element("", "1", "2026-11-22T06:40:00Z", "2026-11-22T06:47:00Z"), wsaatest.Form{Unsorted: true}},
		"SHA-1, leading blank":       {" " + element(` version="1.0"`, "1", "2026-11-22T06:35:24Z", "2026-11-22T06:55:24Z"), wsaatest.Form{Hash: crypto.SHA1}},
		"a declaration after blanks": {"\n" + wsaatest.Request(loginNow) + "\r\n", wsaatest.Form{}},
		"a byte order mark":          {"\ufeff" + wsaatest.Request(loginNow), wsaatest.Form{}},
		"no offset, version or text": {element("", "2611220645", "2026-11-22T03:35:34", "2026-11-22T03:55:34"), wsaatest.Form{NoAttributes: true}},
		"version 1":                  {element(` version="1"`, "0", "2026-11-21T06:45:25Z", "2026-11-23T06:45:24Z"), wsaatest.Form{}},
		"version 01.000":             {element(` version=" 01.000 "`, "4294967295", "2026-11-22T06:45:24.5634Z", "2026-11-22T06:45:24.5634Z"), wsaatest.Form{}},
		"ends of line of Windows":    {strings.ReplaceAll(`<?xml version="1.0" encoding="UTF-8"?>`+"\n<loginTicketRequest>\n <header>\n  <uniqueId> 7 </uniqueId>\n <generationTime>\n2026-11-22T03:40:00-03:00</generationTime>\n<expirationTime>2026-11-22T03:50:00-03:00</expirationTime></header>\n<service>wsfe</service>\n</loginTicketRequest>\n", "\n", "\r\n"), wsaatest.Form{}},
		"ISO 8859-1":                 {strings.Replace(wsaatest.Request(loginNow), "UTF-8", "ISO-8859-1", 1), wsaatest.Form{}},
		"a comment":                  {strings.Replace(wsaatest.Request(loginNow), "<header>", "<!-- hora -->\n<header>", 1), wsaatest.Form{}},
		"a schema":                   {strings.Replace(wsaatest.Request(loginNow), `version="1.0">`, `version="1.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="x.xsd">`, 1), wsaatest.Form{}},
		"BER in parts":               {wsaatest.Request(loginNow), wsaatest.Form{Indefinite: true}},
		"both names":                 {strings.Replace(wsaatest.Request(loginNow), "<header>", "<header><source>SERIALNUMBER=CUIT 20111111112, CN=prueba</source><destination>cn=wsaahomo,o=afip,c=ar,serialNumber=CUIT 33693450239</destination>", 1), wsaatest.Form{}},
		"names of production":        {strings.Replace(wsaatest.Request(loginNow), "<header>", "<header><destination>C=ar, O=afip, SERIALNUMBER=CUIT 33693450239, CN=wsaa</destination>", 1), wsaatest.Form{}},
	} {
		for _, newline := range []string{"", "\n", "\r\n", "\r"} {
			message := client.Sign(t, []byte(test.request), test.form)
			text := wsaatest.Base64(message, newline)
			if login, fault := s.Login(text); fault != nil || login.Service != "wsfe" {
				t.Errorf("%s, lines ended by %q: %v", name, newline, fault)
			}
		}
	}
}
