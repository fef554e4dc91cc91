package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestNoRetryOfReverseProxySendsAnInvoiceTwice, although the operator has asked for retries: the service may have
// carried out the first, and a second one is nobody's decision but the client's.
func TestNoRetryOfReverseProxySendsAnInvoiceTwice(t *testing.T) {
	failures := map[string]http.HandlerFunc{
		"broken off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"busy":       caddytest.Answering(http.StatusServiceUnavailable, "busy"),
	}
	for _, version := range []string{"1.1", "h2c"} {
		for _, buffers := range []string{"", "request_buffers 1MiB"} {
			for failure, fail := range failures {
				t.Run(fmt.Sprint(version, " ", buffers, " ", failure), func(t *testing.T) {
					upstream := newReader(t)
					upstream.Config.Protocols = new(http.Protocols)
					upstream.Config.Protocols.SetHTTP1(true)
					upstream.Config.Protocols.SetUnencryptedHTTP2(true)
					read := upstream.Config.Handler
					upstream.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if !strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
							// Whole, or HTTP/2 resets the stream, and Caddy closes a body that is still read, without a lock.
							_, _ = io.Copy(io.Discard, r.Body)
							caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"nothing"}]}}`)(w, r)
							return
						}
						read.ServeHTTP(discard{}, r)
						fail(w, r)
					})
					upstream.Start()
					s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL, buffers, "lb_retries 3", "lb_retry_match method POST",
						"lb_retry_match `{rp.is_transport_error} || {rp.status_code} == 503`", "transport http {\n versions "+version+"\n }"), "recover within 2s")
					if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "not_issued" {
						t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
					}
					upstream.mu.Lock()
					defer upstream.mu.Unlock()
					if upstream.whole != 1 {
						t.Errorf("the service got it %d times", upstream.whole)
					}
				})
			}
		}
	}
}

// TestAQuestionOfAnotherHandlerIsNoFirstTry: forward_auth behind the gateway has a connection of its own.
func TestAQuestionOfAnotherHandlerIsNoFirstTry(t *testing.T) {
	u, guard := caddytest.NewIssuing(t), caddytest.NewStub(t, caddytest.Answering(200, ""))
	for n, buffers := range []string{"", "request_buffers 1MiB"} {
		s := caddytest.Start(t, "route {\nforward_auth "+guard.URL+" {\nuri /\n}\n"+caddytest.ProxyTo(u.URL, buffers)+"\n}")
		if got := s.Post("FECAESolicitar", caddytest.Invoice(n+1)); got.Header.Get("Wsfev1-Outcome") != "approved" || guard.Hits.Load() != int64(n+1) {
			t.Errorf("%q: %d %v %s, %d questions", buffers, got.Status, got.Header, got.Body, guard.Hits.Load())
		}
	}
}

// discard is a client that nobody answers.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
