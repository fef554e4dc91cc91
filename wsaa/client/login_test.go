package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// loginNow is the moment of the logins.
var loginNow = time.Date(2026, 11, 22, 6, 45, 24, 0, time.UTC)

// newClient returns a service whose clock stands, and a client of it whose clock is behind it by
// skew.
func newClient(t *testing.T, skew time.Duration) (*wsaatest.Service, *client.Client) {
	t.Helper()
	computer := wsaatest.NewClient(t, wsaatest.Spec{})
	c, err := credential.New(computer.Certificate, computer.Key)
	if err != nil {
		t.Fatal(err)
	}
	s := wsaatest.NewService(t, func() time.Time { return loginNow })
	s.Window = 0
	return s, &client.Client{URL: "https://login.test/", Credential: c, Post: s.Post, Clock: func() time.Time { return loginNow.Add(-skew) }}
}

func TestALoginGivesATicket(t *testing.T) {
	s, c := newClient(t, 0)
	s.Represented = map[wsfev1.CUIT][]wsfev1.CUIT{20111111112: {30500010912}}
	result, err := c.Login(t.Context(), "wsfe", 0)
	if err != nil {
		t.Fatal(err)
	}
	ticket := result.Ticket
	if ticket.Service != "wsfe" || !ticket.Generation.Equal(loginNow) || !ticket.Expiration.Equal(loginNow.Add(12*time.Hour)) {
		t.Errorf("%+v", ticket)
	}
	if !ticket.Known || !slices.Equal(ticket.Relations, []wsfev1.CUIT{20111111112, 30500010912}) || !ticket.ActsFor(30500010912) || ticket.ActsFor(1) {
		t.Errorf("it acts for %v", ticket.Relations)
	}
	if err := wsaa.VerifySign(s.Issuer.Certificate(), ticket.Token, ticket.Sign); err != nil {
		t.Error(err)
	}
	if document := result.Document.Reveal(); !strings.HasPrefix(document, "<?xml ") || !strings.Contains(document, "<token>"+ticket.Token.Reveal()+"</token>") {
		t.Error("the document is not the ticket as the service wrote it")
	}
	if text := fmt.Sprintf("%v %+v %#v", result, *ticket, *ticket); strings.Contains(text, ticket.Token.Reveal()) || strings.Contains(text, ticket.Sign.Reveal()) {
		t.Errorf("it prints a credential: %s", text)
	}
}

// TestTheMessageIsWhatTheServiceWants: SOAP 1.1 with its action, times with an offset, ten minutes
// on each side.
func TestTheMessageIsWhatTheServiceWants(t *testing.T) {
	_, c := newClient(t, 0)
	var sent client.Message
	c.Post = func(_ context.Context, message client.Message) (client.Reply, error) {
		sent = message
		return client.Reply{}, errors.New("enough")
	}
	if _, err := c.Login(t.Context(), "wsfe", 90*time.Second); err == nil {
		t.Error("no error")
	}
	if sent.URL != c.URL || sent.Action != `""` || !strings.HasPrefix(sent.ContentType, "text/xml") {
		t.Errorf("%s %s %s", sent.URL, sent.Action, sent.ContentType)
	}
	_, in0, fault := wsaa.ReadEnvelope(sent.Body)
	if fault != nil || strings.ContainsAny(in0, " \r\n") {
		t.Fatalf("%v: %s", fault, in0)
	}
	content := contentOf(t, in0)
	want := `<?xml version="1.0" encoding="UTF-8"?><loginTicketRequest version="1.0"><header><uniqueId>1795330014</uniqueId>` +
		`<generationTime>2026-11-22T03:36:54-03:00</generationTime><expirationTime>2026-11-22T03:56:54-03:00</expirationTime></header>` +
		`<service>wsfe</service></loginTicketRequest>`
	if content != want {
		t.Errorf("%s, want\n%s", content, want)
	}
	if _, err := c.Login(t.Context(), "no service", 0); err == nil || !strings.Contains(err.Error(), "request.notSigned") {
		t.Error(err)
	}
}

// TestTheSkewIsMeasured by the header Date, or else by the ticket, and corrected where it is known.
func TestTheSkewIsMeasured(t *testing.T) {
	for _, test := range []struct {
		skew, known time.Duration
		noDate      bool
		code        string
	}{
		{0, 0, false, ""},
		{9 * time.Minute, 0, false, ""},
		{-9 * time.Minute, 0, false, ""},
		{-9 * time.Minute, 0, true, ""},
		{11 * time.Minute, 0, false, wsaa.ExpirationTimeExpired},
		{-11 * time.Minute, 0, false, wsaa.GenerationTimeInvalid},
		{11 * time.Minute, 11 * time.Minute, false, ""},
		{-26 * time.Hour, -26 * time.Hour, false, ""},
		{26 * time.Hour, 26*time.Hour + 5*time.Minute, true, ""},
	} {
		s, c := newClient(t, test.skew)
		s.NoDate = test.noDate
		result, err := c.Login(t.Context(), "wsfe", test.known)
		var failed *client.Error
		if test.code != "" && (!errors.As(err, &failed) || failed.Code != test.code || failed.Advice != client.Correct) || test.code == "" && err != nil {
			t.Errorf("%+v: %v", test, err)
		}
		if off := (result.Skew - test.skew).Abs(); !result.Measured || off > time.Second {
			t.Errorf("%+v: measured %v", test, result)
		}
	}
	s, c := newClient(t, time.Hour)
	s.NoDate = true
	if result, err := c.Login(t.Context(), "wsfe", 0); err == nil || result.Measured {
		t.Errorf("%v, %v: no answer has shown the time", result, err)
	}
}

