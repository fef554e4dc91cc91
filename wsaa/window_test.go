package wsaa_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

func spew(value any) string { return fmt.Sprintf("%+v %#v %s", value, value, value) }

// TestASecondTicketWithinTheWindow is refused, to the same computer for the same service.
func TestASecondTicketWithinTheWindow(t *testing.T) {
	s := newLoginService(t)
	s.Window, s.Services = 10*time.Minute, []string{"wsfe", "wsfex"}
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	renewed := wsaatest.NewClient(t, wsaatest.Spec{From: loginNow.Add(-time.Hour)})
	other := wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("20111111112", "otro")})
	login := func(c *wsaatest.Client, service string) string {
		t.Helper()
		request := wsaatest.Request(s.now)[:len(wsaatest.Request(s.now))-len("wsfe</service></loginTicketRequest>")] + service + "</service></loginTicketRequest>"
		_, fault := s.Login(in0(t, c, request, wsaatest.Form{}))
		return code(fault)
	}
	for i, step := range []struct {
		after   time.Duration
		client  *wsaatest.Client
		service string
		want    string
	}{
		{0, client, "wsfe", "granted"},
		{0, client, "wsfe", "coe.alreadyAuthenticated"},
		{0, renewed, "wsfe", "coe.alreadyAuthenticated"},
		{0, client, "wsfex", "granted"},
		{0, other, "wsfe", "granted"},
		{9*time.Minute + 59*time.Second, client, "wsfe", "coe.alreadyAuthenticated"},
		{time.Second, client, "wsfe", "granted"},
		{time.Minute, client, "wsfe", "coe.alreadyAuthenticated"},
		{-time.Hour, client, "wsfe", "granted"}, // the clock was moved: the ticket is not valid yet
	} {
		s.now = s.now.Add(step.after)
		if got := login(step.client, step.service); got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
	s.Window = 0
	if got := login(client, "wsfe"); got != "granted" {
		t.Errorf("without a window: %s", got)
	}
	s.Window, s.Life = time.Hour, time.Minute
	s.now = s.now.Add(time.Minute)
	if got := login(client, "wsfe"); got != "granted" {
		t.Errorf("after the ticket has expired: %s", got)
	}
}

// TestARefusedLoginBeginsNoWindow.
func TestARefusedLoginBeginsNoWindow(t *testing.T) {
	s := newLoginService(t)
	s.Window = 10 * time.Minute
	request := in0(t, wsaatest.NewClient(t, wsaatest.Spec{}), wsaatest.Request(loginNow), wsaatest.Form{})
	s.Failure = wsaa.ServiceUnavailable
	_, failed := s.Login(request)
	s.Failure = ""
	_, fault := s.Login(request)
	if code(failed) != "wsn.unavailable" || fault != nil {
		t.Errorf("%v, then %v", failed, fault)
	}
}

// TestStrictTicketsAreLookedAtInTheOrderOfTheService: times, Sign, the rest.
func TestStrictTicketsAreLookedAtInTheOrderOfTheService(t *testing.T) {
	s := newLoginService(t)
	login, fault := s.Login(in0(t, wsaatest.NewClient(t, wsaatest.Spec{}), wsaatest.Request(loginNow), wsaatest.Form{}))
	if fault != nil {
		t.Fatal(fault)
	}
	held := readResponse(t, login)
	checker := wsaa.NewChecker(s.Issuer.Certificate())
	for _, test := range []struct {
		sign  string
		cuit  wsfev1.CUIT
		later time.Duration
		want  string
	}{
		{held.Sign, 20111111112, 0, ""},
		{held.Sign, 20111111112, 12 * time.Hour, ""},
		{held.Sign, 30500010912, 0, "lista de relaciones"},
		{"c2lnbg==", 30500010912, 0, "El Sign no es la firma del Token"},
		{"c2lnbg==", 30500010912, 13 * time.Hour, "venció"},
		{"c2lnbg==", 30500010912, -2 * time.Minute, "vale desde"},
	} {
		auth := wsfev1.Auth{Token: wsfev1.Secret(held.Token), Sign: wsfev1.Secret(test.sign), Cuit: test.cuit}
		got := checker.StrictRefusal(auth, loginNow.Add(test.later))
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// TestOneOfManyAtOnceGetsTheTicket, and the state is shared by the services that follow each other.
func TestOneOfManyAtOnceGetsTheTicket(t *testing.T) {
	s := newLoginService(t)
	s.Window = 10 * time.Minute
	request := in0(t, wsaatest.NewClient(t, wsaatest.Spec{}), wsaatest.Request(loginNow), wsaatest.Form{})
	faults := make([]*wsaa.Fault, 16)
	var all sync.WaitGroup
	for i := range faults {
		all.Go(func() { _, faults[i] = s.Login(request) })
	}
	all.Wait()
	granted := 0
	for _, fault := range faults {
		if code(fault) == "granted" {
			granted++
		}
	}
	if granted != 1 {
		t.Errorf("%d tickets", granted)
	}
	next := newLoginService(t)
	next.Window, next.Logins = s.Window, s.Logins
	if _, fault := next.Login(request); code(fault) != "coe.alreadyAuthenticated" {
		t.Errorf("the next service: %v", fault)
	}
}

// TestTheMemoryOfLoginsIsBounded: the oldest is forgotten.
func TestTheMemoryOfLoginsIsBounded(t *testing.T) {
	var logins wsaa.Logins
	const window = time.Hour
	key := func(i int) wsaa.LoginKey { return wsaa.KeyOf(fmt.Append(nil, i), "wsfe") }
	for i := range 10_001 {
		if !logins.Take(key(i), loginNow.Add(time.Duration(i)), window) {
			t.Fatalf("login %d", i)
		}
	}
	now := loginNow.Add(time.Minute)
	if logins.Take(key(1), now, window) || logins.Take(key(10_000), now, window) {
		t.Error("a login was forgotten that is not the oldest")
	}
	if !logins.Take(key(0), now, window) {
		t.Error("the oldest is still known")
	}
	if n := logins.Len(); n != 10_000 {
		t.Errorf("%d logins are known", n)
	}
	if logins.Take(key(-1), now.Add(2*window), window); logins.Len() != 1 {
		t.Errorf("%d logins are known after the window", logins.Len())
	}
}
