package gateway_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestEveryInvoiceIsIssuedExactlyOnce: 64 clients on 16 series, and one request in five
// goes wrong between the gateway and the service.
//
//	FIELATO_TEST_LONG=33 go test ./caddymodule/gateway -run ExactlyOnce -v -timeout 30m
func TestEveryInvoiceIsIssuedExactlyOnce(t *testing.T) {
	invoices := testrun.Size(t, 100, 300)
	s := caddytest.NewSite(t)
	behind, ledger := caddytest.FreeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	f := caddytest.NewFleet(t, behind, invoices)
	f.Gateways = []string{s.URL}
	options := strings.Join([]string{"recover within 400ms", "replay on", "upstream_timeout 400ms", s.Audit()}, "\n")
	s.Load(strings.Replace(s.Config(options, caddytest.ProxyTo(f.Relay.URL)), "admin off", "admin off\nlog {\noutput discard\n}", 1) + caddytest.ServiceSite(behind, ledger, caddytest.Roughly))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(invoices)*50*time.Millisecond)
	defer cancel()
	began := time.Now()
	f.Run(ctx, caddytest.OnceSeed)
	took := time.Since(began)
	s.Load(caddytest.Quietly + caddytest.ServiceSite(behind, ledger, "")) // the gateway is gone
	records := caddytest.ReadStore(t, s.Store)
	f.Verify(records)
	sum := map[string]int{}
	for _, told := range caddytest.KindsOf(records) {
		sum[told]++
	}
	t.Logf("%d invoices in %s, %d records: %v", f.Issued, took, len(records), sum)
}

// TestKilledGatewayIssuesEveryInvoiceExactlyOnce kills the gateway's process at random
// moments while the clients work, and starts it again; the service behind it lives on.
//
//	FIELATO_TEST_LONG=33 go test ./caddymodule/gateway -run KilledGatewayIssues -v
func TestKilledGatewayIssuesEveryInvoiceExactlyOnce(t *testing.T) {
	t.Parallel()
	kills := testrun.Size(t, 2, 6)
	behind, ledger := caddytest.FreeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	f := caddytest.NewFleet(t, behind, 1<<30)
	service := caddytest.StartReady(t, caddytest.Quietly+caddytest.ServiceSite(behind, ledger, caddytest.Roughly))
	s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t), Store: filepath.Join(t.TempDir(), "audit.db")}
	f.Gateways = []string{s.URL}
	options := strings.Join([]string{"recover within 400ms", "replay on", "upstream_timeout 400ms", s.Audit()}, "\n")
	config := strings.Replace(s.Config(options, caddytest.ProxyTo(f.Relay.URL)), "admin off", "admin off\nlog {\noutput discard\n}", 1)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(kills)*5*time.Second)
	defer cancel()
	m := caddytest.NewMortal(t, config)
	process := m.Start()
	var clients sync.WaitGroup
	clients.Go(func() { f.Run(ctx, caddytest.OnceSeed) })
	random := rand.New(rand.NewPCG(caddytest.OnceSeed, 1))
	for range kills {
		// A life of some sends, and the death at some moment after the last one.
		until := f.Sends() + 5 + random.IntN(30)
		caddytest.Eventually(t, "requests upstream", func() bool { return f.Sends() >= until })
		delay := time.NewTimer(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
		<-delay.C
		process.Kill()
		process = m.Start()
	}
	f.Stop()
	clients.Wait()
	process.Kill()
	service.End()
	caddytest.StartReady(t, caddytest.Quietly+caddytest.ServiceSite(behind, ledger, ""))
	records := caddytest.ReadStore(t, s.Store)
	f.Verify(records)
	t.Logf("%d kills, %d invoices, %d records", kills, f.Issued, len(records))
}
