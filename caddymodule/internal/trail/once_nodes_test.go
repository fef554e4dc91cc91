package trail_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

const sharingNodes = 3

// hastily are the options of gateways that give up soon, so that much goes wrong; but not so
// soon that the service, on a busy machine, is still at work on what they count as lost.
var hastily = []string{"recover within 2s", "replay on", "upstream_timeout 1s"}

// TestKilledGatewaysThatShareATrailIssueEveryInvoiceExactlyOnce: three gateways write to one
// PostgreSQL, clients take any of them and any form for each attempt, and now and then one is killed. It
// is started again under its name, which has to wait for the claim of the dead, or under
// another one, as a container is that has a new host name. In the long form gateways also stand still for
// longer than their leases and claims, lose their connections, and the server of the database dies.
//
//	FIELATO_TEST_LONG=50 go test ./caddymodule/internal/trail -run ThatShareATrail -v -timeout 2h
func TestKilledGatewaysThatShareATrailIssueEveryInvoiceExactlyOnce(t *testing.T) {
	t.Parallel()
	cluster := postgrestest.New(t, "")
	dsn := cluster.Database(t)
	kills := testrun.Size(t, 2, 4)
	ledger := ledgerVariable + "=" + postgrestest.Shared(t).Database(t)
	behind := caddytest.FreeAddress(t)
	f := caddytest.NewFleet(t, behind, 1<<30)
	f.Forms = caddytest.Faces
	service := caddytest.StartReady(t, caddytest.Quietly+caddytest.ServiceOn(behind, sharedLedger, caddytest.Roughly), ledger)
	proxy := postgrestest.NewProxy(t, cluster.Address())
	h := newHerd(t, proxy.DSN(cluster, caddytest.DatabaseIn(t, dsn)), caddytest.ProxyTo(f.Relay.URL), hastily...)
	for _, n := range h.nodes {
		f.Gateways = append(f.Gateways, n.URL)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(kills)*20*time.Second)
	defer cancel()
	var clients sync.WaitGroup
	began := time.Now()
	clients.Go(func() { f.Run(ctx, caddytest.OnceSeed) })
	between := testrun.Whole(t, 30, 90)
	for kill := range kills {
		until := f.Sends() + 5 + h.random.IntN(between)
		caddytest.Within(t, time.Minute, "requests upstream", func() bool { return f.Sends() >= until })
		h.killOne()
		switch kill % 20 { // never in the short form
		case 5:
			h.pauseOne(pauses[kill/20%len(pauses)])
		case 10:
			proxy.Cut()
		case 15:
			h.starting.Wait() // a gateway does not start without its database
			cluster.Kill(t)
			cluster.Start(t)
		}
	}
	f.Stop()
	clients.Wait()
	took := time.Since(began)
	h.end()
	service.End()
	caddytest.StartReady(t, caddytest.Quietly+caddytest.ServiceOn(behind, sharedLedger, ""), ledger)
	records := readLogs(t, dsn)
	f.Verify(records)
	logs, sum := map[string]bool{}, map[string]int{}
	for _, r := range records {
		logs[r.Log] = true
	}
	for _, told := range caddytest.KindsOf(records) {
		sum[told]++
	}
	t.Logf("%d kills in %s, %d invoices, %d sends, %d records in %d logs: %v", kills, took, f.Issued, f.Sends(), len(records), len(logs), sum)
	if f.Issued < kills {
		t.Errorf("%d invoices with %d deaths: nothing was put to the proof", f.Issued, kills)
	}
}

// herd are gateways that share a database and die.
type herd struct {
	t      *testing.T
	nodes  []*node
	random *rand.Rand
	lives  int
	// ready has the nodes that answer, failed the errors of those that never will.
	ready    chan *node
	starting sync.WaitGroup
}

// newHerd starts the gateways in front of next.
func newHerd(t *testing.T, dsn, next string, options ...string) *herd {
	h := &herd{t: t, random: rand.New(rand.NewPCG(caddytest.OnceSeed, 2)), ready: make(chan *node, sharingNodes)}
	for i := range sharingNodes {
		h.nodes = append(h.nodes, prepareNode(t, dsn, fmt.Sprintf("edge-%d", i+1), next, options...))
		h.await(h.nodes[i])
	}
	h.starting.Wait()
	return h
}

// await puts a node among those that may be killed once it answers.
func (h *herd) await(n *node) {
	h.starting.Go(func() {
		if _, err := n.ServiceProcess.Ready(); err != nil {
			h.t.Errorf("gateway %s does not start: %v: %s", n.name, err, &n.Stderr)
		}
		h.ready <- n
	})
}

// killOne kills the node that has been answering for longest, at some moment, and starts it
// again without waiting for it.
func (h *herd) killOne() {
	h.t.Helper()
	n := <-h.ready
	moment := time.NewTimer(time.Duration(h.random.Int64N(int64(20 * time.Millisecond))))
	<-moment.C
	n.Kill()
	name := n.name
	if h.lives++; h.random.IntN(2) == 0 {
		name = fmt.Sprintf("edge-%d", sharingNodes+h.lives)
	}
	n.again(name)
	h.await(n)
}

// pauses are longer than a lease, and than the claim on a log.
var pauses = []time.Duration{6 * time.Second, 20 * time.Second}

// pauseOne has the node that has been answering for longest stand still.
func (h *herd) pauseOne(length time.Duration) {
	h.t.Helper()
	n := <-h.ready
	n.signal(syscall.SIGSTOP)
	h.starting.Go(func() {
		<-time.After(length)
		n.signal(syscall.SIGCONT)
		h.ready <- n
	})
}

// end kills all of them.
func (h *herd) end() {
	h.starting.Wait()
	for _, n := range h.nodes {
		n.Kill()
	}
}
