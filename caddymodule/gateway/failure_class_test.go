package gateway_test

import (
	"crypto/tls"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestEachFailureIsClassed drives each kind of failure through a real reverse_proxy.
func TestEachFailureIsClassed(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	secure.Config.ErrorLog = nil
	secure.StartTLS()
	t.Cleanup(secure.Close)
	ok := func(body string) string { return "respond `" + body + "`" }
	query := "{" + caddytest.AuthText + "}"
	for _, c := range []struct {
		name, next, operation, body, class string
		cause                              audit.Cause
	}{
		{"approved", ok(caddytest.Approval), "FECAESolicitar", caddytest.Invoice(1), "", ""},
		{"nothing found", ok(`{"Errors":{"Err":[{"Code":602,"Msg":"x"}]}}`), "FECompTotXRequest", query, "", ""},
		{"malformed", ok(caddytest.Approval), "FECAESolicitar", "{}", "client", ""},
		{"no operation", ok(caddytest.Approval), "FECAE", "{}", "client", ""},
		{"refused by a rule", ok(caddytest.Approval), "FECAESolicitar", strings.Replace(caddytest.Invoice(1), "121.00", "122.00", 1), "business", ""},
		{"rejected", ok(`{"Errors":{"Err":[{"Code":10016,"Msg":"x"}]}}`), "FECAESolicitar", caddytest.Invoice(1), "business", ""},
		{"credentials", ok(`{"Errors":{"Err":[{"Code":600,"Msg":"x"}]}}`), "FECompTotXRequest", query, "credentials", ""},
		{"501 of an issue", ok(`{"Errors":{"Err":[{"Code":501,"Msg":"x"}]}}`), "FECAESolicitar", caddytest.Invoice(1), "service", ""},
		{"502 of a query", ok(`{"Errors":{"Err":[{"Code":502,"Msg":"x"}]}}`), "FECompTotXRequest", query, "service", ""},
		{"a page", ok(`<html>`), "FECompTotXRequest", query, "service", ""},
		{"connection refused", caddytest.ProxyTo("127.0.0.1:1"), "FECompTotXRequest", query, "network", audit.CauseUnreachable},
		{"connection lost", caddytest.ProxyTo(caddytest.NewStub(t, caddytest.HangUp("")).URL), "FECompTotXRequest", query, "network", audit.CauseCut},
		{"broken off", caddytest.ProxyTo(caddytest.NewStub(t, caddytest.HangUp("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")).URL), "FECompTotXRequest", query, "network", audit.CauseCut},
		{"silent", caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Silent(release)).URL, "transport http {\n response_header_timeout 30ms\n }"), "FECompTotXRequest", query, "network", audit.CauseTimeout},
		{"no such name", caddytest.ProxyTo("nowhere.invalid:80"), "FECompTotXRequest", query, "service", audit.CauseDNS},
		{"no upstream known", "reverse_proxy {\n dynamic a nowhere.invalid 80\n }", "FECompTotXRequest", query, "service", audit.CauseDNS},
		{"certificate", caddytest.ProxyTo(secure.URL), "FECompTotXRequest", query, "service", audit.CauseTLS},
		{"a handler in between", "error 413", "FECompTotXRequest", query, "gateway", ""},
		{"no handler", "respond /elsewhere ok", "FECompTotXRequest", query, "gateway", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := caddytest.Start(t, c.next)
			before := failureCounts(s)
			got := s.Post(c.operation, c.body)
			if c.class != "" {
				before[c.class] = caddytest.Plus(t, before[c.class], 1)
			}
			if now := failureCounts(s); !maps.Equal(now, before) {
				t.Errorf("%v, want %v (%d %s %s)", now, before, got.Status, got.Body, s.Last().Detail)
			}
			if r := s.Last(); r.Cause != c.cause {
				t.Errorf("the cause is %q, want %q: %s", r.Cause, c.cause, r.Detail)
			}
		})
	}
}

// failureCounts are the values of wsfev1_failures_total by class.
func failureCounts(s *caddytest.Site) map[string]string {
	counts := map[string]string{}
	for line := range strings.Lines(string(s.Scrape("wsfev1_failures_total"))) {
		if rest, ok := strings.CutPrefix(line, `wsfev1_failures_total{class="`); ok {
			class, value, _ := strings.Cut(strings.TrimSpace(rest), `"} `)
			counts[class] = value
		}
	}
	return counts
}
