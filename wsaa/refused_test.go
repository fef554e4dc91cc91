package wsaa_test

import (
	"crypto/x509/pkix"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// TestWhatIsNoRequestIsRefused: the codes about the message, each before the next.
func TestWhatIsNoRequestIsRefused(t *testing.T) {
	s := newLoginService(t)
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	future := wsaatest.NewClient(t, wsaatest.Spec{From: loginNow.Add(time.Second)})
	past := wsaatest.NewClient(t, wsaatest.Spec{From: loginNow.Add(-time.Hour), Until: loginNow.Add(-time.Second)})
	request := wsaatest.Request(loginNow)
	for name, test := range map[string]struct{ in0, want, reason string }{
		"nothing":                      {"", "cms.bad.base64", "empty"},
		"blanks":                       {" \n ", "cms.bad.base64", "empty"},
		"no base64":                    {"abc", "cms.bad.base64", "illegal base64"},
		"of another alphabet":          {"_-__", "cms.bad.base64", "illegal base64"},
		"in PEM":                       {"-----BEGIN CMS-----\nAAAA\n-----END CMS-----", "cms.bad.base64", "leave them out"},
		"hello":                        {"aGVsbG8=", "cms.bad", "no CMS"},
		"no certificate":               {in0(t, client, request, wsaatest.Form{NoCertificate: true}), "cms.cert.notFound", ""},
		"detached":                     {in0(t, future, request, wsaatest.Form{Detached: true}), "cms.sign.invalid", "no content"},
		"of another content":           {in0(t, past, request, wsaatest.Form{Digest: make([]byte, 32)}), "cms.sign.invalid", "messageDigest"},
		"a certificate of tomorrow":    {in0(t, future, "no XML", wsaatest.Form{}), "cms.cert.invalid", "valid from"},
		"a certificate of yesterday":   {in0(t, past, "no XML", wsaatest.Form{}), "cms.cert.expired", "valid until"},
		"no XML":                       {in0(t, client, "no XML", wsaatest.Form{}), "xml.bad", "before the first element"},
		"an empty content":             {in0(t, client, "", wsaatest.Form{}), "xml.bad", "empty"},
		"a document of its own making": {in0(t, client, "<!DOCTYPE x><loginTicketRequest/>", wsaatest.Form{}), "xml.bad", "document type"},
	} {
		login, fault := s.Login(test.in0)
		if got := code(fault); got != test.want || !strings.Contains(fault.String(), test.reason) || login.Response != "" {
			t.Errorf("%s: %s, want %s: %v", name, got, test.want, fault)
		}
	}
}

// TestARequestThatTheSchemaDoesNotHave: every element in its place, with its case.
func TestARequestThatTheSchemaDoesNotHave(t *testing.T) {
	s := newLoginService(t)
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	for _, change := range [][2]string{
		{"loginTicketRequest", "LoginTicketRequest"},
		{"<loginTicketRequest ", `<loginTicketRequest xmlns="urn:x" `},
		{`version="1.0">`, `version="1.0" versión="2">`},
		{`version="1.0">`, `version="1.0" version="1.0">`},
		{`version="1.0">`, `version="eins">`},
		{`version="1.0">`, `version="">`},
		{"<uniqueId>", "<uniqueId>-"},
		{"<uniqueId>", "<uniqueId>99999999999"},
		{"<uniqueId>", "<uniqueId><b/>"},
		{"<uniqueId>", "<uniqueID>1</uniqueID><uniqueId>"},
		{"<uniqueId>", "<destination/><source/><uniqueId>"},
		{"<uniqueId>", "<source><b/></source><uniqueId>"},
		{"<uniqueId>", "<uniqueId>1</uniqueId><uniqueId>"},
		{"<header>", "<header>text"},
		{"<service>", "<service>x</service><service>"},
		{"<service>wsfe", "<service>ws"},
		{"<service>wsfe", "<service>ws fe"},
		{"<service>wsfe", "<service>1wsfe"},
		{"<service>wsfe", "<service>" + strings.Repeat("w", 36)},
		{"<service>wsfe</service>", ""},
		{"2026-11-22T06:35:24+00:00", "2026-02-31T06:35:24+00:00"},
		{"2026-11-22T06:35:24+00:00", "2026-11-22T25:00:00+00:00"},
		{"2026-11-22T06:35:24+00:00", "2026-11-22 06:35:24"},
		{"2026-11-22T06:35:24+00:00", "2026-11-22T6:35:24Z"},
		{"2026-11-22T06:35:24+00:00", "2026-11-22T06:35:24,5Z"},
		{"2026-11-22T06:55:24+00:00", "22/11/2026"},
		{"2026-11-22T06:55:24+00:00", ""},
		{"</loginTicketRequest>", "</loginTicketRequest><loginTicketRequest/>"},
		{"</loginTicketRequest>", ""},
		{"<header>", strings.Repeat("<header>", 40)},
	} {
		request := wsaatest.Request(loginNow)
		changed := strings.Replace(request, change[0], change[1], 1)
		if change[0] == "loginTicketRequest" {
			changed = strings.ReplaceAll(request, change[0], change[1])
		}
		if changed == request {
			t.Fatalf("%s is not in the request", change[0])
		}
		if _, fault := s.Login(in0(t, client, changed, wsaatest.Form{})); code(fault) != "xml.bad" {
			t.Errorf("%s: %v", changed, fault)
		}
	}
}

// TestARequestAtTheWrongTimeOrPlace checks the codes about a request's content.
func TestARequestAtTheWrongTimeOrPlace(t *testing.T) {
	s := newLoginService(t)
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	nobody := wsaatest.NewClient(t, wsaatest.Spec{Subject: pkix.Name{CommonName: "prueba"}})
	letters := wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("2011111111A", "prueba")})
	const from, until = "2026-11-22T06:35:24+00:00", "2026-11-22T06:55:24+00:00"
	for name, test := range map[string]struct {
		client   *wsaatest.Client
		from, to string
		want     string
	}{
		"version 2":                        {client, `"1.0">`, `"2.0">`, "xml.version.notSupported"},
		"version 1.1":                      {client, `"1.0">`, `"1.1">`, "xml.version.notSupported"},
		"version -1":                       {client, `"1.0">`, `"-1">`, "xml.version.notSupported"},
		"another source":                   {client, "<header>", "<header><source>CN=otra, SERIALNUMBER=CUIT 20111111112</source>", "xml.source.invalid"},
		"a part of the source":             {client, "<header>", "<header><source>CN=prueba</source>", "xml.source.invalid"},
		"no source in it":                  {client, "<header>", "<header><source/>", "xml.source.invalid"},
		"another destination":              {client, "<header>", "<header><destination>CN=wsaa, O=otra</destination>", "xml.destination.invalid"},
		"made a millisecond ahead":         {client, from, "2026-11-22T06:45:24.564Z", "xml.generationTime.invalid"},
		"made in another zone's time":      {client, from, "2026-11-22T06:45:24", "xml.generationTime.invalid"},
		"made more than a day ago":         {client, from, "2026-11-21T06:45:24Z", "xml.generationTime.invalid"},
		"expired":                          {client, until, "2026-11-22T06:45:24Z", "xml.expirationTime.expired"},
		"valid for more than a day":        {client, until, "2026-11-23T06:45:25Z", "xml.expirationTime.invalid"},
		"for another service":              {client, "wsfe<", "wsfex<", "wsn.notFound"},
		"for a service in capitals":        {client, "wsfe<", "WSFE<", "wsn.notFound"},
		"of a name without CUIT":           {nobody, "", "", "coe.notAuthorized"},
		"of a name with a CUIT of letters": {letters, "", "", "coe.notAuthorized"},
	} {
		request := strings.Replace(wsaatest.Request(loginNow), test.from, test.to, 1)
		if _, fault := s.Login(in0(t, test.client, request, wsaatest.Form{})); code(fault) != test.want {
			t.Errorf("%s: %v, want %s", name, fault, test.want)
		}
	}
}

