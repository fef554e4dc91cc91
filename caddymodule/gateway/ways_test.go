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

// everyFault are all faults that strike the operations of a fleet. With a ticket that is refused
// the gateway logs in again.
var everyFault = caddytest.Roughly + `
	fault error_502 {
		probability 0.01
	}
	fault dummy_only {
		probability 0.01
	}
	fault expired_ticket {
		probability 0.005
	}
	fault delay {
		delay uniform 1ms 50ms
		probability 0.02
	}
`

// wayOptions are the options of the gateway of a whole way. The service refuses after so long.
var wayOptions = []string{"recover within 400ms", "replay on", "upstream_timeout 500ms"}

// ways are the forms that clients write, each with the form that the service reads. Below FIELATO_TEST_LONG=1 the
// first two are tried: their clients write both forms.
var ways = []struct {
	name  string
	forms []caddytest.Face
	json  bool // the service reads JSON
}{
	{"both to SOAP", caddytest.Faces, false},
	{"both to JSON", caddytest.Faces, true},
	{"JSON to SOAP", caddytest.Faces[:1], false},
	{"SOAP to SOAP", caddytest.Faces[1:], false},
}

// quietGateway is the Caddyfile of a gateway without a log.
func quietGateway(s *caddytest.Site, next string, options ...string) string {
	return strings.Replace(s.Config(s.WithAudit(options...), next), "admin off", "admin off\nlog {\noutput discard\n}", 1)
}

// TestWholeWaysIssueEveryInvoiceExactlyOnce: clients without tickets, a gateway that logs in for
// them and is reloaded meanwhile, TLS, a wire with faults, and a service with all of its own.
//
//	FIELATO_TEST_LONG=20 go test ./caddymodule/gateway -run WholeWays -v -timeout 30m
func TestWholeWaysIssueEveryInvoiceExactlyOnce(t *testing.T) {
	invoices, reloads := testrun.Size(t, 16, 24), testrun.Size(t, 1, 2)
	for _, way := range ways[:testrun.Full(t, 2, len(ways))] {
		t.Run(way.name, func(t *testing.T) {
			far := caddytest.StartFarSide(t, invoices, "sqlite "+filepath.Join(t.TempDir(), "ledger.db"), everyFault, "")
			far.Forms, far.Ticketless, far.WireFaults = way.forms, true, 0.01
			s := caddytest.NewSite(t)
			far.Gateways = []string{s.URL}
			configs := make([]string, 2)
			for i, version := range []string{"1.1", "1.2"} {
				next := far.Next("soap " + version)
				if way.json {
					next = far.NextJSON()
				}
				configs[i] = quietGateway(s, next, append(wayOptions, far.Wsaa(), "max_body "+[]string{"1MiB", "2MiB"}[i])...)
			}
			s.Load(configs[0])
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(invoices)*100*time.Millisecond)
			defer cancel()
			var clients sync.WaitGroup
			began := time.Now()
			clients.Go(func() { far.Run(ctx, caddytest.OnceSeed) })
			for i := range reloads {
				until := invoices * (i + 1) / (reloads + 1)
				caddytest.Within(t, 2*time.Minute, "requests upstream", func() bool { return far.Sends() >= until })
				s.Load(configs[(i+1)%2])
			}
			clients.Wait()
			took := time.Since(began)
			s.Load(caddytest.Quietly)
			verifyWay(t, far, s, 0)
			t.Logf("%d invoices in %s, %d reloads, %d sends, %d logins", far.Issued, took, reloads, far.Sends(), far.Logins())
		})
	}
}

// verifyWay holds the trail and the ledger of a way against what its clients and the service have
// seen. The gateway is gone.
func verifyWay(t *testing.T, far *caddytest.FarSide, s *caddytest.Site, kills int) {
	t.Helper()
	far.Calm(t)
	records := caddytest.ReadStore(t, s.Store)
	far.Verify(records)
	far.VerifyWays(records, kills)
	far.VerifySecrets(records, filepath.Dir(s.Store))
	if out, errs, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+s.Store); err != nil {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}

// TestKilledGatewaysOfWholeWaysIssueEveryInvoiceExactlyOnce kills the gateway of such a way again and
// again. The login service gives one ticket in ten minutes: each life takes over the last one's ticket.
//
//	FIELATO_TEST_LONG=20 go test ./caddymodule/gateway -run KilledGatewaysOfWholeWays -v -timeout 30m
func TestKilledGatewaysOfWholeWaysIssueEveryInvoiceExactlyOnce(t *testing.T) {
	t.Parallel()
	kills := testrun.Size(t, 1, 2)
	far := caddytest.StartFarSide(t, 1<<30, "sqlite "+filepath.Join(t.TempDir(), "ledger.db"), caddytest.Roughly, "window 10m")
	far.Forms, far.Ticketless, far.WireFaults = caddytest.Faces, true, 0.01
	s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t), Store: filepath.Join(t.TempDir(), "audit.db")}
	far.Gateways = []string{s.URL}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute+time.Duration(kills)*5*time.Second)
	defer cancel()
	m := caddytest.NewMortal(t, quietGateway(s, far.Next(), append(wayOptions, far.Wsaa())...))
	process := m.Start()
	var clients sync.WaitGroup
	clients.Go(func() { far.Run(ctx, caddytest.OnceSeed) })
	random := rand.New(rand.NewPCG(caddytest.OnceSeed, 4))
	for range kills {
		until := far.Sends() + 5 + random.IntN(30)
		caddytest.Within(t, 3*time.Minute, "requests upstream", func() bool { return far.Sends() >= until })
		delay := time.NewTimer(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
		<-delay.C
		process.Kill()
		process = m.Start()
	}
	far.Stop()
	clients.Wait()
	process.Kill()
	verifyWay(t, far, s, kills+1)
	if far.Logins() != 1 {
		t.Errorf("%d tickets in %d lives of the gateway, want 1", far.Logins(), kills+1)
	}
	t.Logf("%d kills, %d invoices, %d sends, %d logins", kills, far.Issued, far.Sends(), far.Logins())
}
