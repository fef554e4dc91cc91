package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/wsfev1"
)

// InFlight limits how many requests are at the service at a time, by kind: a storm of one kind
// does not delay another. Each gateway of a configuration counts for itself. The gateway's own
// queries are not counted.
type InFlight struct {
	// Issuing is the limit for issuing and for advance codes. Default: 256.
	Issuing int `json:"issuing,omitempty"`
	// Tables is the limit for the reference tables. Default: 32.
	Tables int `json:"tables,omitempty"`
	// Queries is the limit for queries about invoices, and for FEDummy. Default: 64.
	Queries int `json:"queries,omitempty"`
	// Wait is how long a request waits for a slot before it is refused with 503.
	// Default: 5 seconds.
	Wait caddy.Duration `json:"wait,omitempty"`
}

const (
	defaultIssuing = 256
	defaultTables  = 32
	defaultQueries = 64
	defaultWait    = 5 * time.Second
)

// maxInFlight bounds each of the limits.
const maxInFlight = 100_000

// Bounds of the options of sizes. Below the least nothing would pass: an answer that is cut off leaves the
// outcome of an invoice unknown.
var (
	bodyBounds    = directive.Bounds{Least: 1 << 10, Most: 1 << 30, Example: "4MiB"}
	bodiesBounds  = directive.Bounds{Least: 1 << 20, Most: 64 << 30, Example: "8MiB"}
	answerBounds  = directive.Bounds{Least: 64 << 10, Most: 1 << 30, Example: "16MiB"}
	answersBounds = directive.Bounds{Least: 1 << 20, Most: 64 << 30, Example: "16MiB"}
)

// checkSizes checks the options of sizes, once they have their defaults.
func (g *Gateway) checkSizes() error {
	return cmp.Or(
		bodyBounds.Check("max_body", g.MaxBody), bodiesBounds.Check("max_bodies", g.MaxBodies),
		answerBounds.Check("max_answer", g.MaxAnswer), answersBounds.Check("max_answers", g.MaxAnswers),
	)
}

// The default deadlines. The service can take a minute to issue, and answers all else in
// a few seconds or not at all. Issuing has upstream_timeout.
const (
	defaultQueryDeadline  = 30 * time.Second
	defaultHealthDeadline = 10 * time.Second
)

// families are the families of the option deadline, in the order in which errors name them.
var families = []wsfev1.Family{
	wsfev1.FamilyIssuing, wsfev1.FamilyCAEA, wsfev1.FamilyQuery, wsfev1.FamilyTable, wsfev1.FamilyHealth,
}

func familyNames() string {
	names := familyWords()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func familyWords() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = string(f)
	}
	return names
}

// provisionLimits makes the limits and deadlines.
func (g *Gateway) provisionLimits() error {
	f := &g.InFlight
	for _, n := range []int{f.Issuing, f.Tables, f.Queries} {
		if n < 0 || n > maxInFlight {
			return fmt.Errorf("in_flight %d: give a number from 1 to %d", n, maxInFlight)
		}
	}
	if f.Wait < 0 {
		return errors.New("in_flight wait is negative: give a duration such as 5s")
	}
	issuing := limit.NewLimit(cmp.Or(f.Issuing, defaultIssuing))
	queries := limit.NewLimit(cmp.Or(f.Queries, defaultQueries))
	g.way.Slots = map[wsfev1.Family]*limit.Limit{
		wsfev1.FamilyIssuing: issuing, wsfev1.FamilyCAEA: issuing,
		wsfev1.FamilyQuery: queries, wsfev1.FamilyHealth: queries,
		wsfev1.FamilyTable: limit.NewLimit(cmp.Or(f.Tables, defaultTables)),
	}
	whole := time.Duration(g.UpstreamTimeout)
	g.way.Deadlines = map[wsfev1.Family]time.Duration{
		wsfev1.FamilyIssuing: whole, wsfev1.FamilyCAEA: whole,
		wsfev1.FamilyQuery: min(whole, defaultQueryDeadline), wsfev1.FamilyTable: min(whole, defaultQueryDeadline),
		wsfev1.FamilyHealth: min(whole, defaultHealthDeadline),
	}
	for _, name := range slices.Sorted(maps.Keys(g.Deadlines)) {
		if !slices.Contains(families, wsfev1.Family(name)) {
			return fmt.Errorf("deadline: unknown family %q: use %s", name, familyNames())
		}
		if g.Deadlines[name] <= 0 {
			return fmt.Errorf("deadline %s: give a duration such as 30s", name)
		}
		g.way.Deadlines[wsfev1.Family(name)] = time.Duration(g.Deadlines[name])
	}
	return nil
}