// TestADateThatExplainsNothingIsNotBelieved: it is a proxy's, or of a page in the service's place. With it every
// later login would be refused for its times, and a ticket used too long or too short.
func TestADateThatExplainsNothingIsNotBelieved(t *testing.T) {
	page := func(client.Reply) client.Reply {
		return client.Reply{Status: 503, Body: []byte("<html>maintenance</html>")}
	}
	for name, test := range map[string]struct {
		ahead    time.Duration
		failure  string
		reply    func(client.Reply) client.Reply
		measured bool
	}{
		"a ticket, local time as GMT": {ahead: -3 * time.Hour, measured: true}, // by the ticket
		"a ticket, next day":          {ahead: 24 * time.Hour, measured: true},
		"a fault about the window":    {ahead: -3 * time.Hour, failure: wsaa.AlreadyAuthenticated},
		"a page":                      {ahead: 13 * time.Hour, reply: page},
		"a page of the right time":    {reply: page, measured: true},
	} {
		s, c := newClient(t, 0)
		s.Failure = test.failure
		s.Reply = func(reply client.Reply) client.Reply {
			if test.reply != nil {
				reply = test.reply(reply)
			}
			reply.Date = loginNow.Add(test.ahead)
			return reply
		}
		result, _ := c.Login(t.Context(), "wsfe", 0)
		if result.Measured != test.measured || result.Skew.Abs() > time.Second {
			t.Errorf("%s: skew %v, measured %v", name, result.Skew, result.Measured)
		}
	}
}

// TestEveryFaultHasItsAdvice, in the words of the authority and with a cure.
func TestEveryFaultHasItsAdvice(t *testing.T) {
	advice := map[string]client.Advice{
		wsaa.AlreadyAuthenticated: client.Wait, wsaa.CertificateInvalid: client.Retry,
		wsaa.GenerationTimeInvalid: client.Correct, wsaa.ExpirationTimeExpired: client.Correct, wsaa.ExpirationTimeInvalid: client.Correct,
		wsaa.ServiceUnavailable: client.Retry, wsaa.LoginUnavailable: client.Retry, wsaa.LoginInternalError: client.Retry,
	}
	for _, code := range wsaa.FaultCodes() {
		s, c := newClient(t, 0)
		s.Failure = code
		_, err := c.Login(t.Context(), "wsfe", 0)
		want, ok := advice[code]
		if !ok {
			want = client.Stop
		}
		var failed *client.Error
		if !errors.As(err, &failed) || failed.Code != code || failed.Advice != want || failed.Text != wsaa.NewFault(code, nil).Text {
			t.Errorf("%s: %v", code, err)
			continue
		}
		if failed.Cure == "" && want != client.Retry {
			t.Errorf("%s: no cure", code)
		}
	}
}

// TestOtherFaultsAreTriedAgain: the framework's faults, and unknown ones. One is known by its text.
func TestOtherFaultsAreTriedAgain(t *testing.T) {
	for _, test := range []struct {
		code, text, want string
		advice           client.Advice
		shown            string
	}{
		{"ns1:coe.alreadyAuthenticated", "x", wsaa.AlreadyAuthenticated, client.Wait, "El CEE ya posee un TA"},
		{"soapenv:Server.generalException", "El CEE ya posee un TA valido", wsaa.AlreadyAuthenticated, client.Wait, ""},
		{" ns1:wsn.unavailable\n", "", wsaa.ServiceUnavailable, client.Retry, ""},
		{"soapenv:Server.userException", "java.lang.NullPointerException", client.Unknown, client.Retry, "Server.userException"},
		{"", "", client.Unknown, client.Retry, ""},
		{"x", "token " + strings.Repeat("QUJD", 20) + "\x00\u202e fin", client.Unknown, client.Retry, "token … fin"},
		{"x", strings.Repeat("a ", 1000), client.Unknown, client.Retry, "…: code x"},
	} {
		var failed *client.Error
		err := client.FaultError(test.code, test.text)
		if !errors.As(err, &failed) || failed.Code != test.want || failed.Advice != test.advice || !strings.Contains(err.Error(), test.shown) {
			t.Errorf("%q: %v", test.code, err)
		}
		if strings.Contains(err.Error(), "QUJD") || len(err.Error()) > 600 {
			t.Errorf("it shows %s", err)
		}
	}
}
