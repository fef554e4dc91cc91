package command_test

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
)

// loginSite is a login service over HTTP, with the files of a computer in the current folder:
// good.crt and good.key.
type loginSite struct {
	*wsaatest.Service
	url string
}

func startLogin(t *testing.T) *loginSite {
	t.Helper()
	service := wsaatest.NewService(t, time.Now)
	service.Window = 0
	server := httptest.NewServer(loginHandler(t, service))
	t.Cleanup(server.Close)
	t.Chdir(t.TempDir())
	writeCredential(t, "good", wsaatest.Spec{From: time.Now().Add(-time.Hour)})
	return &loginSite{service, server.URL}
}

// loginHandler serves a login service, and a redirection to it.
func loginHandler(t *testing.T, service *wsaatest.Service) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wsaa.Path, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header["Soapaction"] == nil {
			t.Errorf("%v, header %v", err, r.Header)
		}
		reply, err := service.Post(r.Context(), client.Message{Body: body})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", wsaa.SOAP11.ContentType())
		w.Header().Set("Date", reply.Date.UTC().Format(http.TimeFormat))
		w.WriteHeader(reply.Status)
		_, _ = w.Write(reply.Body)
	})
	mux.Handle("POST /moved", http.RedirectHandler(wsaa.Path, http.StatusTemporaryRedirect))
	return mux
}

// writeCredential writes NAME.crt and NAME.key.
func writeCredential(t *testing.T, name string, spec wsaatest.Spec) {
	t.Helper()
	computer := wsaatest.NewClient(t, spec)
	der, err := x509.MarshalPKCS8PrivateKey(computer.Key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, name+".crt", "CERTIFICATE", computer.Certificate.Raw, 0o644)
	writePEM(t, name+".key", "PRIVATE KEY", der, 0o600)
}

func writePEM(t *testing.T, file, kind string, der []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode); err != nil {
		t.Fatal(err)
	}
}

const good = " --certificate good.crt --key good.key"

// noSecrets checks that a result shows nothing that belongs into no output: parts of base64, of keys
// and of tickets, are longer than any word that a command prints.
func noSecrets(t *testing.T, got result) {
	t.Helper()
	text := got.out + got.errs
	if got.err != nil {
		text += got.err.Error()
	}
	secrets := []string{"PRIVATE", "PD94", "<token>", "MII"} // an XML declaration and DER in base64
	if key, err := os.ReadFile("good.key"); err == nil {
		secrets = append(secrets, strings.Split(string(key), "\n")[1])
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("shows %.4s…: %s", secret, text)
		}
	}
}

// TestLoginShowsWhatTheTicketIsGoodFor.
func TestLoginShowsWhatTheTicketIsGoodFor(t *testing.T) {
	s := startLogin(t)
	s.Represented = map[wsfev1.CUIT][]wsfev1.CUIT{20111111112: {30500010912}}
	got := words("login " + s.url + good)
	for _, want := range []string{
		"Logged in at another login service: there is a ticket for wsfe.\n", s.url + wsaa.Path, "SERIALNUMBER=CUIT 20111111112, CN=prueba",
		"Acts for     20111111112, 30500010912\n", "Since ", "Until ", "-03:00\n", "(in 364 days)",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in %v\n%s", want, got.err, got.out)
		}
	}
	if got.status() != 0 || got.errs != "" || strings.Contains(got.out, "Clock") {
		t.Errorf("status %d: %v, said %q\n%s", got.status(), got.err, got.errs, got.out)
	}
	noSecrets(t, got)
	if s.Granted() != 1 {
		t.Errorf("%d logins", s.Granted())
	}
}

// loginReport is what --format json prints.
type loginReport struct {
	Result, Service, Saved, Code, Text, Advice, Cure string
	URL, Environment                                 string
	Certificate                                      struct {
		Subject, Expires string
		Cuit             wsfev1.CUIT
	}
	Ticket struct {
		Since, Until string
		Cuits        []wsfev1.CUIT
	}
	SkewSeconds int64 `json:"skew_seconds"`
}

