package gateway_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// holdsLarge is an upstream that says when a large body has arrived, and answers it once it is
// released.
func holdsLarge(t *testing.T) (upstream *caddytest.Stub, arrived <-chan struct{}, release func()) {
	t.Helper()
	come, proceed := make(chan struct{}, 16), make(chan struct{})
	release = sync.OnceFunc(func() { close(proceed) })
	upstream = caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 64<<10 {
			come <- struct{}{}
			<-proceed
		}
		caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
	})
	t.Cleanup(release)
	return upstream, come, release
}

// TestLargeBodiesAtWorkAreBounded: one too many waits and is turned away, with a record and
// nothing sent; small ones pass; and there is room again when those before are answered.
func TestLargeBodiesAtWorkAreBounded(t *testing.T) {
	upstream, arrived, release := holdsLarge(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "max_bodies 1MiB", "in_flight wait 20ms", "cache off")
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() { s.Post("FECompTotXRequest", caddytest.LargeQuery(400<<10)) })
		<-arrived
	}
	s.WantMetrics(t, "two at work", map[string]string{`wsfev1_in_flight_ratio{kind="bodies"}`: "0.78125"})
	got := s.Post("FECompTotXRequest", caddytest.LargeQuery(400<<10))
	if got.Status != 503 || got.Codes(t)[0] != "gateway.bodies" || got.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %v %s", got.Status, got.Header, got.Body)
	}
	if r := s.Last(); r.Outcome != "busy" || r.Certainty != audit.NotSent || len(r.Request) != 0 {
		t.Errorf("recorded %s, %s, %d bytes of request", r.Outcome, r.Certainty, len(r.Request))
	}
	if got := s.Post("FECompTotXRequest", caddytest.LargeQuery(64<<10)); got.Status != 200 {
		t.Errorf("a small one: %d %s", got.Status, got.Body)
	}
	release()
	group.Wait()
	s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight_ratio{kind="bodies"}`: "0"})
	if got := s.Post("FECompTotXRequest", caddytest.LargeQuery(3<<20)); got.Status != 200 { // more than the room, which it has alone
		t.Errorf("when there is room again: %d %s", got.Status, got.Body)
	}
	<-arrived
}

// TestBodiesThatArriveAreBounded: those that do not end hold room, with a length and without,
// and it is free again when their clients have left.
func TestBodiesThatArriveAreBounded(t *testing.T) {
	s := caddytest.Start(t, "respond `{\"RegXReq\":250}`", "max_bodies 1MiB", "in_flight wait 100ms", "cache off")
	var clients []net.Conn
	slow := func(length, head string) {
		conn, _ := connect(t, s)
		clients = append(clients, conn)
		sendRaw(t, conn, "FECompTotXRequest", "Content-Type: application/json\r\n"+length+"\r\n")
		if _, err := io.WriteString(conn, head); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(conn, spaces{}, 70<<10); err != nil {
			t.Fatal(err)
		}
	}
	slow("Transfer-Encoding: chunked", "20000\r\n") // it could come to 4 MiB
	slow("Content-Length: 2000000", "")
	slow("Content-Length: 2000000", "")
	// A body that waits for one of the following would be turned away itself.
	caddytest.Eventually(t, "they have their room", func() bool {
		used, err := strconv.ParseFloat(s.Metric(`wsfev1_in_flight_ratio{kind="bodies"}`), 64)
		return err == nil && used > 0.9
	})
	post := func() caddytest.Response { return s.Post("FECompTotXRequest", caddytest.LargeQuery(300<<10)) }
	caddytest.Within(t, time.Minute, "large ones are turned away", func() bool {
		got := post()
		return got.Status == 503 && got.Codes(t)[0] == "gateway.bodies"
	})
	if got := s.Post("FECompTotXRequest", caddytest.LargeQuery(60<<10)); got.Status != 200 {
		t.Errorf("a small one: %d %s", got.Status, got.Body)
	}
	for _, conn := range clients {
		_ = conn.Close()
	}
	caddytest.Within(t, time.Minute, "there is room again", func() bool { return post().Status == 200 })
	s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight_ratio{kind="bodies"}`: "0"})
}

// TestStreamedBodiesTakeWhatTheyAre: one that came without a length holds no more room than
// it has bytes.
func TestStreamedBodiesTakeWhatTheyAre(t *testing.T) {
	upstream, arrived, release := holdsLarge(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "max_bodies 1MiB", "in_flight wait 20ms", "cache off")
	var group sync.WaitGroup
	for range 4 { // of which only two could come to 4 MiB
		group.Go(func() {
			r := s.Request(t.Context(), "FECompTotXRequest", caddytest.LargeQuery(100<<10))
			r.ContentLength = -1
			if got := s.Do(r); got.Status != 200 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
		<-arrived
	}
	release()
	group.Wait()
}

// TestRequestsTakeBoundedMemory, however many come at once and whatever they hold: without a
// bound these take half a gigabyte.
func TestRequestsTakeBoundedMemory(t *testing.T) {
	clients := testrun.Whole(t, 16, 40)
	body := hostileLot("FECAESolicitar", `"Token":"dG9rZW4=","Sign":"c2lnbg=="`, each(9998, `{"DocNro":2%09d,"CbteDesde":%[1]d,"CbteHasta":%[1]d},`))
	s := caddytest.Start(t, "respond 503", "max_bodies 1MiB", "in_flight wait 5m")
	server := s.Server()
	var answered atomic.Int32
	most := heapDuring(func() {
		var group sync.WaitGroup
		for range clients {
			group.Go(func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/wsfev1/FECAESolicitar", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				server.ServeHTTP(w, r)
				if w.Code == http.StatusOK {
					answered.Add(1)
				}
			})
		}
		group.Wait()
	})
	if n := int(answered.Load()); n != clients {
		t.Errorf("%d of %d were answered", n, clients)
	}
	t.Logf("%d MB at most, for %d requests of %d kB", most>>20, clients, len(body)>>10)
	if most > 80<<20 {
		t.Errorf("%d MB of memory", most>>20)
	}
}
