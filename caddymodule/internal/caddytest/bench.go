package caddytest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Connections is the concurrency of the benchmark.
const Connections = 32

// Silence discards the standard error until the benchmark has ended.
func Silence(b *testing.B) {
	b.Helper()
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = nowhere
	b.Cleanup(func() {
		os.Stderr = stderr
		_ = nowhere.Close()
	})
}

// StartBenchStub starts the upstream and returns its URL.
func StartBenchStub(b *testing.B) string {
	b.Helper()
	cmd := RoleProcess(b, "stub")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// playStub answers until it is killed.
func playStub() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read, _ := io.ReadAll(r.Body)
		body := Approval
		if found := NumberOf.FindSubmatch(read); found != nil {
			number, _ := strconv.Atoi(string(found[1]))
			body = approvalFor(read, number)
		}
		if !strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
			body = `{` + string(pointOf.Find(read)) + `,"CbteTipo":6,"CbteNro":41}`
		}
		Answering(200, body)(w, r)
	}))
}

// Milliseconds is a duration as benchmarks report it.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// ExchangeRaw returns the status line and the body of an answer.
func ExchangeRaw(conn net.Conn, reader *bufio.Reader, operation, body string) (status string, answer []byte, err error) {
	_, err = fmt.Fprintf(conn, "POST /api/wsfev1/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		operation, conn.RemoteAddr(), len(body), body)
	if err != nil {
		return "", nil, err
	}
	length := -1
	status, err = reader.ReadString('\n')
	for line := ""; err == nil && line != "\r\n"; {
		line, err = reader.ReadString('\n')
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	if err != nil {
		return "", nil, err
	}
	answer = make([]byte, max(length, 0))
	_, err = io.ReadFull(reader, answer)
	return status, answer, err
}

// IssueOver sends a FECAESolicitar, which must be approved.
func IssueOver(transport http.RoundTripper, base, body string) error {
	resp, err := (&http.Client{Transport: transport}).Post(base+"/api/wsfev1/FECAESolicitar", "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.Header.Get("Wsfev1-Outcome") != "approved" {
		return fmt.Errorf("status %d, %s", resp.StatusCode, resp.Header.Get("Wsfev1-Outcome"))
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// Server is Caddy's server of the site.
func (s *Site) Server() http.Handler {
	s.T.Helper()
	app, err := caddy.ActiveContext().App("http")
	if err != nil {
		s.T.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, server := range app.(*caddyhttp.App).Servers {
		if slices.ContainsFunc(server.Listen, func(address string) bool { return strings.HasSuffix(address, ":"+port) }) {
			return server
		}
	}
	s.T.Fatal("no server")
	return nil
}
