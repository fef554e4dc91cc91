package console_test

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

const (
	// readers look at pages, each one a second: people take longer for that.
	readers = 20
	// rounds are measured with and without readers in turn, so that what else the machine does falls on
	// both.
	rounds    = 9
	roundTime = 5 * time.Second
	// shortTime is a round that measures nothing.
	shortTime = 500 * time.Millisecond
)

// BenchmarkReaders measures how long an invoice takes at full load, over 32 connections, with people at
// the console and without them: at all pages, and at one page alone.
//
//	go test ./caddymodule/console -run '^$' -bench Readers
func BenchmarkReaders(b *testing.B) {
	caddytest.Silence(b)
	upstream := caddytest.StartBenchStub(b)
	gateway := caddytest.StartProcess(b, "wsfev1_console\n\t"+caddytest.ProxyTo(upstream), "recover within 20s", "replay on")
	load := startLoad(b, strings.TrimPrefix(gateway.URL, "http://"))
	load.measure(testrun.Scale(b, shortTime, roundTime)) // warms up
	b.Run("all", func(b *testing.B) {
		measureReaders(b, load, gateway.URL+"/consola", testrun.Scale(b, 1, rounds), read)
	})
	for _, address := range read[:testrun.Scale(b, 1, len(read))] {
		b.Run(address, func(b *testing.B) { measureReaders(b, load, gateway.URL+"/consola", 1, []string{address}) })
	}
	load.stop()
}

// measureReaders compares the times of the load with and without readers of the addresses.
func measureReaders(b *testing.B, load *load, console string, rounds int, addresses []string) {
	b.Helper()
	roundTime := testrun.Scale(b, shortTime, roundTime)
	var without, with []time.Duration
	var ratios []float64 // of each round
	pages, busy := 0, 0
	for range rounds {
		alone := load.measure(roundTime)
		stop := startReaders(b, console, addresses)
		beside := load.measure(roundTime)
		seen, refused := stop()
		without, with, pages, busy = append(without, alone...), append(with, beside...), pages+seen, busy+refused
		ratios = append(ratios, percentile(beside, 99)/percentile(alone, 99))
	}
	slices.Sort(ratios)
	seconds := float64(rounds) * roundTime.Seconds()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(without))/seconds, "req/s")
	b.ReportMetric(float64(pages)/seconds, "pages/s")
	b.ReportMetric(percentile(without, 99), "p99-ms")
	b.ReportMetric(percentile(with, 99), "p99-with-readers-ms")
	b.ReportMetric(float64(busy)/seconds, "busy/s")
	b.ReportMetric(ratios[len(ratios)/2], "of-without")
	b.ReportMetric(percentile(with, 50)/percentile(without, 50), "p50-of-without")
}

// percentile returns a percentile of the times, in milliseconds; 0 of none.
func percentile(all []time.Duration, p int) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return caddytest.Milliseconds(sorted[len(sorted)*p/100])
}

// load issues invoices all the time.
type load struct {
	done atomic.Bool
	all  sync.WaitGroup

	mu    sync.Mutex // guards times
	times []time.Duration
}

func startLoad(b *testing.B, address string) *load {
	b.Helper()
	l := &load{}
	for worker := range caddytest.Connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		l.all.Go(func() {
			defer conn.Close()
			reader := bufio.NewReader(conn)
			for number := int64(1); !l.done.Load(); number++ {
				sent := time.Now()
				_, answer, err := caddytest.ExchangeRaw(conn, reader, "FECAESolicitar", caddytest.LotText(2*worker, number, 1))
				if err != nil || !bytes.Contains(answer, []byte(`"CAE":"`)) {
					b.Errorf("%v: %s", err, answer)
					return
				}
				l.mu.Lock()
				l.times = append(l.times, time.Since(sent))
				l.mu.Unlock()
			}
		})
	}
	return l
}

// measure returns how long the exchanges take that end within the time.
func (l *load) measure(within time.Duration) []time.Duration {
	l.mu.Lock()
	l.times = nil
	l.mu.Unlock()
	<-time.After(within)
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.times)
}

func (l *load) stop() {
	l.done.Store(true)
	l.all.Wait()
}

// read are the addresses that readers open.
var read = []string{
	"/", "/search", "/search?q=10048", "/search?q=hoy", "/search?q=" + url.QueryEscape("B 0001-00000017"), "/month?month=" + presentMonth(), "/outages", "/rules", "/try",
	"/exchange/%s/1", "/exchange/%s/17", "/proof/%s/1",
}

// startReaders lets people look at pages until stop, which returns how many they have seen, and how often the console had no
// room for them: a month is added up for one reader at a time.
func startReaders(b *testing.B, console string, addresses []string) (stop func() (pages, busy int)) {
	b.Helper()
	log, err := os.Hostname() // the name of the gateway's log
	if err != nil {
		b.Fatal(err)
	}
	var seen, busy atomic.Int64
	var all sync.WaitGroup
	done := make(chan struct{})
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: readers}}
	for reader := range readers {
		random := rand.New(rand.NewPCG(1, uint64(reader)))
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Duration(random.IntN(2000)) * time.Millisecond):
				}
				got, err := client.Get(console + strings.ReplaceAll(addresses[random.IntN(len(addresses))], "%s", log))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, got.Body)
				_ = got.Body.Close()
				switch {
				case got.StatusCode == http.StatusServiceUnavailable && got.Header.Get("Retry-After") != "":
					busy.Add(1)
				case got.StatusCode >= http.StatusInternalServerError:
					b.Errorf("%s: %s", got.Request.URL, got.Status)
				}
				seen.Add(1)
			}
		})
	}
	return func() (pages, refused int) {
		close(done)
		all.Wait()
		client.CloseIdleConnections()
		return int(seen.Load()), int(busy.Load())
	}
}
