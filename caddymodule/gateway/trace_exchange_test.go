package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const (
	clientTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientParent = "00-" + clientTrace + "-00f067aa0ba902b7-01"
)

// traced is a site with an access log in front of an upstream, and with Caddy's tracing if a test
// wants it. Nothing is exported: a test sees only the gateway's part of a trace.
func traced(t *testing.T, tracing bool, upstream *caddytest.Stub, options ...string) (s *caddytest.Site, accessLog string) {
	t.Helper()
	t.Setenv("OTEL_TRACES_EXPORTER", "none")
	accessLog = filepath.Join(t.TempDir(), "access.log")
	next := "log {\n" + caddytest.LogTo(accessLog) + " }\n " + caddytest.ProxyTo(upstream.URL)
	if tracing {
		next = "tracing\n " + next
	}
	return caddytest.Start(t, next, options...), accessLog
}

// traceIn returns the trace-id of a traceparent, empty if that is not there.
func traceIn(header http.Header) string {
	fields := strings.Split(header.Get("Traceparent"), "-")
	if len(fields) != 4 {
		return ""
	}
	return fields[1]
}

// TestTraceOfAnExchange: the trace is the same in the records, in the line of the access log and
// in the request to the service, whoever began it.
func TestTraceOfAnExchange(t *testing.T) {
	for name, test := range map[string]struct {
		tracing bool
		sent    string
		want    string // "new": one of Caddy's own
	}{
		"of the client":                    {false, clientParent, clientTrace},
		"of the client, traced here":       {true, clientParent, clientTrace},
		"of Caddy":                         {true, "", "new"},
		"of Caddy, as the client's is bad": {true, "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "new"},
		"none":                             {false, "", ""},
		"none, as the client's is bad":     {false, "00-" + strings.ToUpper(clientTrace) + "-00f067aa0ba902b7-01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
			s, accessLog := traced(t, test.tracing, upstream)
			r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
			if test.sent != "" {
				r.Header.Set("traceparent", test.sent)
			}
			if got := s.Do(r); got.Status != 200 {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
			want := test.want
			_, header := upstream.Last()
			if want == "new" {
				if want = traceIn(header); len(want) != 32 || want == clientTrace {
					t.Fatalf("the service got %q", header["Traceparent"])
				}
			}
			switch {
			case test.tracing && (traceIn(header) != want || header.Get("Traceparent") == test.sent):
				t.Errorf("the service got %q, want a span of trace %s that is not the client's", header["Traceparent"], want)
			case !test.tracing && header.Get("Traceparent") != test.sent:
				t.Errorf("the service got %q, want what the client sent", header["Traceparent"])
			}
			records := s.Records()
			if len(records) != 2 {
				t.Fatalf("%d records", len(records))
			}
			for _, r := range records {
				if r.TraceID.String() != want {
					t.Errorf("%s: trace %q, want %q", r.Kind, r.TraceID, want)
				}
			}
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
			if got := loggedTraces(t, accessLog, "wsfev1_trace_id"); !slices.Equal(got, []string{want}) {
				t.Errorf("the access log has %q, want %q", got, want)
			}
		})
	}
}

// loggedTraces returns the values of a field in the lines of a log.
func loggedTraces(t *testing.T, file, field string) (all []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		fields := map[string]any{}
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		text, _ := fields[field].(string)
		all = append(all, text)
	}
	return all
}

// TestTraceOfALostAnswer: the trace is also in the gateway's own log and questions, and in the
// settlement after the client has left.
func TestTraceOfALostAnswer(t *testing.T) {
	log := filepath.Join(t.TempDir(), "gateway.log")
	upstream := caddytest.NewStub(t, caddytest.HangUp(""))
	options := []string{"recover within 100ms", "replay on"}
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), options...)
	config := s.Config(s.WithAudit(options...), caddytest.ProxyTo(upstream.URL))
	s.Load(strings.Replace(config, "{\n", "{\n log {\n"+caddytest.LogTo(log)+" }\n", 1))
	r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
	r.Header.Set("traceparent", clientParent)
	if got := s.Do(r); got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v", got.Status, got.Header)
	}
	if err := caddy.Stop(); err != nil { // the gateway goes on asking, and the records are read more than once
		t.Fatal(err)
	}
	records, questions := s.Records(), 0
	for _, r := range records {
		if r.TraceID.String() != clientTrace {
			t.Errorf("%s %s: trace %q", r.Kind, r.Operation, r.TraceID)
		}
		if r.Decision == "ask" {
			questions++
		}
	}
	if questions == 0 {
		t.Errorf("%d records, none of a question", len(records))
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"exchange":"`+records[0].ID+`","trace_id":"`+clientTrace+`"`) {
		t.Errorf("the trace is not in the log:\n%s", text)
	}
}