// TestFailuresOnPurpose: each code can be had, and a request that is wrong gets its own.
func TestFailuresOnPurpose(t *testing.T) {
	s := newLoginService(t)
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	for _, s.Failure = range wsaa.FaultCodes() {
		if _, fault := s.Login(in0(t, client, wsaatest.Request(loginNow), wsaatest.Form{})); code(fault) != s.Failure {
			t.Errorf("%s: %v", s.Failure, fault)
		}
		if _, fault := s.Login("aGVsbG8="); code(fault) != "cms.bad" {
			t.Errorf("%s: %v", s.Failure, fault)
		}
	}
}

// pemOf returns certificates in PEM.
func pemOf(clients ...*wsaatest.Client) (text []byte) {
	for _, c := range clients {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate.Raw})...)
	}
	return text
}

// TestTrust: who is trusted, and by whom.
func TestTrust(t *testing.T) {
	root := wsaatest.NewClient(t, wsaatest.Spec{Subject: pkix.Name{CommonName: "AC Raiz"}, Authority: true})
	between := wsaatest.NewClient(t, wsaatest.Spec{Subject: pkix.Name{CommonName: "Computadores"}, Authority: true, Issuer: root})
	client := wsaatest.NewClient(t, wsaatest.Spec{Issuer: between})
	direct := wsaatest.NewClient(t, wsaatest.Spec{Issuer: root})
	stranger := wsaatest.NewClient(t, wsaatest.Spec{})
	notAuthority := wsaatest.NewClient(t, wsaatest.Spec{Issuer: stranger})
	expired := wsaatest.NewClient(t, wsaatest.Spec{Subject: pkix.Name{CommonName: "vencida"}, Authority: true, Until: loginNow.Add(-time.Hour)})
	late := wsaatest.NewClient(t, wsaatest.Spec{Issuer: expired})
	coming := wsaatest.NewClient(t, wsaatest.Spec{
		Subject: pkix.Name{CommonName: "futura"}, Authority: true, From: loginNow.Add(time.Hour), Until: loginNow.AddDate(50, 0, 0),
	})
	early := wsaatest.NewClient(t, wsaatest.Spec{Issuer: coming})
	for name, test := range map[string]struct {
		trusted []byte
		client  *wsaatest.Client
		form    wsaatest.Form
		want    string
	}{
		"its whole chain":                {pemOf(between, root), client, wsaatest.Form{}, "granted"},
		"its issuer alone":               {pemOf(between), client, wsaatest.Form{}, "granted"},
		"the root, and it brings others": {pemOf(root), client, wsaatest.Form{Others: []*wsaatest.Client{between}}, "granted"},
		"the root alone":                 {pemOf(root), client, wsaatest.Form{}, "cms.cert.untrusted"},
		"one of the root":                {pemOf(root), direct, wsaatest.Form{}, "granted"},
		"a stranger":                     {pemOf(between, root), stranger, wsaatest.Form{}, "cms.cert.untrusted"},
		"the stranger is named":          {pemOf(root, stranger), stranger, wsaatest.Form{}, "granted"},
		"issued by a stranger":           {pemOf(stranger), notAuthority, wsaatest.Form{}, "cms.cert.untrusted"},
		"an authority that has expired":  {pemOf(expired), late, wsaatest.Form{}, "cms.cert.untrusted"},
		"an authority to come":           {pemOf(coming), early, wsaatest.Form{}, "cms.cert.untrusted"},
		"no XML, of a stranger":          {pemOf(root), stranger, wsaatest.Form{NoAttributes: true}, "cms.cert.untrusted"},
	} {
		s := newLoginService(t)
		var err error
		if s.Trust, err = wsaa.TrustOf(test.trusted); err != nil {
			t.Fatal(err)
		}
		request := wsaatest.Request(loginNow)
		if test.form.NoAttributes {
			request = "no XML"
		}
		if _, fault := s.Login(in0(t, test.client, request, test.form)); code(fault) != test.want {
			t.Errorf("%s: %v, want %s", name, fault, test.want)
		}
	}
	for _, text := range []string{"", "no PEM", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		if _, err := wsaa.TrustOf([]byte(text)); err == nil {
			t.Errorf("%q is trusted", text)
		}
	}
}

// TestALoginTellsNothingSecret: neither its error nor its text has a part of the ticket.
func TestALoginTellsNothingSecret(t *testing.T) {
	s := newLoginService(t)
	login, fault := s.Login(in0(t, wsaatest.NewClient(t, wsaatest.Spec{}), wsaatest.Request(loginNow), wsaatest.Form{}))
	if fault != nil {
		t.Fatal(fault)
	}
	got := readResponse(t, login)
	if part := secretsIn(spew(login), wsfev1.Secret(got.Token), wsfev1.Secret(got.Sign)); part != "" {
		t.Errorf("%s is in %s", part, spew(login))
	}
}
