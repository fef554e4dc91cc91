package caddymodule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// drill is one thing that goes wrong, with the steps that the pages prescribe.
type drill struct {
	name string
	play func(*scene)
}

// drills are played on both stores, the quickest first.
var drills = []drill{
	{"newest backup restored", restoreNewest},
	{"older copy restored", restoreOlder},
	{"half restore: no key", restoreWithoutKey},
	{"half restore: key alone", restoreKeyAlone},
	{"private key lost", loseKey},
	{"database lost, no backup", loseDatabase},
	{"moved to another machine", moveMachine},
	{"certificate expired", expireCertificate},
	{"clock set back by an hour", setClockBack},
}

// own are the drills of one store alone.
var own = map[string][]drill{
	"SQLite":     {{"half restore: file cut off", restoreCutOff}, {"half restore: file damaged", restoreDamaged}},
	"PostgreSQL": {{"half restore: rows missing", restoreWithoutRows}, {"failover to a copy that lags", failOver}},
}

// TestDrill is an operator's bad day: in each drill a gateway has issued invoices, something goes
// wrong, and the steps of docs/troubleshooting.md, docs/operating.md and docs/runbook.md are
// followed. In the end a new invoice is issued, those from before get their codes, each is at the
// service once, and the trail verifies.
//
// With FIELATO_TEST_LONG=2 all drills are played on both stores, else a few on SQLite.
func TestDrill(t *testing.T) {
	var table strings.Builder
	for _, kind := range testrun.Few(t, 1, []string{"SQLite", "PostgreSQL"}) {
		for _, d := range testrun.Few(t, 3, slices.Concat(drills, own[kind])) {
			t.Run(kind+"/"+d.name, func(t *testing.T) {
				s := newScene(t, kind)
				d.play(s)
				fmt.Fprintf(&table, "%-30s %-10s %7.1f s  %s\n", d.name, kind, s.took.Seconds(), strings.Join(s.steps, " → "))
			})
		}
	}
	t.Logf("from the disaster to the next new invoice with a CAE, and the steps:\n%s", &table)
}
