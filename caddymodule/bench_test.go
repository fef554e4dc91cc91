package caddymodule_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// connections is the concurrency of the benchmark.
const connections = 32

// BenchmarkExchange measures whole exchanges over 32 connections, everything on
// one machine: client, Caddy and upstream. In one run it compares
//
//	plain      Caddy's reverse_proxy to a stub
//	forwarded  the gateway in front of the same stub, its trail on disk
//	builtin    the gateway in front of the built-in service, trail and ledger on disk
//
// and reports each as a ratio of plain.
//
//	go test ./caddymodule -run '^$' -bench Exchange -benchtime 5s
func BenchmarkExchange(b *testing.B) {
	upstream := newStub(b, nil)
	upstream.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if strings.HasSuffix(r.URL.Path, "FECAESolicitar") {
			answering(200, approval)(w, r)
			return
		}
		answering(200, `{"PtoVta":1,"CbteTipo":6,"CbteNro":41}`)(w, r)
	})
	plainRate := map[string]float64{}
	for _, form := range []struct {
		name  string
		start func(testing.TB) *site
	}{
		{"plain", func(t testing.TB) *site {
			s := start(t, "respond ok")
			s.load(fmt.Sprintf("{\n admin off\n persist_config off\n}\n%s {\n %s\n}\n", s.url, proxyTo(upstream.URL)))
			return s
		}},
		{"forwarded", func(t testing.TB) *site { return start(t, proxyTo(upstream.URL)) }},
		{"builtin", func(t testing.TB) *site { return start(t, withBackend(t)) }},
	} {
		for _, operation := range []string{"FECAESolicitar", "FECompUltimoAutorizado"} {
			b.Run(form.name+"/"+operation, func(b *testing.B) {
				s := form.start(b)
				rate := drive(b, strings.TrimPrefix(s.url, "http://"), operation)
				if form.name == "plain" {
					plainRate[operation] = rate
				}
				b.ReportMetric(rate, "req/s")
				if plain := plainRate[operation]; plain > 0 {
					b.ReportMetric(rate/plain, "of-plain")
				}
				if err := caddy.Stop(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// drive sends b.N requests over the connections and returns the requests per
// second.
func drive(b *testing.B, address, operation string) float64 {
	b.Helper()
	latencies := make([][]time.Duration, connections)
	var left atomic.Int64
	left.Store(int64(b.N))
	var group sync.WaitGroup
	b.ResetTimer()
	began := time.Now()
	for worker := range connections {
		group.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			reader := bufio.NewReader(conn)
			for number := 1; left.Add(-1) >= 0; number++ {
				sent := time.Now()
				if err := exchangeOnce(conn, reader, operation, worker, number); err != nil {
					b.Error(err)
					return
				}
				latencies[worker] = append(latencies[worker], time.Since(sent))
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	b.StopTimer()
	all := slices.Sorted(slices.Values(slices.Concat(latencies...)))
	if len(all) == 0 {
		b.Fatal("nothing was answered")
	}
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
	return float64(len(all)) / took.Seconds()
}

// exchangeOnce is as little of an HTTP client as the measurement needs. Each
// worker is an issuer with a series of its own.
func exchangeOnce(conn net.Conn, reader *bufio.Reader, operation string, worker, number int) error {
	cuit := strconv.Itoa(20111111000 + worker)
	body := "{" + authText + `,"PtoVta":1,"CbteTipo":6}`
	if operation == "FECAESolicitar" {
		body = invoice(number)
	}
	body = strings.Replace(body, "20111111112", cuit, 1)
	_, err := fmt.Fprintf(conn, "POST /api/wsfev1/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		operation, conn.RemoteAddr(), len(body), body)
	if err != nil {
		return err
	}
	length := -1
	status, err := reader.ReadString('\n')
	for line := ""; err == nil && line != "\r\n"; {
		line, err = reader.ReadString('\n')
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	if err != nil {
		return err
	}
	answer := make([]byte, max(length, 0))
	if _, err := io.ReadFull(reader, answer); err != nil {
		return err
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") || strings.Contains(string(answer), `"Resultado":"R"`) {
		return fmt.Errorf("%s %s", strings.TrimSpace(status), answer)
	}
	return nil
}