func loginJSON(t *testing.T, got result) (r loginReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(got.out), &r, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v: %v\n%s", err, got.err, got.out)
	}
	return r
}

// TestLoginReportsAsJSON, also that it was refused.
func TestLoginReportsAsJSON(t *testing.T) {
	s := startLogin(t)
	got := words("login " + s.url + good + " --format json")
	r := loginJSON(t, got)
	since, errSince := time.Parse(time.RFC3339, r.Ticket.Since)
	until, errUntil := time.Parse(time.RFC3339, r.Ticket.Until)
	if got.status() != 0 || r.Result != "granted" || r.Certificate.Cuit != issuer || len(r.Ticket.Cuits) != 1 ||
		errSince != nil || errUntil != nil || until.Sub(since) != 12*time.Hour {
		t.Errorf("status %d, %+v", got.status(), r)
	}
	noSecrets(t, got)
	s.Change(func(s *wsaatest.Service) { s.Failure = wsaa.NotAuthorized })
	got = words("login " + s.url + good + " --format json")
	if r := loginJSON(t, got); got.status() != 1 || r.Result != "refused" || r.Code != wsaa.NotAuthorized || r.Advice != "stop" || r.Text == "" || r.Cure == "" {
		t.Errorf("status %d, %+v", got.status(), r)
	}
}

// TestLoginSavesTheTicket as the service wrote it, where only its owner reads it, and never over
// another file.
func TestLoginSavesTheTicket(t *testing.T) {
	s := startLogin(t)
	got := words("login " + s.url + good + " --save ta.xml")
	saved, err := os.ReadFile("ta.xml")
	if err != nil || got.status() != 0 || !strings.Contains(got.out, "Saved        ta.xml; until it expires") {
		t.Fatalf("%v, status %d: %v\n%s", err, got.status(), got.err, got.out)
	}
	text := string(saved)
	if !strings.HasPrefix(text, "<?xml ") || !strings.Contains(text, "<loginTicketResponse") || !strings.Contains(text, "<token>PD94") || !strings.Contains(text, "<sign>") {
		t.Error("this is not the ticket of the service")
	}
	if info, err := os.Stat("ta.xml"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	noSecrets(t, got)
	for _, name := range []string{"token", "sign"} {
		_, value, _ := strings.Cut(text, "<"+name+">")
		value, _, found := strings.Cut(value, "</"+name+">")
		if !found || len(value) < 100 || strings.Contains(got.out+got.errs, value[:20]) {
			t.Errorf("%s has %d characters, or is shown", name, len(value))
		}
	}
	got = words("login " + s.url + good + " --save ta.xml")
	if again, err := os.ReadFile("ta.xml"); err != nil || string(again) != text || got.status() != 2 ||
		!strings.Contains(got.err.Error(), "--save: ta.xml is there already, and stays as it is: name another file") {
		t.Errorf("%v, status %d: %v", err, got.status(), got.err)
	}
	if s.Granted() != 1 {
		t.Errorf("%d logins: one whose ticket cannot be saved is in vain", s.Granted())
	}
	s.Change(func(s *wsaatest.Service) { s.Failure = wsaa.NotAuthorized })
	if got := words("login " + s.url + good + " --save other.xml"); got.status() != 1 {
		t.Errorf("status %d: %v", got.status(), got.err)
	}
	if _, err := os.Stat("other.xml"); !os.IsNotExist(err) {
		t.Errorf("a refused login left a file: %v", err)
	}
}

// authority returns one that issues certificates under a name.
func authority(t *testing.T, name string) *wsaatest.Client {
	t.Helper()
	return wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("33693450239", name), From: time.Now().Add(-time.Hour), Authority: true})
}

// filesOf returns the names of the files in the current folder.
func filesOf(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}
