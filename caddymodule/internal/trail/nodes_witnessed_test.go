package trail_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
	auditpostgres "github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestGatewaysThatShareATrailAreWitnessed: one witness signs the log of each gateway on a database, before and after
// one of them is killed.
func TestGatewaysThatShareATrailAreWitnessed(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	w := caddytest.NewWitness(t, "testigo.example/w1")
	nodes := []*node{}
	for _, name := range []string{"edge-1", "edge-2"} { // they start before the witness does, with an alert
		nodes = append(nodes, startNode(t, dsn, name, caddytest.ProxyTo(upstream.URL), w.Option(" 1s")))
	}
	store, err := auditpostgres.OpenReader(t.Context(), dsn, auditpostgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	keys := map[string]string{}
	for _, n := range nodes {
		if keys[n.name], err = signingkey.KnownVerifier(t.Context(), store, n.name); err != nil {
			t.Fatal(err)
		}
	}
	w.Start(keys["edge-1"], keys["edge-2"])
	number := 0
	issue := func(at *node) {
		t.Helper()
		number++
		wantCode(t, at.Post("FECAESolicitar", caddytest.Invoice(number)), number)
	}
	signed := func(what string) {
		t.Helper()
		for name, key := range keys {
			caddytest.Eventually(t, what+" at "+name, func() bool {
				head, err := store.Head(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				cosigned, _, err := audit.Cosigned(t.Context(), store, name, key)
				return err == nil && cosigned.Size > 0 && cosigned.Size == head.Size
			})
		}
	}
	issue(nodes[0])
	issue(nodes[1])
	signed("all is signed")
	nodes[0].Kill()
	issue(nodes[1])
	nodes[0].again("edge-1")
	nodes[0].await()
	issue(nodes[0])
	signed("all is signed after a kill")
	for _, n := range nodes {
		n.End()
	}
	wantApprovedOnce(t, readLogs(t, dsn), number)
}
