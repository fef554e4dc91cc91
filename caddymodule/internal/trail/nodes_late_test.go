//go:build unix

package trail_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestAPausedGatewayDoesNotSendWhatAnotherHasTakenOver: it stands still while it connects to the
// service, for longer than its leases last. Another one finds its intent, is told by the service
// that there is no such invoice, and issues it. The request that the first one still holds must
// not follow. In later tries it is stopped around the moment in which it sends.
//
//	FIELATO_TEST_LONG=20 go test ./caddymodule/internal/trail -run TakenOver -v -timeout 1h
func TestAPausedGatewayDoesNotSendWhatAnotherHasTakenOver(t *testing.T) {
	t.Parallel()
	tries := testrun.Size(t, 1, 1)
	dsn := postgrestest.Shared(t).Database(t)
	front := newThreshold(t)
	next := caddytest.ProxyTo(front.URL, "transport http {\n tls_insecure_skip_verify\n }")
	paused := startNode(t, dsn, "edge-1", next, "recover within 1s", "replay on", "upstream_timeout 2m")
	other := startNode(t, dsn, "edge-2", next, "recover within 1s", "replay on", "upstream_timeout 1s")
	random := rand.New(rand.NewPCG(caddytest.OnceSeed, 3))
	outcomes := map[string]int{}
	for number := 1; number <= tries; number++ {
		release := front.hold()
		answered := make(chan caddytest.Response, 1)
		go func() { answered <- paused.Post("FECAESolicitar", caddytest.Invoice(number)) }()
		<-front.arrived
		if number > 1 {
			release()
			moment := time.NewTimer(time.Duration(random.Int64N(int64(4 * time.Millisecond))))
			<-moment.C
		}
		paused.signal(syscall.SIGSTOP)
		front.open()
		caddytest.Within(t, time.Minute, "another one issues it", func() bool { return other.Post("FECAESolicitar", caddytest.Invoice(number)).Status == http.StatusOK })
		release()
		paused.signal(syscall.SIGCONT)
		got := <-answered
		outcomes[got.Header.Get("Wsfev1-Outcome")]++
		if number == 1 && (got.Status != http.StatusServiceUnavailable || got.Codes(t)[0] != "gateway.late") {
			t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
		}
		if n := front.times(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
		wantApproved(t, paused, number)
	}
	t.Logf("what clients of the gateway that was paused were told: %v", outcomes)
	paused.End()
	other.End()
	readLogs(t, dsn) // which verifies them
}

// wantApproved wants that an invoice, sent again, is answered as it was issued.
func wantApproved(t *testing.T, n *node, number int) {
	t.Helper()
	caddytest.Within(t, time.Minute, "the code of invoice "+strconv.Itoa(number), func() bool {
		got := n.Post("FECAESolicitar", caddytest.Invoice(number))
		return got.Status == http.StatusOK && got.At(t, "/FeCabResp/Resultado") == `"A"`
	})
}

// threshold is a built-in service behind TLS whose handshakes can be held, and which counts
// the invoices that were sent whole.
type threshold struct {
	*httptest.Server
	arrived chan struct{}

	mu   sync.Mutex // guards what follows
	held chan struct{}
	sent map[string]int
}

func newThreshold(t *testing.T) *threshold {
	address := caddytest.FreeAddress(t)
	if _, err := caddytest.StartService(t, caddytest.ServiceConfig(address, filepath.Join(t.TempDir(), "ledger.db"))).Ready(); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	service := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: address}) },
		Transport: transport,
	}
	h := &threshold{arrived: make(chan struct{}, 16), sent: map[string]int{}}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // a service carries out nothing of which it has a part
		}
		if number := caddytest.NumberOf.FindSubmatch(body); number != nil {
			h.mu.Lock()
			h.sent[string(number[1])]++
			h.mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		service.ServeHTTP(w, r)
	}))
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.Config.SetKeepAlivesEnabled(false) // so that each request has a handshake of its own
	h.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		h.mu.Lock()
		held := h.held
		h.mu.Unlock()
		if held != nil {
			h.arrived <- struct{}{}
			<-held
		}
		return nil, nil
	}}
	h.StartTLS()
	t.Cleanup(h.Close)
	return h
}

// hold has handshakes that begin wait until they are released.
func (h *threshold) hold() (release func()) {
	held := make(chan struct{})
	h.mu.Lock()
	h.held = held
	h.mu.Unlock()
	return sync.OnceFunc(func() { close(held) })
}

// open lets those that begin from now on pass.
func (h *threshold) open() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = nil
}

// times returns how often an invoice was sent whole.
func (h *threshold) times(number int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sent[strconv.Itoa(number)]
}
