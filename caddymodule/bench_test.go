package caddymodule_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkExchange measures whole exchanges over 32 connections on one machine:
// client, Caddy and upstream, each in a process of its own. In one run it compares
//
//	plain      Caddy's reverse_proxy to a stub, with Caddy's own metrics like the others
//	forwarded  the gateway in front of the same stub, its trail on disk
//	exactly once  the same, with replay and recover as they are by default
//	builtin    the gateway in front of the built-in service, trail and ledger on disk
//
// and reports each as a ratio of plain.
//
//	go test ./caddymodule -run '^$' -bench Exchange -benchtime 60000x
func BenchmarkExchange(b *testing.B) {
	caddytest.Silence(b) // Caddy's log would stand between the figures
	upstream := caddytest.StartBenchStub(b)
	plainRate := map[string]float64{}
	for _, form := range []struct {
		name  string
		start func(testing.TB) *caddytest.Site
	}{
		{"plain", func(t testing.TB) *caddytest.Site {
			s := caddytest.NewSite(t)
			s.Load(fmt.Sprintf("{\n admin off\n persist_config off\n metrics\n}\n%s {\n %s\n}\n", s.URL, caddytest.ProxyTo(upstream)))
			return s
		}},
		{"forwarded", func(t testing.TB) *caddytest.Site { return caddytest.Start(t, caddytest.ProxyTo(upstream)) }},
		{"exactly once", func(t testing.TB) *caddytest.Site {
			return caddytest.Start(t, caddytest.ProxyTo(upstream), "recover within 20s", "replay on")
		}},
		{"builtin", func(t testing.TB) *caddytest.Site { return caddytest.Start(t, caddytest.WithBackend(t)) }},
	} {
		for _, operation := range []string{"FECAESolicitar", "FECompUltimoAutorizado"} {
			b.Run(form.name+"/"+operation, func(b *testing.B) {
				s := form.start(b)
				b.ResetTimer()
				began := testrun.ProcessorTime()
				rate := runBenchClient(b, strings.TrimPrefix(s.URL, "http://"), operation)
				b.StopTimer()
				b.ReportMetric(float64((testrun.ProcessorTime()-began).Microseconds())/float64(b.N), "cpu-µs/op")
				if form.name == "plain" {
					plainRate[operation] = rate
				}
				b.ReportMetric(0, "ns/op")
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

// runBenchClient lets the client send b.N requests, reports what it has measured
// and returns the requests per second.
func runBenchClient(b *testing.B, address, operation string) float64 {
	b.Helper()
	cmd := caddytest.RoleProcess(b, "client", benchAddress+"="+address, benchOperation+"="+operation, benchRequests+"="+strconv.Itoa(b.N))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("the client: %v", err)
	}
	var rate, p50, p99 float64
	if _, err := fmt.Sscan(string(out), &rate, &p50, &p99); err != nil {
		b.Fatalf("the client said %q: %v", out, err)
	}
	b.ReportMetric(p50, "p50-ms")
	b.ReportMetric(p99, "p99-ms")
	return rate
}

// The environment variables of the client's process: what it sends, where to, how often.
const (
	benchAddress   = "FIELATO_TEST_ADDRESS"
	benchOperation = "FIELATO_TEST_OPERATION"
	benchRequests  = "FIELATO_TEST_REQUESTS"
)

func init() { caddytest.Roles["client"] = benchClient }

// benchClient sends requests over the connections and prints the requests per second
// and two percentiles in milliseconds.
func benchClient() {
	address, operation := os.Getenv(benchAddress), os.Getenv(benchOperation)
	total, err := strconv.ParseInt(os.Getenv(benchRequests), 10, 64)
	if err != nil {
		panic(err)
	}
	latencies := make([][]time.Duration, caddytest.Connections)
	var left atomic.Int64
	left.Store(total)
	var group sync.WaitGroup
	began := time.Now()
	for worker := range caddytest.Connections {
		group.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			reader := bufio.NewReader(conn)
			for number := 1; left.Add(-1) >= 0; number++ {
				sent := time.Now()
				if err := exchangeOnce(conn, reader, operation, worker, number); err != nil {
					panic(err)
				}
				latencies[worker] = append(latencies[worker], time.Since(sent))
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	all := slices.Sorted(slices.Values(slices.Concat(latencies...)))
	fmt.Println(float64(len(all))/took.Seconds(), caddytest.Milliseconds(all[len(all)/2]), caddytest.Milliseconds(all[len(all)*99/100]))
}

// exchangeOnce is as little of an HTTP client as the measurement needs. Each
// worker is an issuer with a series of its own.
func exchangeOnce(conn net.Conn, reader *bufio.Reader, operation string, worker, number int) error {
	cuit := strconv.Itoa(20111111000 + worker)
	body := "{" + caddytest.AuthText + `,"PtoVta":1,"CbteTipo":6}`
	if operation == "FECAESolicitar" {
		body = caddytest.Invoice(number)
	}
	body = strings.Replace(body, "20111111112", cuit, 1)
	status, answer, err := caddytest.ExchangeRaw(conn, reader, operation, body)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") || strings.Contains(string(answer), `"Resultado":"R"`) {
		return fmt.Errorf("%s %s", strings.TrimSpace(status), answer)
	}
	return nil
}
