package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// logLine has the fields of a line of the access log that the tests look at.
type logLine struct {
	Status    int    `json:"status"`
	Operation string `json:"wsfev1_operation"`
	Outcome   string `json:"wsfev1_outcome"`
	Record    string `json:"wsfev1_record"`
	Appended  string `json:"appended"`
}

func readLog(t *testing.T, file string) []logLine {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []logLine
	for text := range bytes.Lines(content) {
		var line logLine
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lines = append(lines, line)
	}
	return lines
}

// exchanged are requests with what their log line and placeholders are to say.
var exchanged = []struct {
	operation, body           string
	status                    int
	named, outcome, certainty string
}{
	{"FECAESolicitar", caddytest.Invoice(1), 200, "FECAESolicitar", "approved", "answered"},
	{"FECompTotXRequest", "{" + caddytest.AuthText + "}", 200, "FECompTotXRequest", "answered", "answered"},
	{"FEDummy", "{}", 200, "FEDummy", "answered", "answered"},
	{"FECAESolicitar", strings.Replace(caddytest.Invoice(2), "121.00", "150.00", 1), 200, "FECAESolicitar", "refused", "not_sent"},
	{"FECAESolicitar", "no JSON", 400, "FECAESolicitar", "malformed", "not_sent"},
	{"FENada", "{}", 404, "unknown", "inadmissible", "not_sent"},
}

// TestAccessLogNamesTheExchange: operation, outcome and record, in each line.
func TestAccessLogNamesTheExchange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.log")
	s := caddytest.Start(t, "log {\n"+caddytest.LogTo(file)+" }\n log_append appended {http.wsfev1.outcome}\n "+caddytest.WithBackend(t))
	var addresses []string
	for _, e := range exchanged {
		addresses = append(addresses, s.Post(e.operation, e.body).Header.Get("Wsfev1-Record"))
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	lines := readLog(t, file)
	if len(lines) != len(exchanged) {
		t.Fatalf("%d lines of %d exchanges", len(lines), len(exchanged))
	}
	for i, e := range exchanged {
		want := logLine{e.status, e.named, e.outcome, addresses[i], e.outcome}
		if lines[i] != want || want.Record == "" {
			t.Errorf("line %+v, want %+v", lines[i], want)
		}
	}
}

// TestPlaceholdersAreThereForWhatComesAfter: a header that is set when the answer
// goes out.
func TestPlaceholdersAreThereForWhatComesAfter(t *testing.T) {
	s := caddytest.Start(t, "header {\n defer\n X-Operation {http.wsfev1.operation}\n X-Outcome {http.wsfev1.outcome}\n"+
		" X-Certainty {http.wsfev1.certainty}\n X-Record {http.wsfev1.record}\n }\n "+caddytest.WithBackend(t))
	for _, e := range exchanged {
		got := s.Post(e.operation, e.body).Header
		for name, want := range map[string]string{
			"X-Operation": e.named, "X-Outcome": e.outcome, "X-Certainty": e.certainty, "X-Record": got.Get("Wsfev1-Record"),
		} {
			if got.Get(name) != want {
				t.Errorf("%s, %s: %s is %q, want %q", e.operation, e.outcome, name, got.Get(name), want)
			}
		}
	}
}

// TestRecordHeaderNamesTheRecordOfTheExchange, whatever became of it.
func TestRecordHeaderNamesTheRecordOfTheExchange(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	for _, e := range exchanged {
		got := s.Post(e.operation, e.body)
		log, number, found := strings.Cut(got.Header.Get("Wsfev1-Record"), "/")
		index, err := strconv.Atoi(number)
		records := s.Records()
		if !found || err != nil || index != len(records)-1 {
			t.Fatalf("address %q of %d records", got.Header.Get("Wsfev1-Record"), len(records))
		}
		r := records[index]
		if r.Log != log || string(r.Outcome) != e.outcome || r.Certainty != audit.Certainty(e.certainty) || !bytes.Equal(r.Answer, got.Body) {
			t.Errorf("%s/%s holds %s, %s, %s", log, number, r.Outcome, r.Certainty, r.Answer)
		}
	}
}

