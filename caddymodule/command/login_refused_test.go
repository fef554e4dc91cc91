package command_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
)

// TestEachFaultOfALoginHasItsStatus, its code, the authority's text and what to do.
func TestEachFaultOfALoginHasItsStatus(t *testing.T) {
	s := startLogin(t)
	unsure := map[string]bool{wsaa.ServiceUnavailable: true, wsaa.LoginUnavailable: true, wsaa.LoginInternalError: true}
	for _, code := range wsaa.FaultCodes() {
		s.Change(func(s *wsaatest.Service) { s.Failure = code })
		want, why := 1, client.Fault(code)
		if unsure[code] {
			want = 2
		}
		got := words("login " + s.url + good)
		if got.status() != want || got.out != "" || !strings.Contains(got.err.Error(), code+": "+why.Text) || !strings.Contains(got.err.Error(), why.Cure) {
			t.Errorf("%s: status %d, want %d: %v\n%s", code, got.status(), want, got.err, got.out)
		}
		if why.Advice == client.Retry && !strings.Contains(got.err.Error(), "; try again after a minute or more") {
			t.Errorf("%s: %v", code, got.err)
		}
		noSecrets(t, got)
	}
}

// TestASecondLoginSaysWhatToDo: the service gives no other ticket for some minutes.
func TestASecondLoginSaysWhatToDo(t *testing.T) {
	s := startLogin(t)
	s.Window = 10 * time.Minute
	if got := words("login " + s.url + good); got.status() != 0 {
		t.Fatal(got.err)
	}
	got := words("login " + s.url + good)
	for _, want := range []string{"coe.alreadyAuthenticated", "ya posee un TA valido", "another program may have the ticket", "log in again after ten minutes (two in production)"} {
		if got.status() != 1 || !strings.Contains(got.err.Error(), want) {
			t.Errorf("status %d, no %q in %v", got.status(), want, got.err)
		}
	}
}

// TestADifferenceOfTheClocksIsShown.
func TestADifferenceOfTheClocksIsShown(t *testing.T) {
	for _, test := range []struct {
		ahead  time.Duration
		status int
		want   string
	}{
		{3 * time.Minute, 0, "behind the service: set its clock (NTP)"},
		{-3 * time.Minute, 0, "ahead of the service: set its clock (NTP)"},
		{-20 * time.Minute, 1, "ahead of the service: set its clock (NTP)"},
	} {
		s := startLogin(t)
		s.Clock = func() time.Time { return time.Now().Add(test.ahead) }
		got := words("login " + s.url + good)
		text := got.out
		if got.err != nil {
			text += got.err.Error()
		}
		if got.status() != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%s: status %d: %v\n%s", test.ahead, got.status(), got.err, got.out)
		}
	}
}

