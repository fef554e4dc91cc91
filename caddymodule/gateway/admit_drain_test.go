package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// sendRaw writes the head of a request.
func sendRaw(t *testing.T, conn net.Conn, operation, header string) {
	t.Helper()
	_, err := fmt.Fprintf(conn, "POST /api/wsfev1/%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", operation, conn.RemoteAddr(), header)
	if err != nil {
		t.Fatal(err)
	}
}

// readRaw reads an answer.
func readRaw(t *testing.T, reader *bufio.Reader) caddytest.Response {
	t.Helper()
	resp, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return caddytest.Response{Status: resp.StatusCode, Header: resp.Header, Body: body}
}

// connect opens a connection to the site, which ends with the test.
func connect(t *testing.T, s *caddytest.Site) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

// TestClientThatReadsLateGetsItsRefusal: a client that sends the whole
// body before it looks for an answer finds one, and may go on with the connection.
func TestClientThatReadsLateGetsItsRefusal(t *testing.T) {
	for _, alone := range []bool{false, true} {
		for _, refused := range []struct {
			name, operation, header string
			size, status            int
		}{
			{"just above the limit", "FECAESolicitar", "Content-Type: application/json\r\n", 4<<20 + 1, 413},
			{"nearly twice the limit", "FECAESolicitar", "Content-Type: application/json\r\n", 8 << 20, 413},
			{"no operation", "FECAESolicitud", "Content-Type: application/json\r\n", 1 << 20, 404},
			{"another media type", "FECAESolicitar", "Content-Type: text/xml\r\n", 1 << 20, 415},
		} {
			t.Run(fmt.Sprintf("%s, the built-in service alone: %t", refused.name, alone), func(t *testing.T) {
				s := caddytest.Start(t, "respond ok")
				if alone {
					// At another address: connections that wait at the old one may be closed.
					s.URL = "http://" + caddytest.FreeAddress(t)
					s.Load(caddytest.Quietly + caddytest.ServiceSite(strings.TrimPrefix(s.URL, "http://"), filepath.Join(t.TempDir(), "ledger.db"), ""))
				}
				conn, reader := connect(t, s)
				for range 2 { // the second time on the same connection
					sendRaw(t, conn, refused.operation, refused.header+fmt.Sprintf("Content-Length: %d\r\n", refused.size))
					if _, err := io.CopyN(conn, spaces{}, int64(refused.size)); err != nil {
						t.Fatalf("the body was not taken: %v", err)
					}
					if got := readRaw(t, reader); got.Status != refused.status {
						t.Errorf("%d %s, want %d", got.Status, got.Body, refused.status)
					}
				}
			})
		}
	}
}

// spaces is a body without an end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestWhoAsksBeforeSendingIsRefusedAtOnce: the answer comes without the body; and while one
// is still sent that is out of all proportion.
func TestWhoAsksBeforeSendingIsRefusedAtOnce(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	for header, sent := range map[string]int64{
		"Expect: 100-continue\r\nContent-Length: 5000000\r\n": 0,
		"Content-Length: 50000000\r\n":                        1 << 20,
	} {
		conn, reader := connect(t, s)
		sendRaw(t, conn, "FECAESolicitar", "Content-Type: application/json\r\n"+header)
		if _, err := io.CopyN(conn, spaces{}, sent); err != nil {
			t.Fatal(err)
		}
		if got := readRaw(t, reader); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %s", header, got.Status, got.Body)
		}
	}
}
