package caddymodule_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestErrorBodyTakesTheKindsOfTheContract, with any gateway and without one.
func TestErrorBodyTakesTheKindsOfTheContract(t *testing.T) {
	s := start(t, withBackend(t))
	gateway := s.config("audit sqlite "+s.store, withBackend(t))
	alone := strings.Replace(gateway, "\twsfev1 {\n\t\taudit sqlite "+s.store+"\n\t\trecover off\n\t\treplay off\n\t\tcache off\n\t\tbreaker off\n\t}\n", "", 1)
	if alone == gateway {
		t.Fatal("the gateway is still there")
	}
	for name, config := range map[string]string{"gateway": gateway, "built-in service alone": alone} {
		t.Run(name, func(t *testing.T) {
			s.load(config)
			checkErrorBody(t, s.post("FENada", "{}"), 404, "http.operation")
			checkErrorBody(t, s.post("FECompTotXRequest", "{}"), 400, "shape.missing")
			checkErrorBody(t, s.post("FECompTotXRequest", "no JSON"), 400, "shape.syntax")
			r := s.request(t.Context(), "FEDummy", "")
			r.Method = http.MethodGet
			got := s.do(r)
			checkErrorBody(t, got, 405, "http.method")
			if got.header.Get("Allow") != "POST" {
				t.Errorf("Allow %q", got.header.Get("Allow"))
			}
			if normal := s.post("FEDummy", "{}"); normal.status != 200 || normal.at(t, "/AppServer") != `"OK"` {
				t.Errorf("a right request: %d %s", normal.status, normal.body)
			}
		})
	}
}

// TestOuterLimitKeepsItsStatus: request_body stands before the gateway.
func TestOuterLimitKeepsItsStatus(t *testing.T) {
	s := start(t, "request_body {\n max_size 100B\n }\n respond ok")
	r := s.request(t.Context(), "FECompTotXRequest", "")
	r.GetBody, r.ContentLength = nil, -1 // else it is refused before the gateway
	r.Body = io.NopCloser(strings.NewReader("{" + strings.Repeat(" ", 200) + "}"))
	got := s.do(r)
	checkErrorBody(t, got, 413, "http.body_too_large")
	if r := s.last(); r.Outcome != "inadmissible" || r.Certainty != audit.NotSent || r.Detail == "" {
		t.Errorf("recorded %s, %s, %q", r.Outcome, r.Certainty, r.Detail)
	}
}

// TestBodyThatBreaksOffIsRecorded: the client has left, but it was there.
func TestBodyThatBreaksOffIsRecorded(t *testing.T) {
	s := start(t, "respond ok")
	r := s.request(t.Context(), "FECompTotXRequest", "")
	r.GetBody = nil
	r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(`{"Auth`), brokenReader{})), 5000
	if _, err := try(r); err == nil {
		t.Fatal("the client has not broken off")
	}
	eventually(t, "a record", func() bool { return len(s.records()) == 1 })
	if r := s.last(); r.Outcome != "inadmissible" || r.Status != 400 || r.Decision != "refuse" || r.Detail == "" {
		t.Errorf("recorded %+v", r)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestEarlyDataMayAskButNotIssue: anyone who saw it can send it again (RFC 8470).
func TestEarlyDataMayAskButNotIssue(t *testing.T) {
	upstream := newStub(t, answering(200, `{"RegXReq":250}`))
	s := start(t, "test_early\n "+proxyTo(upstream.URL))
	checkErrorBody(t, s.post("FECAESolicitar", invoice(1)), http.StatusTooEarly, "http.too_early")
	if upstream.hits.Load() != 0 {
		t.Error("it went upstream")
	}
	if got := s.post("FECompTotXRequest", "{"+authText+"}"); got.status != 200 {
		t.Errorf("a question: %d %s", got.status, got.body)
	}
}

// TestUnansweredSaysWhetherToRepeat: what a client may do depends on what the
// operation changes and on how far the request came.
func TestUnansweredSaysWhetherToRepeat(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	slow := proxyTo(newStub(t, silent(release)).URL, "transport http {\n response_header_timeout 50ms\n }")
	question := "{" + authText + "}"
	for _, test := range []struct {
		name, next, operation, body string
		status                      int
		code, text                  string
	}{
		{"issue, not sent", proxyTo("127.0.0.1:1"), "FECAESolicitar", invoice(1), 502, "upstream.not_sent", "puede repetirse"},
		{"question, not sent", proxyTo("127.0.0.1:1"), "FECompTotXRequest", question, 502, "upstream.not_sent", "puede repetirse"},
		{"issue, unknown", slow, "FECAESolicitar", invoice(1), 504, "upstream.unknown", "antes de repetirlo"},
		{"question, unknown", slow, "FECompTotXRequest", question, 504, "upstream.unknown", "puede repetirse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, test.next)
			got := s.post(test.operation, test.body)
			checkErrorBody(t, got, test.status, test.code)
			if !strings.Contains(string(got.body), test.text) {
				t.Errorf("%s does not say %q", got.body, test.text)
			}
			if strings.Contains(string(got.body), "127.0.0.1") {
				t.Errorf("the inner error is outside: %s", got.body)
			}
		})
	}
}

// TestHeadersOfOuterHandlersStay, and those of the upstream come through.
func TestHeadersOfOuterHandlersStay(t *testing.T) {
	s := start(t, "header X-Outer outer\n "+proxyTo(newStub(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Upstream", "upstream")
		answering(200, approval)(w, r)
	}).URL))
	for _, body := range []string{invoice(1), "no JSON"} {
		got := s.post("FECAESolicitar", body)
		if got.header.Get("X-Outer") != "outer" {
			t.Errorf("%d: header %v", got.status, got.header)
		}
		if got.status == 200 && got.header.Get("X-Upstream") != "upstream" {
			t.Errorf("header %v", got.header)
		}
	}
}