// TestAuthenticatedUserIsRecorded, in intent and outcome.
func TestAuthenticatedUserIsRecorded(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.Accounts(caddytest.ProxyTo(upstream.URL), "clerk"))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != http.StatusUnauthorized || upstream.Hits.Load() != 0 {
		t.Fatalf("without a user: %d", got.Status)
	}
	r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
	r.SetBasicAuth("clerk", "password")
	if got := s.Do(r); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	records := s.Records()
	if len(records) != 2 {
		t.Fatalf("%d records", len(records))
	}
	for _, r := range records {
		if r.ClientIdentity != "clerk" || r.ClientAddress != "127.0.0.1" {
			t.Errorf("%s: client %q at %q", r.Kind, r.ClientIdentity, r.ClientAddress)
		}
	}
}

// TestTrustedProxyTellsTheClientsAddress.
func TestTrustedProxyTellsTheClientsAddress(t *testing.T) {
	s := caddytest.NewSite(t)
	config := s.Config("audit sqlite "+s.Store, "respond `"+caddytest.Approval+"`")
	for _, test := range []struct{ option, want string }{
		{"", "127.0.0.1"},
		{"\tservers {\n trusted_proxies static 127.0.0.1/8\n }\n", "203.0.113.7"},
	} {
		s.Load(strings.Replace(config, "{\n", "{\n"+test.option, 1))
		r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
		r.Header.Set("X-Forwarded-For", "203.0.113.7")
		s.Do(r)
		if got := s.Last().ClientAddress; got != test.want {
			t.Errorf("recorded %q, want %q", got, test.want)
		}
	}
}

// TestLogSaysWhatCameInPlaceOfAnAnswer, in plain words and without what it said.
func TestLogSaysWhatCameInPlaceOfAnAnswer(t *testing.T) {
	typed := func(media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			_, _ = w.Write([]byte(body))
		}
	}
	const page, other = "<html>" + caddytest.Token + "</html>", `{"hello":"` + caddytest.Token + `"}`
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		want     string
	}{
		"empty":        {typed("text/plain", ""), `"status":200,"answer":"empty"`},
		"a page":       {typed("text/html; charset=utf-8", page), fmt.Sprintf(`"answer":"text/html, %d bytes, no JSON"`, len(page))},
		"JSON in name": {typed("application/json", page), fmt.Sprintf(`"answer":"application/json, %d bytes, no JSON"`, len(page))},
		"other JSON":   {typed("application/json", other), fmt.Sprintf(`"answer":"application/json, %d bytes, JSON"`, len(other))},
		"no media type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = w.Write([]byte(page))
		}, fmt.Sprintf(`"answer":"no media type, %d bytes, no JSON"`, len(page))},
		"a type that tells": {typed("text/"+caddytest.Token, page), fmt.Sprintf(`"answer":"another media type, %d bytes, no JSON"`, len(page))},
		"nothing at all":    {caddytest.HangUp(""), `"error":"HTTP 502: EOF"`},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log")
			s := caddytest.NewSite(t)
			upstream := caddytest.NewStub(t, c.upstream)
			s.Load(strings.Replace(s.Config(s.WithAudit(), caddytest.ProxyTo(upstream.URL)), "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1))
			s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}")
			log, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(log, []byte(c.want)) || bytes.Contains(log, []byte(caddytest.Token)) {
				t.Errorf("want %s in\n%s", c.want, log)
			}
		})
	}
}

// TestAServiceOfAnotherNameIsToldAsEmpty: Caddy answers 200 and nothing where it has no site
// of the name that it was asked for. docs/forwarding.md says so, and what to do.
func TestAServiceOfAnotherNameIsToldAsEmpty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	s := caddytest.NewSite(t)
	forward := func(options ...string) caddytest.Response {
		t.Helper()
		// At addresses of its own: at the old ones listeners that are closed late reset what connects.
		behind := caddytest.FreeAddress(t)
		s.URL = "http://" + caddytest.FreeAddress(t)
		service := fmt.Sprintf("http://service.example:%s {\n\tbind %s\n\t%s\n}\n", caddytest.PortOf(behind), caddytest.Loopback, caddytest.WithBackend(t))
		s.Load(strings.Replace(s.Config(s.WithAudit(), caddytest.ProxyTo(behind, options...)), "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1) + service)
		return s.Post("FEDummy", "{}")
	}
	got := forward()
	log, err := os.ReadFile(file)
	if got.Status != 200 || len(got.Body) != 0 || err != nil || !bytes.Contains(log, []byte(`"answer":"empty"`)) {
		t.Errorf("%d %q, %v\n%s", got.Status, got.Body, err, log)
	}
	if got := forward("header_up Host service.example"); got.At(t, "/AppServer") != `"OK"` {
		t.Errorf("with its name: %d %q", got.Status, got.Body)
	}
}