// TestWhatKeepsALoginFromWorkingIsNamed.
func TestWhatKeepsALoginFromWorkingIsNamed(t *testing.T) {
	s := startLogin(t)
	writeCredential(t, "old", wsaatest.Spec{From: time.Now().AddDate(-3, 0, 0)})
	writeCredential(t, "young", wsaatest.Spec{From: time.Now().AddDate(1, 0, 0)})
	writeCredential(t, "homo", wsaatest.Spec{From: time.Now().Add(-time.Hour), Issuer: authority(t, "Computadores Test")})
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	secure := httptest.NewUnstartedServer(loginHandler(t, s.Service))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	oldTLS := httptest.NewUnstartedServer(loginHandler(t, s.Service))
	oldTLS.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}}
	oldTLS.Config.ErrorLog = log.New(io.Discard, "", 0)
	oldTLS.StartTLS()
	defer oldTLS.Close()
	open, err := os.ReadFile("good.key")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := os.ReadFile("good.crt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("open.key", open, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("both.pem", slices.Concat(open, cert), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("other.key", open[:len(open)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	// No line reaches the authority, even if a check fails to stop it: good.crt is not its authority.
	for line, want := range map[string]struct {
		status int
		text   string
	}{
		"login":                        {2, "homo|prod|URL is missing"},
		"login hom" + good:             {2, "did you mean homo?"},
		"login ftp://localhost" + good: {2, "this is not the address of a login service"},
		"login http://me:secret@localhost" + good:                            {2, "leave them out"},
		"login http://wsaa.afip.gov.ar" + good:                               {2, "https alone"},
		"login " + s.url:                                                     {2, "--certificate is missing"},
		"login " + s.url + " --certificate good.crt":                         {2, "name its file with --key"},
		"login " + s.url + " --service W" + good:                             {2, "this is not the id of a service"},
		"login " + s.url + " --certificate none.crt":                         {2, "reading the certificate: open none.crt"},
		"login " + s.url + " --certificate both.pem":                         {2, "can be read by others (mode 0644): chmod 600 it"},
		"login " + s.url + " --certificate good.crt --key open.key":          {2, "can be read by others (mode 0644): chmod 600 it"},
		"login " + s.url + " --certificate good.crt --key other.key":         {2, "no private key"},
		"login " + s.url + " --passphrase-env FIELATO_NOT" + good:            {2, "--passphrase-env: there is no such environment variable"},
		"login " + s.url + " --tls-ca none.pem" + good:                       {2, "--tls-ca: open none.pem"},
		"login " + s.url + " --tls-ca good.key" + good:                       {2, "there is no certificate in it"},
		"login prod --certificate homo.crt --key homo.key --tls-ca good.crt": {1, "it was issued for testing"},
		"login " + s.url + " --certificate old.crt --key old.key":            {1, "the certificate has expired: request a new one"},
		"login " + s.url + " --certificate young.crt --key young.key":        {1, "the certificate is not yet valid"},
		"login " + gone.URL + good:                                           {2, "service.unreachable: "},
		"login " + page.URL + good:                                           {2, "service.unexpectedReply: status 404"},
		"login " + s.url + "/moved" + good:                                   {2, "service.unexpectedReply: status 307"},
		"login " + oldTLS.URL + good:                                         {2, "try --legacy-tls"},
		"login " + secure.URL + good:                                         {2, "name the authority's certificate with --tls-ca"},
	} {
		got := words(line)
		if got.status() != want.status || got.out != "" || !strings.Contains(got.err.Error(), want.text) {
			t.Errorf("%s: status %d, want %d: %v, want %s", line, got.status(), want.status, got.err, want.text)
		}
		noSecrets(t, got)
		if strings.Contains(got.err.Error(), "me:secret") {
			t.Errorf("%s: %v", line, got.err)
		}
	}
	if s.Granted() != 0 {
		t.Errorf("%d logins", s.Granted())
	}
	writePEM(t, "ca.pem", "CERTIFICATE", secure.Certificate().Raw, 0o644)
	if got := words("login " + secure.URL + good + " --tls-ca ca.pem"); got.status() != 0 {
		t.Errorf("with its authority: %v", got.err)
	}
	if got := words("login " + oldTLS.URL + good + " --tls-ca ca.pem --legacy-tls"); got.status() != 0 {
		t.Errorf("with --legacy-tls: %v", got.err)
	}
}

// TestALoginTakesNoProxyOfTheEnvironment: nobody between is shown a signed request. It is a process
// of its own, because net/http reads the proxies of the environment once in each.
func TestALoginTakesNoProxyOfTheEnvironment(t *testing.T) {
	s := startLogin(t)
	var asked atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	defer proxy.Close()
	// A name, because an address of this machine is reached past any proxy.
	process := caddytest.CommandProcess(t, "wsfev1 login "+strings.Replace(s.url, "127.0.0.1", "fielato.invalid", 1)+good)
	process.Env = append(process.Env, "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "ALL_PROXY="+proxy.URL)
	out, err := process.CombinedOutput()
	if asked.Load() || process.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "no proxy of the environment is used") {
		t.Errorf("proxy asked: %v, %v: %s", asked.Load(), err, out)
	}
}

// TestThePassphraseComesFromAVariable, and no flag takes it.
func TestThePassphraseComesFromAVariable(t *testing.T) {
	s := startLogin(t)
	der, err := x509.MarshalPKCS8PrivateKey(wsaatest.SharedKey(t))
	if err != nil {
		t.Fatal(err)
	}
	block, err := x509.EncryptPEMBlock(strings.NewReader(strings.Repeat("r", 64)), "PRIVATE KEY", der, []byte("clave"), x509.PEMCipherAES256) //nolint:staticcheck // older programs write it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("sealed.key", pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	line := "login " + s.url + " --certificate good.crt --key sealed.key"
	t.Setenv("FIELATO_RIGHT", "clave")
	t.Setenv("FIELATO_WRONG", "otra-clave")
	for flags, want := range map[string]struct {
		status int
		text   string
	}{
		"":                                {2, "put it into an environment variable, and name that with --passphrase-env"},
		" --passphrase-env FIELATO_WRONG": {2, "the passphrase does not open the private key"},
		" --passphrase-env clave":         {2, "give the name of the one that has the passphrase"},
		" --passphrase-env FIELATO_RIGHT": {0, ""},
	} {
		got := words(line + flags)
		text := got.out + got.errs
		if got.err != nil {
			text += got.err.Error()
		}
		if got.status() != want.status || !strings.Contains(text, want.text) || strings.Contains(text, "clave") {
			t.Errorf("%s: status %d: %s", flags, got.status(), text)
		}
	}
}
