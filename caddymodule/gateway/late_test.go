package gateway_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/gateway"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/clocks"
)

// suspension is a machine that is suspended: its clock on the wall jumps, and nothing that
// runs notices.
type suspension struct{ slept atomic.Int64 }

func newSuspension(t testing.TB) *suspension {
	s := &suspension{}
	t.Cleanup(gateway.SetInstant(func() clocks.Instant {
		now := clocks.Now()
		now.Wall = now.Wall.Add(time.Duration(s.slept.Load()))
		return now
	}))
	return s
}

func (s *suspension) sleep() { s.slept.Add(int64(time.Hour)) }

// reader is an upstream that notes what it could read of each request, and whether that was
// all of it.
type reader struct {
	*httptest.Server
	// meanwhile is called when the head of a request is there.
	meanwhile func(io.Reader)

	mu     sync.Mutex // guards what follows
	bodies [][]byte
	whole  int
}

// newReader is an upstream to be started.
func newReader(t testing.TB) *reader {
	u := &reader{meanwhile: func(io.Reader) {}}
	u.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var head bytes.Buffer
		u.meanwhile(io.TeeReader(r.Body, &head))
		rest, err := io.ReadAll(r.Body)
		u.mu.Lock()
		u.bodies = append(u.bodies, append(head.Bytes(), rest...))
		if err == nil {
			u.whole++
		}
		u.mu.Unlock()
		if err == nil {
			caddytest.Answering(200, caddytest.Approval)(w, r)
		}
	}))
	u.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(u.Close)
	return u
}

// wantNothing wants that no request came whole, and of none the end of its document.
func (u *reader) wantNothing(t *testing.T) {
	t.Helper()
	u.Close() // waits for its handlers
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.whole != 0 {
		t.Errorf("%d requests were sent whole", u.whole)
	}
	for _, body := range u.bodies {
		if bytes.HasSuffix(bytes.TrimSpace(body), []byte("]}}}")) || bytes.Contains(body, []byte("20111111112}}")) {
			t.Errorf("the service has the whole document: %.100s", body)
		}
	}
}

// wantLate posts a request that may not be sent any more when that could be done.
func wantLate(t *testing.T, s *caddytest.Site, operation, body string) {
	t.Helper()
	blamed := s.Metric(networkFailures)
	got := s.Post(operation, body)
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Wsfev1-Outcome") != "not_sent" ||
		got.Header.Get("Retry-After") == "" || got.Codes(t)[0] != "gateway.late" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if r := s.Last(); r.Certainty != audit.NotSent || r.Outcome != "not_sent" || r.Detail == "" {
		t.Errorf("recorded %s, %s, %q", r.Certainty, r.Outcome, r.Detail)
	}
	if s.Metric(networkFailures) != blamed {
		t.Error("the service is blamed")
	}
}

const networkFailures = `wsfev1_failures_total{class="network"}`

// TestAGatewayThatWasSuspendedWhileItConnectedSendsNothing: its client has gone long since,
// and what was to be issued may have been issued in another way.
func TestAGatewayThatWasSuspendedWhileItConnectedSendsNothing(t *testing.T) {
	for name, proxy := range map[string][]string{
		"HTTP/1.1":        {"transport http {\n tls_insecure_skip_verify\n versions 1.1\n }"},
		"HTTP/2":          {"transport http {\n tls_insecure_skip_verify\n versions 2\n }"},
		"retried":         {"transport http {\n tls_insecure_skip_verify\n versions 1.1\n }", "lb_retries 2", "lb_retry_match method POST"},
		"buffered":        {"transport http {\n tls_insecure_skip_verify\n versions 1.1\n }", "request_buffers 1MiB"},
		"buffered HTTP/2": {"transport http {\n tls_insecure_skip_verify\n versions 2\n }", "request_buffers 1MiB"},
		"buffered, again": {"transport http {\n tls_insecure_skip_verify\n versions 1.1\n }", "request_buffers 1MiB", "lb_retries 2", "lb_retry_match method POST"},
	} {
		t.Run(name, func(t *testing.T) {
			machine := newSuspension(t)
			upstream := newReader(t)
			upstream.EnableHTTP2 = true
			upstream.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				machine.sleep()
				return nil, nil
			}}
			upstream.StartTLS()
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL, proxy...))
			wantLate(t, s, "FECAESolicitar", caddytest.Invoice(1))
			upstream.wantNothing(t)
		})
	}
}

// unbuffered is the size of a request of which a part is still with the gateway when its service
// has the beginning, where that buffers little: Linux lets a sender buffer 4 MiB.
const unbuffered = 8 << 20

// bufferLittle keeps what a server's connection takes in before it is read below 256 kB.
func bufferLittle(c net.Conn, state http.ConnState) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if tcp, ok := c.(*net.TCPConn); ok && state == http.StateNew {
		_ = tcp.SetReadBuffer(128 << 10)
	}
}

// TestAGatewayThatWasSuspendedWhileItSentDoesNotEndIt: the bytes that the service has then are no
// document, also where it decodes while it reads.
func TestAGatewayThatWasSuspendedWhileItSentDoesNotEndIt(t *testing.T) {
	for name, begin := range map[string]func(*reader) (proxy string){
		"HTTP/1.1": func(u *reader) string { u.Start(); return "transport http {\n versions 1.1\n }" },
		"h2c": func(u *reader) string {
			u.Config.Protocols = new(http.Protocols)
			u.Config.Protocols.SetUnencryptedHTTP2(true)
			u.Start()
			return "transport http {\n versions h2c\n }"
		},
		"HTTP/2": func(u *reader) string {
			u.EnableHTTP2 = true
			u.StartTLS()
			return "transport http {\n tls_insecure_skip_verify\n versions 2\n }"
		},
	} {
		t.Run(name, func(t *testing.T) {
			machine := newSuspension(t)
			upstream := newReader(t)
			upstream.Config.ConnState = bufferLittle
			upstream.meanwhile = func(r io.Reader) {
				if _, err := io.ReadFull(r, make([]byte, 1000)); err != nil {
					t.Error(err)
				}
				machine.sleep()
			}
			proxy := begin(upstream)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL, proxy), "max_body 32MiB", "max_bodies 64MiB", "cache off")
			wantLate(t, s, "FECompTotXRequest", caddytest.LargeQuery(unbuffered))
			upstream.wantNothing(t)
		})
	}
}

// TestTheBuiltInServiceGetsNoLateRequest.
func TestTheBuiltInServiceGetsNoLateRequest(t *testing.T) {
	machine := newSuspension(t)
	caddytest.OnTheWay = machine.sleep
	t.Cleanup(func() { caddytest.OnTheWay = func() {} })
	s := caddytest.Start(t, "test_call\n"+caddytest.WithBackend(t))
	wantLate(t, s, "FECAESolicitar", caddytest.Invoice(1))
	caddytest.OnTheWay = func() {}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 || got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("sent again: %d %s", got.Status, got.Body)
	}
}

// TestHalfARequestIsNoneThatAnybodyHas: the service hangs up while it still reads a lot.
func TestHalfARequestIsNoneThatAnybodyHas(t *testing.T) {
	upstream := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 1000))
		panic(http.ErrAbortHandler)
	}))
	upstream.Config.ConnState = bufferLittle
	upstream.Start()
	defer upstream.Close()
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "max_body 32MiB", "max_bodies 64MiB", "cache off")
	got := s.Post("FECompTotXRequest", caddytest.LargeQuery(unbuffered))
	if got.Status != http.StatusBadGateway || got.Codes(t)[0] != "upstream.not_sent" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
