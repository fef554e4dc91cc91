package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestErrorBodyTakesTheKindsOfTheContract, with any gateway and without one.
func TestErrorBodyTakesTheKindsOfTheContract(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	gateway := s.Config("audit sqlite "+s.Store, caddytest.WithBackend(t))
	alone := strings.Replace(gateway, "\twsfev1 {\n\t\taudit sqlite "+s.Store+"\n\t\trecover off\n\t\treplay off\n\t\tcache off\n\t\tbreaker off\n\t}\n", "", 1)
	if alone == gateway {
		t.Fatal("the gateway is still there")
	}
	for name, config := range map[string]string{"gateway": gateway, "built-in service alone": alone} {
		t.Run(name, func(t *testing.T) {
			s.Load(config)
			caddytest.CheckErrorBody(t, s.Post("FENada", "{}"), 404, "http.operation")
			caddytest.CheckErrorBody(t, s.Post("FECompTotXRequest", "{}"), 400, "shape.missing")
			caddytest.CheckErrorBody(t, s.Post("FECompTotXRequest", "no JSON"), 400, "shape.syntax")
			r := s.Request(t.Context(), "FEDummy", "")
			r.Method = http.MethodGet
			got := s.Do(r)
			caddytest.CheckErrorBody(t, got, 405, "http.method")
			if got.Header.Get("Allow") != "POST" {
				t.Errorf("Allow %q", got.Header.Get("Allow"))
			}
			if normal := s.Post("FEDummy", "{}"); normal.Status != 200 || normal.At(t, "/AppServer") != `"OK"` {
				t.Errorf("a right request: %d %s", normal.Status, normal.Body)
			}
		})
	}
}

// TestOuterLimitKeepsItsStatus: request_body stands before the gateway.
func TestOuterLimitKeepsItsStatus(t *testing.T) {
	s := caddytest.Start(t, "request_body {\n max_size 100B\n }\n respond ok")
	r := s.Request(t.Context(), "FECompTotXRequest", "")
	r.GetBody, r.ContentLength = nil, -1 // else it is refused before the gateway
	r.Body = io.NopCloser(strings.NewReader("{" + strings.Repeat(" ", 200) + "}"))
	got := s.Do(r)
	caddytest.CheckErrorBody(t, got, 413, "http.body_too_large")
	if r := s.Last(); r.Outcome != "inadmissible" || r.Certainty != audit.NotSent || r.Detail == "" {
		t.Errorf("recorded %s, %s, %q", r.Outcome, r.Certainty, r.Detail)
	}
}

// TestBodyThatBreaksOffIsRecorded: the client has left, but it was there.
func TestBodyThatBreaksOffIsRecorded(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	r := s.Request(t.Context(), "FECompTotXRequest", "")
	r.GetBody = nil
	r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(`{"Auth`), brokenReader{})), 5000
	if _, err := caddytest.Try(r); err == nil {
		t.Fatal("the client has not broken off")
	}
	caddytest.Eventually(t, "a record", func() bool { return len(s.Records()) == 1 })
	if r := s.Last(); r.Outcome != "inadmissible" || r.Status != 400 || r.Decision != "refuse" || r.Detail == "" {
		t.Errorf("recorded %+v", r)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestEarlyDataMayAskButNotIssue: anyone who saw it can send it again (RFC 8470).
func TestEarlyDataMayAskButNotIssue(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, `{"RegXReq":250}`))
	s := caddytest.Start(t, "test_early\n "+caddytest.ProxyTo(upstream.URL))
	caddytest.CheckErrorBody(t, s.Post("FECAESolicitar", caddytest.Invoice(1)), http.StatusTooEarly, "http.too_early")
	if upstream.Hits.Load() != 0 {
		t.Error("it went upstream")
	}
	if got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); got.Status != 200 {
		t.Errorf("a question: %d %s", got.Status, got.Body)
	}
}

// TestUnansweredSaysWhetherToRepeat: the advice to the client depends on the operation's effect
// and on how far the request came.
func TestUnansweredSaysWhetherToRepeat(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	slow := caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Silent(release)).URL, "transport http {\n response_header_timeout 50ms\n }")
	question := "{" + caddytest.AuthText + "}"
	for _, test := range []struct {
		name, next, operation, body string
		status                      int
		code, text                  string
	}{
		{"issue, not sent", caddytest.ProxyTo("127.0.0.1:1"), "FECAESolicitar", caddytest.Invoice(1), 502, "upstream.not_sent", "puede repetirse"},
		{"question, not sent", caddytest.ProxyTo("127.0.0.1:1"), "FECompTotXRequest", question, 502, "upstream.not_sent", "puede repetirse"},
		{"issue, unknown", slow, "FECAESolicitar", caddytest.Invoice(1), 504, "upstream.unknown", "antes de repetirlo"},
		{"question, unknown", slow, "FECompTotXRequest", question, 504, "upstream.unknown", "puede repetirse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := caddytest.Start(t, test.next)
			got := s.Post(test.operation, test.body)
			caddytest.CheckErrorBody(t, got, test.status, test.code)
			if !strings.Contains(string(got.Body), test.text) {
				t.Errorf("%s does not say %q", got.Body, test.text)
			}
			if strings.Contains(string(got.Body), "127.0.0.1") {
				t.Errorf("the inner error is outside: %s", got.Body)
			}
		})
	}
}

// TestHeadersOfOuterHandlersStay, and the upstream's headers come through.
func TestHeadersOfOuterHandlersStay(t *testing.T) {
	s := caddytest.Start(t, "header X-Outer outer\n "+caddytest.ProxyTo(caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Upstream", "upstream")
		caddytest.Answering(200, caddytest.Approval)(w, r)
	}).URL))
	for _, body := range []string{caddytest.Invoice(1), "no JSON"} {
		got := s.Post("FECAESolicitar", body)
		if got.Header.Get("X-Outer") != "outer" {
			t.Errorf("%d: header %v", got.Status, got.Header)
		}
		if got.Status == 200 && got.Header.Get("X-Upstream") != "upstream" {
			t.Errorf("header %v", got.Header)
		}
	}
}
