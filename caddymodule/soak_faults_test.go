package caddymodule_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// faultySoak is a gateway in a process of its own, in front of a service in another one that
// makes mistakes of all kinds.
type faultySoak struct {
	t       *testing.T
	gateway *openly
	fleet   *caddytest.Fleet
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
	behind, ledger := caddytest.FreeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	s := startFaultySoak(t, behind)
	faults := caddytest.Roughly + "fault delay {\n delay uniform 1ms 50ms\n probability 0.05\n}\nfault slow_tables {\n delay fixed 20ms\n probability 0.2\n}\n"
	service := caddytest.StartReady(t, caddytest.Quietly+caddytest.ServiceSite(behind, ledger, faults))
	s.run(min(max(long/2, time.Second), time.Minute))
	before := s.settle(resources{})
	began := s.fleet.Issued
	s.run(long)
	after := s.settle(before.plus(soakGrowth))
	t.Logf("%s, %d reloads in all, %d invoices in this part", long, s.reloads, s.fleet.Issued-began)
	wantNoGrowth(t, before, after, soakGrowth)
	s.gateway.End()
	service.End()
	caddytest.StartReady(t, caddytest.Quietly+caddytest.ServiceSite(behind, ledger, ""))
	s.fleet.Verify(s.gateway.Records())
}

// startFaultySoak starts the gateway.
func startFaultySoak(t *testing.T, behind string) *faultySoak {
	t.Helper()
	s := &faultySoak{t: t, fleet: caddytest.NewFleet(t, behind, 0), seed: soakSeed}
	site := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t), Store: filepath.Join(t.TempDir(), "audit.db")}
	s.gateway = &openly{Process: &caddytest.Process{Site: site}, admin: caddytest.FreeAddress(t)}
	s.fleet.Gateways = []string{site.URL}
	admin := fmt.Sprintf("admin %[1]s {\n origins %[1]s\n }\nlog {\n output discard\n }", s.gateway.admin)
	for _, form := range []string{"on_failure refuse", "on_failure forward"} {
		options := append([]string{"recover within 400ms", "replay on", "upstream_timeout 400ms"}, site.Audit(caddytest.TrailOption+form))
		s.configs = append(s.configs, strings.Replace(site.Config(strings.Join(options, "\n"), caddytest.ProxyTo(s.fleet.Relay.URL, soakTransport)), "admin off", admin, 1))
	}
	s.gateway.ServiceProcess = caddytest.StartCaddy(t, s.configs[0])
	if _, err := s.gateway.Ready(); err != nil {
		t.Fatalf("the gateway's process: %v\n%s", err, &s.gateway.Stderr)
	}
	return s
}

// run lets the clients work for so long, and replaces the configuration meanwhile.
func (s *faultySoak) run(long time.Duration) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), long+time.Minute)
	defer cancel()
	s.fleet.Mu.Lock()
	s.fleet.Left = 1 << 30
	s.fleet.Mu.Unlock()
	s.seed++
	var clients sync.WaitGroup
	clients.Go(func() { s.fleet.Run(ctx, s.seed) })
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
	s.fleet.Stop()
	clients.Wait()
}

// settle goes back to the first configuration and waits until earlier work has ended, as settled does.
func (s *faultySoak) settle(most resources) resources {
	s.t.Helper()
	s.gateway.reload(s.configs[0])
	return s.gateway.settled(most)
}
