package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func init() {
	caddy.RegisterModule(new(spanReader))
	httpcaddyfile.RegisterHandlerDirective("test_spans", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return new(spanReader), nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_spans", httpcaddyfile.After, "tracing")
}

// endedSpans has what Caddy's tracing would export since a test has renewed it.
var endedSpans *tracetest.SpanRecorder

// spanReader stands behind Caddy's tracing and listens to what that records.
type spanReader struct{ once sync.Once }

func (*spanReader) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_spans", New: func() caddy.Module { return new(spanReader) }}
}

func (s *spanReader) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	s.once.Do(func() {
		trace.SpanFromContext(r.Context()).TracerProvider().(*sdktrace.TracerProvider).RegisterSpanProcessor(endedSpans)
	})
	return next.ServeHTTP(w, r)
}

// startTraced runs a gateway whose spans are read, in front of next.
func startTraced(t *testing.T, next string, options ...string) *caddytest.Site {
	t.Helper()
	t.Setenv("OTEL_TRACES_EXPORTER", "none")
	endedSpans = tracetest.NewSpanRecorder()
	return caddytest.Start(t, "tracing\n test_spans\n "+next, options...)
}

// gatewaySpans returns the gateway's spans that have ended, each below the name of its parent.
func gatewaySpans() (told []string, byName map[string]sdktrace.ReadOnlySpan) {
	all := endedSpans.Ended()
	names := map[trace.SpanID]string{}
	byName = map[string]sdktrace.ReadOnlySpan{}
	for _, span := range all {
		names[span.SpanContext().SpanID()] = span.Name()
		byName[span.Name()] = span
	}
	for _, span := range all {
		if strings.HasPrefix(span.Name(), "wsfev1") {
			told = append(told, names[span.Parent().SpanID()]+"/"+span.Name())
		}
	}
	return told, byName
}

func attributesOf(span sdktrace.ReadOnlySpan) map[string]string {
	all := map[string]string{}
	for _, a := range span.Attributes() {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

// TestSpansOfAnInvoice: one for each step, in the gateway's own, which has the same facts as the
// access log. The service is called within the step forward.
func TestSpansOfAnInvoice(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := startTraced(t, caddytest.ProxyTo(upstream.URL), "cache 5m", "replay on", "breaker 5 rest 10s")
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	caddytest.Eventually(t, "the server's span", func() bool { _, all := gatewaySpans(); return all["handler"] != nil })
	told, spans := gatewaySpans()
	var want []string
	for _, step := range []string{"admit", "understand", "judge", "decide", "cache", "turn", "breaker", "slot", "intent", "forward", "record"} {
		want = append(want, "wsfev1/wsfev1 "+step)
	}
	if want = append(want, "handler/wsfev1"); !slices.Equal(told, want) {
		t.Errorf("spans %q, want %q", told, want)
	}
	whole := attributesOf(spans["wsfev1"])
	id := whole["wsfev1.exchange"]
	delete(whole, "wsfev1.exchange")
	wanted := map[string]string{
		"wsfev1.operation": "FECAESolicitar", "wsfev1.outcome": "approved", "wsfev1.certainty": "answered",
		"wsfev1.record": got.Header.Get("Wsfev1-Record"),
	}
	if fmt.Sprint(whole) != fmt.Sprint(wanted) || id != s.Records()[0].ID {
		t.Errorf("%s: %v, want %v", id, whole, wanted)
	}
	forward := spans["wsfev1 forward"].SpanContext()
	_, header := upstream.Last()
	if want := "00-" + forward.TraceID().String() + "-" + forward.SpanID().String() + "-01"; header.Get("Traceparent") != want {
		t.Errorf("the service got %q, want %q", header["Traceparent"], want)
	}
}

// TestSpansOfARefusal end where it ends, and say why.
func TestSpansOfARefusal(t *testing.T) {
	s := startTraced(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), "121.00", "150.00", 1))
	caddytest.Eventually(t, "the server's span", func() bool { _, all := gatewaySpans(); return all["handler"] != nil })
	told, spans := gatewaySpans()
	want := []string{
		"wsfev1/wsfev1 admit", "wsfev1/wsfev1 understand", "wsfev1/wsfev1 judge", "wsfev1/wsfev1 decide", "wsfev1/wsfev1 record", "handler/wsfev1",
	}
	if !slices.Equal(told, want) {
		t.Errorf("spans %q, want %q", told, want)
	}
	if got := attributesOf(spans["wsfev1"]); got["wsfev1.outcome"] != "refused" || got["wsfev1.failure"] != "business" {
		t.Errorf("%v", got)
	}
}

// TestSpansOfALostAnswer: the gateway's questions are in the exchange that they are about.
func TestSpansOfALostAnswer(t *testing.T) {
	s := startTraced(t, caddytest.WithFaults(t, caddytest.FaultOnce("drop")), caddytest.Exactly...)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "recovered" {
		t.Fatalf("%d %v", got.Status, got.Header)
	}
	caddytest.Eventually(t, "the server's span", func() bool { _, all := gatewaySpans(); return all["handler"] != nil })
	told, _ := gatewaySpans()
	for _, want := range []string{
		"wsfev1/wsfev1 recover", "wsfev1/wsfev1 query", "wsfev1 query/wsfev1 understand", "wsfev1 query/wsfev1 forward", "wsfev1 query/wsfev1 record",
	} {
		if !slices.Contains(told, want) {
			t.Errorf("no %q in %q", want, told)
		}
	}
}

// TestSpansHoldNoSecrets: neither credentials nor bodies nor the issuer.
func TestSpansHoldNoSecrets(t *testing.T) {
	s := startTraced(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(2), `"Cuit"`, `"`+caddytest.Token+`"`, 1))
	s.Post("FECAESolicitar", "no JSON "+caddytest.Sign)
	caddytest.Eventually(t, "three exchanges", func() bool { return len(endedSpans.Ended()) > 0 && len(s.Records()) == 4 })
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, span := range endedSpans.Ended() {
		text := fmt.Sprint(span.Name(), attributesOf(span), span.Status(), span.Events())
		for _, secret := range []string{caddytest.Token, caddytest.Sign, "20111111112", "CbteDesde"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %s", secret, text)
			}
		}
	}
}

// TestSpansOfAnAnswerFromTheCache: the exchange that failed and the one that answers in its place
// stand side by side.
func TestSpansOfAnAnswerFromTheCache(t *testing.T) {
	service := newTableService(t, conceptTable)
	s := startTraced(t, caddytest.ProxyTo(service.URL), "cache 1ns stale 1h")
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "answered", 1)
	service.answer.Store("")
	service.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "cached", 2)
	var wholes []string
	caddytest.Eventually(t, "three exchanges", func() bool {
		told, _ := gatewaySpans()
		told = slices.DeleteFunc(told, func(name string) bool { return name != "handler/wsfev1" })
		return len(told) == 3 // the parents of the server's spans are known when these have ended
	})
	for _, span := range endedSpans.Ended() {
		if span.Name() == "wsfev1" {
			wholes = append(wholes, attributesOf(span)["wsfev1.outcome"]+" "+span.Status().Code.String())
		}
	}
	if want := []string{"answered Unset", "unknown Error", "cached Unset"}; !slices.Equal(wholes, want) {
		t.Errorf("%q, want %q", wholes, want)
	}
}
