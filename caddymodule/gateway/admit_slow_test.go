package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// startTimed is start with a timeout of Caddy's servers.
func startTimed(t *testing.T, timeout, next string) *caddytest.Site {
	t.Helper()
	s := caddytest.Start(t, next)
	s.URL = "http://" + caddytest.FreeAddress(t) // at the old one a listener that is closed late resets what connects
	s.Load(strings.Replace(s.Config(s.Audit(), next), "metrics\n}", "metrics\n\tservers {\n\t\ttimeouts {\n\t\t\t"+timeout+"\n\t\t}\n\t}\n}", 1))
	return s
}

// TestSlowBodyEndsWithTheServersTimeout, and with an answer and a record.
func TestSlowBodyEndsWithTheServersTimeout(t *testing.T) {
	for _, limit := range []string{"read_body 300ms", "read_body_idle 300ms"} {
		t.Run(limit, func(t *testing.T) {
			s := startTimed(t, limit, "respond ok")
			for _, sent := range []int64{1000, 100_000} { // within the memory that is reserved at once, and beyond
				conn, reader := connect(t, s)
				sendRaw(t, conn, "FECAESolicitar", "Content-Type: application/json\r\nContent-Length: 2000000\r\n")
				if _, err := io.CopyN(conn, spaces{}, sent); err != nil {
					t.Fatal(err)
				}
				got := readRaw(t, reader)
				if got.Status != http.StatusRequestTimeout || got.Codes(t)[0] != "http.body_timeout" || got.Header.Get("Wsfev1-Record") == "" {
					t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
				}
				if _, err := reader.ReadByte(); err != io.EOF {
					t.Errorf("the connection goes on: %v", err)
				}
				if record := s.Last(); record.Outcome != "inadmissible" || record.Status != http.StatusRequestTimeout {
					t.Errorf("recorded %+v", record)
				}
			}
		})
	}
}

// TestServersTimeoutIsForTheBodyAlone: an upstream may take longer than read_body, also for
// an issue that waits behind another one of its series.
func TestServersTimeoutIsForTheBodyAlone(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	release := upstream.Hold(t, 1)
	s := startTimed(t, "read_body 200ms", caddytest.ProxyTo(upstream.URL))
	began := time.Now()
	var clients sync.WaitGroup
	for number := 1; number <= 2; number++ {
		clients.Go(func() {
			if got := s.Post("FECAESolicitar", caddytest.Invoice(number)); string(got.Body) != caddytest.ApprovalOf(number) {
				t.Errorf("invoice %d: %d %s", number, got.Status, got.Body)
			}
		})
		if number == 1 {
			<-upstream.Arrived
		}
	}
	caddytest.Eventually(t, "twice the timeout", func() bool { return time.Since(began) > 400*time.Millisecond })
	release()
	clients.Wait()
}
