package login_test

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsfev1"
)

// moment is the time on the clock of the built-in services in most tests.
const moment = "2026-11-22T03:45:24-03:00"

func now(t testing.TB) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// services are the two built-in services, of which the tickets are strict. Their files are in a
// folder.
func services(folder string, options ...string) string {
	return "wsfev1_wsaa {\n\t\tkey " + filepath.Join(folder, "login.key") + "\n\t\t" + strings.Join(options, "\n\t\t") + "\n\t}\n" +
		"\twsfev1_backend {\n\t\tledger sqlite " + filepath.Join(folder, "ledger.db") + "\n\t\ttickets strict\n\t\tclock fixed " + moment + "\n\t}"
}

// message is the body of a login of a client, now.
func message(t testing.TB, client *wsaatest.Client) string {
	t.Helper()
	return wsaatest.Envelope(wsaatest.Base64(client.Sign(t, []byte(wsaatest.Request(now(t))), wsaatest.Form{Unsorted: true}), "\n"))
}

// post sends a message as a client of SOAP 1.1 does, and change alters the request.
func post(s *caddytest.Site, body string, change ...func(*http.Request)) caddytest.Response {
	s.T.Helper()
	r, err := http.NewRequest(http.MethodPost, s.URL+"/ws/services/LoginCms", strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "text/xml; charset=utf-8")
	r.Header.Set("SOAPAction", `""`)
	for _, c := range change {
		c(r)
	}
	return s.Do(r)
}

// get asks for a path.
func get(s *caddytest.Site, path string, change ...func(*http.Request)) caddytest.Response {
	s.T.Helper()
	r, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, c := range change {
		c(r)
	}
	return s.Do(r)
}

// ticket is what a client takes from the answer.
type ticket struct{ Token, Sign wsfev1.Secret }

// granted reads the ticket from an answer.
func granted(t testing.TB, got caddytest.Response) ticket {
	t.Helper()
	var envelope struct {
		Return string `xml:"Body>loginCmsResponse>loginCmsReturn"`
	}
	var response struct {
		XMLName xml.Name `xml:"loginTicketResponse"`
		Token   string   `xml:"credentials>token"`
		Sign    string   `xml:"credentials>sign"`
	}
	if err := xml.Unmarshal(got.Body, &envelope); err != nil {
		t.Fatalf("%v: %d %s", err, got.Status, got.Body)
	}
	if err := xml.Unmarshal([]byte(envelope.Return), &response); err != nil || got.Status != 200 || response.Token == "" {
		t.Fatalf("%v: %d %s", err, got.Status, got.Body)
	}
	return ticket{wsfev1.Secret(response.Token), wsfev1.Secret(response.Sign)}
}

// fault returns the code of a fault, without its prefix.
func fault(t testing.TB, got caddytest.Response) string {
	t.Helper()
	var envelope struct {
		Code string `xml:"Body>Fault>faultcode"`
		New  string `xml:"Body>Fault>Code>Value"`
	}
	if err := xml.Unmarshal(got.Body, &envelope); err != nil || got.Status != 500 {
		t.Fatalf("%v: %d %s", err, got.Status, got.Body)
	}
	_, code, _ := strings.Cut(envelope.Code+envelope.New, ":")
	return code
}

// issue sends an invoice with a ticket, and returns the code with which it is refused, empty if it
// is not.
func issue(t testing.TB, s *caddytest.Site, number int, with ticket) string {
	t.Helper()
	body := strings.NewReplacer(caddytest.Token, with.Token.Reveal(), caddytest.Sign, with.Sign.Reveal()).Replace(caddytest.Invoice(number))
	got := s.Post("FECAESolicitar", body)
	if bytes.Contains(got.Body, []byte(`"Resultado":"A"`)) {
		return ""
	}
	return got.At(t, "/Errors/Err/0/Code") + " " + got.At(t, "/Errors/Err/0/Msg")
}
