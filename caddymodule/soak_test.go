package caddymodule_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

const (
	soakClients = 16
	// soakSeries is how many series the clients share, a half of them at each site.
	soakSeries = 8
	// soakPace is the pause between two requests of a client: 40 a second.
	soakPace = 25 * time.Millisecond
	soakSeed = 20261121
)

// soakGrowth is what a gateway may hold more after hours than after its first minute. Each connection to a
// database has two files. No more are opened than the pools have room for: two to write, as many as
// processors and two more to read the trail, four to read the ledger.
var soakGrowth = resources{goroutines: 8, files: 8, databases: 2 * (2 + runtime.GOMAXPROCS(0) + 2 + 4), heap: 8 << 20, resident: 128 << 20}

// TestSoak: mixed traffic to a gateway with two sites and one trail, one in front of the
// built-in service, the other one forwarding to a service in another process. The
// configuration is replaced all the time. Each request gets its proper answer with a
// record, and the gateway does not grow.
//
//	FIELATO_TEST_LONG=75 go test ./caddymodule -run 'TestSoak$' -v -timeout 30m
func TestSoak(t *testing.T) {
	t.Parallel()
	long := testrun.Size(t, time.Second, 8*time.Second)
	between := min(long/8, 5*time.Second)
	s := startSoak(t)
	s.run(min(max(long/4, time.Second), time.Minute), between) // which fills the bounded memory: pools, caches, buffers
	before := s.settle(resources{})
	answers := s.tally.sum()
	began := time.Now()
	s.run(long, between)
	took := time.Since(began)
	after := s.settle(before.plus(soakGrowth))
	t.Logf("%s, %d reloads in all; %.0f answers per second: %s", took.Truncate(time.Second), s.reloads,
		float64(s.tally.sum()-answers)/took.Seconds(), &s.tally)
	wantNoGrowth(t, before, after, soakGrowth)
	s.gateway.End()
	s.service.End()
	if text := otherErrors(s.gateway.Stderr.String()); text != "" {
		t.Errorf("the gateway has written errors:\n%s", text)
	}
	s.verify()
}

// expected are the errors that this test brings about: two services answer in front of one trail; and the request
// that reloads holds the old admin endpoint, for which Caddy waits ten seconds on a busy machine.
var expected = []string{"answers in front of a trail", "stopping admin server: 10s timeout"}

// otherErrors returns what was logged besides the expected errors.
func otherErrors(log string) string {
	var others []string
	for line := range strings.Lines(log) {
		if !slices.ContainsFunc(expected, func(text string) bool { return strings.Contains(line, text) }) {
			others = append(others, line)
		}
	}
	return strings.Join(others, "")
}

// soak is a gateway with its clients, and what they know.
type soak struct {
	t       *testing.T
	gateway *openly
	service *caddytest.ServiceProcess
	// sites are the URLs of the built-in service's and of the forwarding one.
	sites [2]string
	// ledgers are the files of the services behind them.
	ledgers [2]string
	configs []string
	clients []*soakClient
	reloads int

	tally tally
	// told is what clients were told, one for each series.
	told [soakSeries]soakSeriesState
}

// startSoak starts both processes and makes the clients.
func startSoak(t *testing.T) *soak {
	t.Helper()
	folder := t.TempDir()
	s := &soak{t: t, ledgers: [2]string{filepath.Join(folder, "ledger.db"), filepath.Join(folder, "behind.db")}}
	behind := caddytest.FreeAddress(t)
	s.service = caddytest.StartReady(t, caddytest.ServiceConfig(behind, s.ledgers[1]))
	s.sites = [2]string{"http://" + caddytest.FreeAddress(t), "http://" + caddytest.FreeAddress(t)}
	s.gateway = &openly{
		Process: &caddytest.Process{Site: &caddytest.Site{T: t, Store: filepath.Join(folder, "audit.db"), URL: s.sites[0]}},
		admin:   caddytest.FreeAddress(t),
	}
	for _, options := range soakOptions(folder) {
		s.configs = append(s.configs, s.config(options, behind))
	}
	s.gateway.ServiceProcess = caddytest.StartCaddy(t, s.configs[0])
	if _, err := s.gateway.Ready(); err != nil {
		t.Fatalf("the gateway's process: %v\n%s", err, &s.gateway.Stderr)
	}
	for i := range soakClients {
		s.clients = append(s.clients, newSoakClient(s, i))
	}
	return s
}

// soakOptions are those in which the configurations differ: what starts and ends with a
// configuration is in some of them.
func soakOptions(folder string) []string {
	keeper := func(name string) string { return "{\n checkpoint_to " + filepath.Join(folder, name) + " 1s\n }\n" }
	return []string{
		keeper("first"),
		keeper("second") + "openapi /openapi.json\n in_flight issuing 128\n max_body 3MiB",
		"\n upstream_timeout 90s\n breaker 6 rest 5s",
	}
}

// config is a Caddyfile with both sites. Only errors are logged. One trail for two services is
// refused where it is certain: here a matcher leaves it open.
func (s *soak) config(options, behind string) string {
	gateway := fmt.Sprintf("wsfev1 {\n audit sqlite %s %s\n}", s.gateway.Store, options)
	return fmt.Sprintf("{\n admin %[1]s {\n origins %[1]s\n }\n persist_config off\n metrics\n log {\n level ERROR\n }\n}\n", s.gateway.admin) +
		fmt.Sprintf("%s {\n bind %s\n %s\n wsfev1_backend /api/* {\n ledger sqlite %s\n }\n}\n", s.sites[0], caddytest.Loopback, gateway, s.ledgers[0]) +
		fmt.Sprintf("%s {\n bind %s\n %s\n %s\n}\n", s.sites[1], caddytest.Loopback, gateway, caddytest.ProxyTo("http://"+behind, soakTransport))
}

// soakTransport ends idle connections to the service soon: a request that is at the service while
// the configuration is replaced leaves one behind in Caddy's pool of the old one.
const soakTransport = "transport http {\n keepalive 300ms\n }"

// run lets the clients work for so long and replaces the configuration meanwhile. All
// requests that were begun have their answers when it returns.
func (s *soak) run(long, between time.Duration) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), long)
	defer cancel()
	var clients sync.WaitGroup
	for _, c := range s.clients {
		clients.Go(func() { c.run(ctx) })
	}
	reload, look := time.NewTicker(between), time.NewTicker(time.Minute)
	defer reload.Stop()
	defer look.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-reload.C:
			s.reloads++
			s.gateway.reload(s.configs[s.reloads%len(s.configs)])
		case <-look.C:
			s.t.Logf("at work: %s", s.gateway.resources())
		}
	}
	clients.Wait()
}

// settle goes back to the first configuration and waits until earlier work has ended, as settled does.
func (s *soak) settle(most resources) resources {
	s.t.Helper()
	for _, c := range s.clients {
		c.http.CloseIdleConnections()
	}
	s.gateway.reload(s.configs[0])
	return s.gateway.settled(most)
}

// tally counts answers, by what was asked and what became of it.
type tally struct {
	mu     sync.Mutex // guards counts
	counts map[string]int
}

func (t *tally) add(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[what]++
}

// sum is the number of answers.
func (t *tally) sum() (all int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for what, n := range t.counts {
		if !strings.HasPrefix(what, "(") {
			all += n
		}
	}
	return all
}

// String shows the counts, those in brackets are no answers.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimPrefix(fmt.Sprint(t.counts), "map")
}
