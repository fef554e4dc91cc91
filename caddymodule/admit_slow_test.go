package caddymodule_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// startTimed is start with a timeout of Caddy's servers.
func startTimed(t *testing.T, timeout, next string) *site {
	t.Helper()
	s := start(t, next)
	s.url = "http://" + freeAddress(t) // at the old one a listener that is closed late resets what connects
	s.load(strings.Replace(s.config(s.audit(), next), "metrics\n}", "metrics\n\tservers {\n\t\ttimeouts {\n\t\t\t"+timeout+"\n\t\t}\n\t}\n}", 1))
	return s
}

// TestSlowBodyEndsWithTheServersTimeout, and with an answer and a record.
func TestSlowBodyEndsWithTheServersTimeout(t *testing.T) {
	for _, limit := range []string{"read_body 300ms", "read_body_idle 300ms"} {
		t.Run(limit, func(t *testing.T) {
			s := startTimed(t, limit, "respond ok")
			for _, sent := range []int64{1000, 100_000} { // within what is set aside at once, and beyond
				conn, reader := connect(t, s)
				sendRaw(t, conn, "FECAESolicitar", "Content-Type: application/json\r\nContent-Length: 2000000\r\n")
				if _, err := io.CopyN(conn, spaces{}, sent); err != nil {
					t.Fatal(err)
				}
				got := readRaw(t, reader)
				if got.status != http.StatusRequestTimeout || got.codes(t)[0] != "http.body_timeout" || got.header.Get("Wsfev1-Record") == "" {
					t.Errorf("%d %v %s", got.status, got.header, got.body)
				}
				if _, err := reader.ReadByte(); err != io.EOF {
					t.Errorf("the connection goes on: %v", err)
				}
				if record := s.last(); record.Outcome != "inadmissible" || record.Status != http.StatusRequestTimeout {
					t.Errorf("recorded %+v", record)
				}
			}
		})
	}
}

// TestServersTimeoutIsForTheBodyAlone: an upstream may take longer than read_body, also for
// an issue that waits behind another one of its series.
func TestServersTimeoutIsForTheBodyAlone(t *testing.T) {
	upstream := newIssuing(t)
	release := upstream.hold(t, 1)
	s := startTimed(t, "read_body 200ms", proxyTo(upstream.URL))
	began := time.Now()
	var clients sync.WaitGroup
	for number := 1; number <= 2; number++ {
		clients.Go(func() {
			if got := s.post("FECAESolicitar", invoice(number)); string(got.body) != approvalOf(number) {
				t.Errorf("invoice %d: %d %s", number, got.status, got.body)
			}
		})
		if number == 1 {
			<-upstream.arrived
		}
	}
	eventually(t, "twice the timeout", func() bool { return time.Since(began) > 400*time.Millisecond })
	release()
	clients.Wait()
}
