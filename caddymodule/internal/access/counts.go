package access

import (
	"maps"
	"slices"
	"sync"

	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/clients"
)

// maxFromStart is up to how many clients of a table are counted from the table's load on. Of a larger table each
// client is counted from its first request on: most clients of it send nothing for long.
const maxFromStart = 1000

// counts are the requests of all clients of one name, by result.
type counts struct {
	mu sync.Mutex // guards the rest
	// byResult has the results that are exported, which may have no request yet. Prometheus sees no increase of a
	// series that begins with its first event.
	byResult map[string]uint64
	// possible are the results that the client's row allows for.
	possible []string
}

// expect says which results are possible from now on. They are exported at once, or from the first request on.
func (c *counts) expect(results []string, atOnce bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.possible = results
	if atOnce || len(c.byResult) > 0 {
		c.begin()
	}
}

// begin exports the possible results. The caller holds mu.
func (c *counts) begin() {
	for _, result := range c.possible {
		c.byResult[result] += 0
	}
}

func (c *counts) add(result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byResult) == 0 {
		c.begin()
	}
	c.byResult[result]++
}

// snapshot returns the counts of the exported results, and their sum.
func (c *counts) snapshot() (byResult map[string]uint64, all uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.byResult {
		all += n
	}
	return maps.Clone(c.byResult), all
}

// possible returns the results that requests of a client may have.
func possible(row *clients.Row) []string {
	results := []string{intake.ResultAdmitted}
	for result, may := range map[string]bool{
		intake.ResultRate:              len(row.Rate) > 0,
		intake.ResultShare:             row.Share != "" || len(row.Ticket) > 0,
		string(clients.RightCuit):      !slices.Contains(row.Cuits, clients.All),
		string(clients.RightOperation): !slices.Contains(row.May, clients.All),
		string(clients.RightPtoVta):    len(row.PtoVta) > 0,
		string(clients.RightCbteTipo):  len(row.CbteTipo) > 0,
		string(clients.RightAmount):    row.MaxAmount != "",
	} {
		if may {
			results = append(results, result)
		}
	}
	return results
}

// byName has the counts of each name that a configuration of this process has had: they go on after a reload.
var byName = struct {
	mu    sync.Mutex // guards names
	names map[string]*counts
}{names: map[string]*counts{}}

func countsOf(name string) *counts {
	byName.mu.Lock()
	defer byName.mu.Unlock()
	c := byName.names[name]
	if c == nil {
		c = &counts{byResult: map[string]uint64{}}
		byName.names[name] = c
	}
	return c
}
