package caddymodule_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

// TestEveryInvoiceIsIssuedExactlyOnce: 64 clients on 16 series, and one request in five
// goes wrong between the gateway and the service.
//
//	FIELATO_TEST_LONG=33 go test ./caddymodule -run ExactlyOnce -v -timeout 30m
func TestEveryInvoiceIsIssuedExactlyOnce(t *testing.T) {
	invoices := testrun.Size(t, 100, 300)
	s := start(t, "respond 503")
	behind, ledger := freeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	f := newFleet(t, behind, invoices)
	f.gateways = []string{s.url}
	options := strings.Join([]string{"recover within 400ms", "replay on", "upstream_timeout 400ms", s.audit()}, "\n")
	s.load(strings.Replace(s.config(options, proxyTo(f.relay.URL)), "admin off", "admin off\nlog {\noutput discard\n}", 1) + serviceSite(behind, ledger, roughly))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(invoices)*50*time.Millisecond)
	defer cancel()
	began := time.Now()
	f.run(ctx, onceSeed)
	took := time.Since(began)
	s.load(quietly + serviceSite(behind, ledger, "")) // the gateway is gone
	records := readStore(t, s.store)
	f.verify(records)
	sum := map[string]int{}
	for _, told := range kindsOf(records) {
		sum[told]++
	}
	t.Logf("%d invoices in %s, %d records: %v", f.issued, took, len(records), sum)
}

// TestKilledGatewayIssuesEveryInvoiceExactlyOnce kills the gateway's process at random
// moments while the clients work, and starts it again; the service behind it lives on.
//
//	FIELATO_TEST_LONG=20 go test ./caddymodule -run KilledGatewayIssues -v
func TestKilledGatewayIssuesEveryInvoiceExactlyOnce(t *testing.T) {
	t.Parallel()
	kills := testrun.Size(t, 2, 10)
	behind, ledger := freeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	f := newFleet(t, behind, 1<<30)
	service := startReady(t, quietly+serviceSite(behind, ledger, roughly))
	s := &site{t: t, url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t), store: filepath.Join(t.TempDir(), "audit.db")}
	f.gateways = []string{s.url}
	options := strings.Join([]string{"recover within 400ms", "replay on", "upstream_timeout 400ms", s.audit()}, "\n")
	config := strings.Replace(s.config(options, proxyTo(f.relay.URL)), "admin off", "admin off\nlog {\noutput discard\n}", 1)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(kills)*5*time.Second)
	defer cancel()
	m := newMortal(t, config)
	process := m.start()
	var clients sync.WaitGroup
	clients.Go(func() { f.run(ctx, onceSeed) })
	random := rand.New(rand.NewPCG(onceSeed, 1))
	for range kills {
		// A life of some sends, and the death at some moment after the last one.
		until := f.sends() + 5 + random.IntN(30)
		eventually(t, "requests upstream", func() bool { return f.sends() >= until })
		delay := time.NewTimer(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
		<-delay.C
		process.kill()
		process = m.start()
	}
	f.stop()
	clients.Wait()
	process.kill()
	service.end()
	startReady(t, quietly+serviceSite(behind, ledger, ""))
	records := readStore(t, s.store)
	f.verify(records)
	t.Logf("%d kills, %d invoices, %d records", kills, f.issued, len(records))
}
