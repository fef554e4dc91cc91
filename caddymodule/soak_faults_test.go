package caddymodule_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

// faultySoak is a gateway in a process of its own, in front of a service in another one that
// makes mistakes of all kinds.
type faultySoak struct {
	t       *testing.T
	gateway *openly
	fleet   *fleet
	configs []string
	reloads int
	seed    uint64
}

// TestSoakUnderFaults: one request in five goes wrong at the service, the configuration is
// replaced all the time, with both forms of on_failure, and clients repeat until they know. In
// the end each invoice is issued once, and the gateway is no larger than after its first part.
//
//	FIELATO_TEST_LONG=45 go test ./caddymodule -run SoakUnderFaults -v -timeout 30m
func TestSoakUnderFaults(t *testing.T) {
	t.Parallel()
	long := testrun.Size(t, time.Second, 4*time.Second)
	behind, ledger := freeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	s := startFaultySoak(t, behind)
	faults := roughly + "fault delay {\n delay uniform 1ms 50ms\n probability 0.05\n}\nfault slow_tables {\n delay fixed 20ms\n probability 0.2\n}\n"
	service := startReady(t, quietly+serviceSite(behind, ledger, faults))
	s.run(min(max(long/2, time.Second), time.Minute))
	before := s.settle()
	began := s.fleet.issued
	s.run(long)
	after := s.settle()
	t.Logf("%s, %d reloads in all, %d invoices in this part", long, s.reloads, s.fleet.issued-began)
	wantNoGrowth(t, before, after, soakGrowth)
	s.gateway.end()
	service.end()
	startReady(t, quietly+serviceSite(behind, ledger, ""))
	s.fleet.verify(s.gateway.records())
}

// startFaultySoak starts the gateway.
func startFaultySoak(t *testing.T, behind string) *faultySoak {
	t.Helper()
	s := &faultySoak{t: t, fleet: newFleet(t, behind, 0), seed: soakSeed}
	site := &site{t: t, url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t), store: filepath.Join(t.TempDir(), "audit.db")}
	s.gateway = &openly{process: &process{site: site}, admin: freeAddress(t)}
	s.fleet.gateways = []string{site.url}
	admin := fmt.Sprintf("admin %[1]s {\n origins %[1]s\n }\nlog {\n output discard\n }", s.gateway.admin)
	for _, form := range []string{"on_failure refuse", "on_failure forward"} {
		options := append([]string{"recover within 400ms", "replay on", "upstream_timeout 400ms"}, site.audit(trailOption+form))
		s.configs = append(s.configs, strings.Replace(site.config(strings.Join(options, "\n"), proxyTo(s.fleet.relay.URL, soakTransport)), "admin off", admin, 1))
	}
	s.gateway.serviceProcess = startCaddy(t, s.configs[0])
	if _, err := s.gateway.ready(); err != nil {
		t.Fatalf("the gateway's process: %v\n%s", err, &s.gateway.stderr)
	}
	return s
}

// run lets the clients work for so long, and replaces the configuration meanwhile.
func (s *faultySoak) run(long time.Duration) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), long+time.Minute)
	defer cancel()
	s.fleet.mu.Lock()
	s.fleet.left = 1 << 30
	s.fleet.mu.Unlock()
	s.seed++
	var clients sync.WaitGroup
	clients.Go(func() { s.fleet.run(ctx, s.seed) })
	reload, over := time.NewTicker(min(long/4, time.Second)), time.NewTimer(long)
	defer reload.Stop()
	defer over.Stop()
	for work := true; work; {
		select {
		case <-over.C:
			work = false
		case <-reload.C:
			s.reloads++
			s.gateway.reload(s.configs[s.reloads%len(s.configs)])
		}
	}
	s.fleet.stop()
	clients.Wait()
}

// settle waits until what is over has ended.
func (s *faultySoak) settle() resources {
	s.t.Helper()
	s.gateway.reload(s.configs[0])
	return s.gateway.settled()
}
