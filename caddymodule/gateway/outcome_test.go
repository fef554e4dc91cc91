package gateway_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestOutcomeOfEachDoor drives every way in which the next handler can come back
// through a real reverse_proxy.
func TestOutcomeOfEachDoor(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	refusing := "127.0.0.1:1"
	for _, door := range []struct {
		name      string
		next      func(t *testing.T) string
		status    int
		code      string
		certainty audit.Certainty
		outcome   string
	}{
		{"answered", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval)).URL)
		}, 200, "", audit.Answered, "approved"},
		{"answered with 500", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(500, `<html>`)).URL)
		}, 500, "", audit.Answered, "upstream_error"},
		{"answered with 400 and the error body", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(400, `{"Errors":{"Err":[{"Code":"10","Msg":"x"}]}}`)).URL)
		}, 400, "10", audit.Answered, "upstream_error"},
		{"connection refused", func(*testing.T) string {
			return caddytest.ProxyTo(refusing)
		}, 502, "upstream.not_sent", audit.NotSent, "not_sent"},
		{"name that does not resolve", func(*testing.T) string {
			return caddytest.ProxyTo("nowhere.invalid:80")
		}, 502, "upstream.not_sent", audit.NotSent, "not_sent"},
		{"dial timeout", func(t *testing.T) string {
			return caddytest.ProxyTo(unacceptingAddress(t), "transport http {\n dial_timeout 50ms\n }")
		}, 502, "upstream.not_sent", audit.NotSent, "not_sent"},
		{"no upstream available", func(t *testing.T) string {
			return "reverse_proxy {\n dynamic a nowhere.invalid 80\n }"
		}, 502, "upstream.not_sent", audit.NotSent, "not_sent"},
		{"upstream silent", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Silent(release)).URL, "transport http {\n response_header_timeout 50ms\n }")
		}, 504, "upstream.unknown", audit.Unknown, "unknown"},
		{"upstream closed without an answer", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.HangUp("")).URL)
		}, 504, "upstream.unknown", audit.Unknown, "unknown"},
		{"answer is no HTTP", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.HangUp("not http\r\n\r\n")).URL)
		}, 504, "upstream.unknown", audit.Unknown, "unknown"},
		{"answer broke off", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.HangUp("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"FeCab")).URL)
		}, 504, "upstream.unknown", audit.Unknown, "unknown"},
		{"retries exhausted after an answer", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(503, "")).URL, "lb_retries 1\n lb_retry_match expression `{rp.status_code} == 503`")
		}, 504, "upstream.unknown", audit.Unknown, "unknown"},
		{"handle_response that answers nothing", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval)).URL, "handle_response {\n error 418\n }")
		}, 504, "upstream.unknown", audit.Unknown, "unknown"},
		{"handle_response that writes nothing", func(t *testing.T) string {
			return caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval)).URL, "handle_response {\n vars a b\n }")
		}, 504, "upstream.unknown", audit.Unknown, "unknown"},
		{"refused by a handler in between", func(*testing.T) string {
			return "error 413"
		}, 502, "upstream.not_sent", audit.NotSent, "not_sent"},
		{"no handler at all", func(*testing.T) string {
			return "respond /elsewhere ok"
		}, 502, "upstream.not_sent", audit.NotSent, "not_sent"},
		{"another handler that answers", func(*testing.T) string {
			return "respond `" + caddytest.Approval + "`"
		}, 200, "", audit.Answered, "approved"},
	} {
		t.Run(door.name, func(t *testing.T) {
			s := caddytest.Start(t, door.next(t))
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.Status != door.status {
				t.Errorf("status %d, want %d: %s", got.Status, door.status, got.Body)
			}
			if door.code != "" {
				if codes := got.Codes(t); len(codes) != 1 || codes[0] != door.code {
					t.Errorf("codes %v, want %s", codes, door.code)
				}
			}
			records := s.Records()
			if len(records) != 2 || records[0].Kind != audit.KindIntent || records[1].Kind != audit.KindOutcome {
				t.Fatalf("want an intent and an outcome, got %d records", len(records))
			}
			outcome := records[1]
			if outcome.Certainty != door.certainty || string(outcome.Outcome) != door.outcome || outcome.Status != door.status {
				t.Errorf("recorded %s, %s, status %d", outcome.Certainty, outcome.Outcome, outcome.Status)
			}
			if door.certainty != audit.Answered && outcome.Detail == "" {
				t.Error("the record does not say why there was no answer")
			}
			if strings.Contains(outcome.Detail, "{id=") || strings.Contains(outcome.Detail, ".go:") {
				t.Errorf("the detail tells of Caddy's source: %s", outcome.Detail)
			}
			series := `wsfev1_exchanges_total{operation="FECAESolicitar",outcome="` + door.outcome + `"}`
			if s.Metric(series) == "0" {
				t.Errorf("%s was not counted", series)
			}
		})
	}
}

