package caddymodule_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

const (
	// measured is from how long a campaign the figures are a measurement.
	measured = 10

	// issuers are those whose latency is measured, each on a series of its own, each 20
	// times a second.
	issuers    = 8
	issuerPace = 50 * time.Millisecond
)

// TestIssuingGoesOnUnderHostileLoad measures how long clients wait for an invoice, in a
// window that is quiet and in one beside hostile clients, by turns: what else the machine
// does strikes both.
//
//	FIELATO_TEST_LONG=15 go test ./caddymodule -run HostileLoad -v -timeout 30m
//
// Each kind alone may double the p99; all at once, which are too much for two processors,
// may not stop anything. In a shorter campaign the windows are short, the connections fewer,
// the bound is only that invoices are issued, and the kinds come one by one.
func TestIssuingGoesOnUnderHostileLoad(t *testing.T) {
	window, connections := testrun.Size(t, 200*time.Millisecond, time.Second), testrun.Size(t, 200, 1000)
	rounds, atTheLimit := 1, window/2
	loose := func(quiet time.Duration) time.Duration { return 10*quiet + 30*time.Second }
	bound := loose
	if testrun.Factor(t) >= measured {
		rounds, connections, atTheLimit = 3, 10_000, 2*time.Second
		bound = func(quiet time.Duration) time.Duration { return 2 * quiet }
	}
	p := startHostile(t)
	issuing := newIssuers(t, p.URL)
	issuing.measure(window) // warm
	each := []hostility{
		{"200 slow clients, 10 bytes a second each", bound, func(h *hostiles) { h.slow(200) }},
		{fmt.Sprintf("%d idle connections", connections), bound, func(h *hostiles) { h.idle(connections) }},
		{"500 malformed requests a second", bound, func(h *hostiles) { h.malformed(time.Second / 500) }},
		{fmt.Sprintf("a body at the limit each %s", atTheLimit), bound, func(h *hostiles) { h.atTheLimit(atTheLimit) }},
		{"20 bodies above the limit a second", bound, func(h *hostiles) { h.aboveTheLimit(time.Second / 20) }},
	}
	all := hostility{"all of these at once", loose, func(h *hostiles) {
		for _, hostile := range each[:len(each)-1] { // all but itself
			hostile.start(h)
		}
	}}
	if rounds > 1 {
		each = append(each, all)
	}
	for _, hostile := range each {
		t.Run(hostile.name, func(t *testing.T) {
			var quiet, beside []time.Duration
			for range rounds {
				quiet = append(quiet, issuing.measure(window)...)
				h := newHostiles(t, p)
				hostile.start(h)
				beside = append(beside, issuing.measure(window)...)
				h.stop()
			}
			hostile.judge(t, percentiles(quiet), percentiles(beside))
		})
	}
}

// hostility is a kind of hostile load. start returns when it is there.
type hostility struct {
	name string
	// bound returns the largest p99 allowed, from the quiet one.
	bound func(time.Duration) time.Duration
	start func(*hostiles)
}

// judge compares the two kinds of windows.
func (h hostility) judge(t *testing.T, quiet, beside spread) {
	t.Helper()
	t.Logf("quiet:  %s", quiet)
	t.Logf("beside: %s; p99 %.2f of quiet", beside, float64(beside.p99)/float64(quiet.p99))
	if most := h.bound(quiet.p99); beside.n == 0 || beside.p99 > most {
		t.Errorf("p99 is %s, more than %s", beside.p99, most)
	}
}

// startHostile starts the gateway, as it is by default, in front of the built-in service.
func startHostile(t *testing.T) *openly {
	t.Helper()
	folder := t.TempDir()
	p := &openly{Process: &caddytest.Process{Site: &caddytest.Site{T: t, Store: filepath.Join(folder, "audit.db"), URL: "http://" + caddytest.FreeAddress(t)}}, admin: caddytest.FreeAddress(t)}
	p.ServiceProcess = caddytest.StartCaddy(t, fmt.Sprintf("{\n admin %[1]s {\n origins %[1]s\n }\n persist_config off\n metrics\n log {\n level ERROR\n }\n}\n", p.admin)+
		fmt.Sprintf("%s {\n bind %s\n wsfev1 {\n audit sqlite %s\n }\n wsfev1_backend {\n ledger sqlite %s\n }\n}\n",
			p.URL, caddytest.Loopback, p.Store, filepath.Join(folder, "ledger.db")))
	if _, err := p.Ready(); err != nil {
		t.Fatalf("the gateway's process: %v\n%s", err, &p.Stderr)
	}
	return p
}

// issuersAtWork are clients that issue invoices and look at the clock.
type issuersAtWork struct {
	t    *testing.T
	all  [issuers]struct{ next int64 } // each is its own goroutine's
	url  string
	http *http.Client
}

func newIssuers(t *testing.T, url string) *issuersAtWork {
	transport := &http.Transport{MaxIdleConnsPerHost: issuers}
	t.Cleanup(transport.CloseIdleConnections)
	return &issuersAtWork{t: t, url: url, http: &http.Client{Transport: transport, Timeout: time.Minute}}
}

// measure issues for so long and returns how long each invoice took.
func (w *issuersAtWork) measure(window time.Duration) (latencies []time.Duration) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), window)
	defer cancel()
	var mu sync.Mutex // guards latencies
	var group sync.WaitGroup
	for n := range issuers {
		group.Go(func() {
			own := w.issue(ctx, n)
			mu.Lock()
			defer mu.Unlock()
			latencies = append(latencies, own...)
		})
	}
	group.Wait()
	return latencies
}

func (w *issuersAtWork) issue(ctx context.Context, n int) (latencies []time.Duration) {
	pace := time.NewTicker(issuerPace)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return latencies
		case <-pace.C:
		}
		w.all[n].next++
		body := caddytest.LotText(n, w.all[n].next, 1)
		began := time.Now()
		got, err := send(w.http, w.url+"/api/wsfev1/FECAESolicitar", body)
		if err != nil || got.Status != http.StatusOK || !strings.Contains(string(got.Body), `"Resultado":"A"`) {
			w.t.Errorf("issuer %d, number %d: %v %d %s", n, w.all[n].next, err, got.Status, got.Body)
			return latencies
		}
		latencies = append(latencies, time.Since(began))
	}
}

// send posts JSON.
func send(client *http.Client, url, body string) (caddytest.Response, error) {
	resp, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return caddytest.Response{}, err
	}
	return caddytest.ReadAll(resp)
}

// spread is how latencies are spread.
type spread struct {
	n                  int
	p50, p90, p99, max time.Duration
}

func percentiles(latencies []time.Duration) spread {
	if len(latencies) == 0 {
		return spread{}
	}
	slices.Sort(latencies)
	n := len(latencies)
	return spread{n, latencies[n/2], latencies[n*9/10], latencies[n*99/100], latencies[n-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("%d invoices, ms: p50 %.1f, p90 %.1f, p99 %.1f, longest %.1f",
		s.n, caddytest.Milliseconds(s.p50), caddytest.Milliseconds(s.p90), caddytest.Milliseconds(s.p99), caddytest.Milliseconds(s.max))
}