// unacceptingAddress returns an address whose queue of connections is full.
func unacceptingAddress(t *testing.T) string {
	t.Helper()
	// A documentation address (RFC 5737) would leave this machine; a name server
	// that is asked for nothing does not. The listener's queue is filled instead.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	shrinkQueue(t, l.(*net.TCPListener))
	return l.Addr().String()
}

// TestClientThatLeavesDoesNotAbortAnIssue: the upstream's work is done, and the
// record says what came of it.
func TestClientThatLeavesDoesNotAbortAnIssue(t *testing.T) {
	arrived, proceed := make(chan struct{}), make(chan struct{})
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		select {
		case <-proceed:
		case <-r.Context().Done():
			t.Error("the upstream's request was aborted")
		}
		caddytest.Answering(200, caddytest.Approval)(w, r)
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := caddytest.Client.Do(s.Request(ctx, "FECAESolicitar", caddytest.Invoice(1)))
		left <- err
	}()
	<-arrived
	leave()
	if err := <-left; err == nil {
		t.Fatal("the client has not left")
	}
	close(proceed)
	s.WantMetrics(t, "with its outcome in the trail", map[string]string{"wsfev1_audit_tree_size": "2"})
	outcome := s.Last()
	if outcome.Outcome != "approved" || outcome.Certainty != audit.Answered || len(outcome.Vouchers) != 1 ||
		outcome.Vouchers[0].Code != "86470000000001" {
		t.Errorf("recorded %+v", outcome)
	}
	if string(outcome.Answer) != caddytest.Approval {
		t.Errorf("recorded answer %s", outcome.Answer)
	}
}

// TestOriginalBytesGoUpstream: not a re-encoding, and nothing that would make a
// transport send them twice.
func TestOriginalBytesGoUpstream(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	body := strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, "\"ImpTotal\" :\t1.21e2", 1) + "\n"
	r := s.Request(t.Context(), "FECAESolicitar", body)
	r.Header.Set("Idempotency-Key", `"a"`)
	r.Header.Set("X-Idempotency-Key", "a")
	r.Header.Set("Accept-Encoding", "br")
	r.Header.Set("Incremental", "?1")
	if got := s.Do(r); got.Status != 200 || string(got.Body) != caddytest.Approval {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	sent, header := upstream.Last()
	if string(sent) != body {
		t.Errorf("sent %q\nwant %q", sent, body)
	}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "Incremental"} {
		if header.Get(name) != "" {
			t.Errorf("%s went upstream", name)
		}
	}
	if upstream.Hits.Load() != 1 {
		t.Errorf("%d requests went upstream", upstream.Hits.Load())
	}
}

// TestAnswerThatDeviatesIsNotedNotHeldBack.
func TestAnswerThatDeviatesIsNotedNotHeldBack(t *testing.T) {
	body := strings.Replace(caddytest.Approval, `"CantReg":1`, `"CantReg":"1","Extra":0`, 1)
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, body)).URL))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); string(got.Body) != body {
		t.Fatalf("got %s", got.Body)
	}
	var found []string
	for _, f := range s.Last().Findings {
		found = append(found, f.Code+" "+f.Action+" "+f.Pointer)
	}
	want := "answer.kind observe /FeCabResp/CantReg,answer.unknown observe /FeCabResp/Extra"
	if got := strings.Join(found, ","); got != want {
		t.Errorf("findings %s, want %s", got, want)
	}
}

// TestUpstreamThatCompressesIsUnderstood: the upstream may compress on its own account.
func TestUpstreamThatCompressesIsUnderstood(t *testing.T) {
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("Caddy's transport did not ask for gzip itself")
		}
		caddytest.Answering(200, caddytest.Approval)(w, r)
	}).URL))
	r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
	r.Header.Set("Accept-Encoding", "gzip")
	got := s.Do(r)
	if got.Header.Get("Content-Encoding") != "" || string(got.Body) != caddytest.Approval {
		t.Errorf("%v %s", got.Header, got.Body)
	}
}

// shrinkQueue makes a listener that never accepts refuse to complete any further
// connection, by shrinking its queue and filling it.
func shrinkQueue(t *testing.T, l *net.TCPListener) {
	t.Helper()
	raw, err := l.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var listenErr error
	if err := raw.Control(func(fd uintptr) { listenErr = syscall.Listen(int(fd), 0) }); err != nil {
		t.Fatal(err)
	}
	if listenErr != nil {
		t.Fatal(listenErr)
	}
	for range 8 {
		conn, err := net.DialTimeout("tcp", l.Addr().String(), 100*time.Millisecond)
		if err != nil {
			return // full
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Fatal("the queue never filled")
}
