package segment

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/run"
	"github.com/fielato/fielato/internal/segment/term"
	"github.com/fielato/fielato/wsfev1"
)

// grown is a log that grows, and whose runs are merged step by step.
type grown struct {
	rows    *memory
	vault   *Vault
	state   *State
	records []*audit.Record
	open    []uint64
	merge   *run.Merge
	// inspected: no row has changed since the last inspection.
	inspected bool
}

func newGrown(t *rapid.T) *grown {
	shape := run.Shape{Bits: rapid.IntRange(1, 3).Draw(t, "bits"), Records: rapid.IntRange(1, 9).Draw(t, "block"), Terms: 1 << 16, Tail: 9}
	g := &grown{rows: &memory{shape: shape, lists: map[listKey][]byte{}}, vault: NewVault(nil)}
	if rapid.Bool().Draw(t, "with the secret") {
		var err error
		if g.vault.receivers, err = term.Derive([]byte("secret"), nil); err != nil {
			t.Fatal(err)
		}
	}
	g.reopen(t)
	return g
}

// reopen is a process that comes after one that was killed.
func (g *grown) reopen(t *rapid.T) {
	var err error
	if g.state, err = NewState(t.Context(), g.rows, g.vault, "log", g.rows.view()); err != nil {
		t.Fatal(err)
	}
	g.merge = nil
}

// commit appends some records, as an earlier build does it or as this one.
func (g *grown) commit(t *rapid.T) {
	by := rapid.SampledFrom([]build{firstBuild, withPoints, withReceivers}).Draw(t, "build")
	batch := audit.Batch{Log: "log", First: uint64(len(g.records))}
	for range rapid.IntRange(1, 90).Draw(t, "records") {
		r := g.record(t)
		r.Log, r.Index = "log", uint64(len(g.records))
		g.records = append(g.records, r)
		form := r.Encode(nil)
		p := g.vault.Prepare(form, r).(*prepared)
		if by < withReceivers {
			p.keys, p.bytes = keysOf(r, by, nil)
		}
		batch.Entries = append(batch.Entries, audit.Entry{Form: form, Record: r, Prepared: p})
	}
	plan, err := g.state.Plan(t.Context(), g.rows, nil, &batch)
	if err != nil {
		t.Fatal(err)
	}
	g.rows.write(plan)
	g.inspected = false
	g.state.Done(plan)
}

func (g *grown) record(t *rapid.T) *audit.Record {
	few := rapid.Int64Range(1, 4)
	number := rapid.Int64Range(1, 60).Draw(t, "number")
	r := &audit.Record{
		Kind: audit.KindExchange, Time: time.Unix(int64(len(g.records))+few.Draw(t, "late"), 0).UTC(), Operation: "FECAESolicitar",
		Cuit: wsfev1.CUIT(20000000000 + few.Draw(t, "issuer")), PtoVta: int32(few.Draw(t, "point")), CbteTipo: rapid.SampledFrom([]int32{6, 6, 1}).Draw(t, "type"),
		Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}},
	}
	if rapid.IntRange(0, 20).Draw(t, "wide") == 0 {
		r.Vouchers[0].CbteHasta += 2 * wideRange
	}
	if rapid.Bool().Draw(t, "receivers") {
		r.Request = fmt.Appendf(nil, `{"DocNro":%d,"Compradores":[{"DocNro":%d}]}`, few.Draw(t, "receiver"), few.Draw(t, "buyer"))
	}
	if rapid.IntRange(0, 20).Draw(t, "many receivers") == 0 {
		for i := range manyReceivers + 1 {
			r.Request = fmt.Appendf(r.Request, `{"DocNro":%d}`, i+1)
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		r.Kind = audit.KindIntent
		g.open = append(g.open, uint64(len(g.records)))
	case 1:
		if len(g.open) > 0 {
			i := rapid.IntRange(0, len(g.open)-1).Draw(t, "intent")
			r.Kind, r.Intent, r.Cuit, r.PtoVta, r.Vouchers = audit.KindOutcome, g.open[i], 0, 0, nil
			g.open = append(g.open[:i], g.open[i+1:]...)
		}
	}
	return r
}

// step makes one step of a merge.
func (g *grown) step(t *rapid.T) (more bool) {
	var err error
	if g.merge == nil {
		if g.merge, err = run.Next(t.Context(), g.rows); err != nil {
			t.Fatal(err)
		}
	}
	if g.merge == nil {
		return false
	}
	step, err := g.merge.Step(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.rows.writeStep(step)
	g.inspected = false
	if g.merge.Done(step) {
		g.merge = nil
	}
	return true
}

// compare compares a search with a look at each record.
func (g *grown) compare(t *rapid.T, q audit.Query) {
	q.Log = "log"
	answered := map[uint64]bool{}
	var want []uint64
	for _, r := range slices.Backward(g.records) {
		var intent *audit.Record
		if r.Kind == audit.KindOutcome {
			answered[r.Intent], intent = true, g.records[r.Intent]
		}
		if !answered[r.Index] && q.Matches(r, intent) && (q.Limit == 0 || len(want) < q.Limit) {
			want = append(want, r.Index)
		}
	}
	n := 0
	Search(t.Context(), g.rows, g.vault, &Tails{}, g.rows.view(), &q, func(r *audit.Record, err error) bool {
		if err != nil || n == len(want) || r.Index != want[n] {
			t.Fatalf("search %+v: %d. is %v, %v; want %v", q, n, r, err, want)
		}
		n++
		return true
	})
	if n != len(want) {
		t.Fatalf("search %+v: %d records, want %v", q, n, want)
	}
}

func (g *grown) query(t *rapid.T) audit.Query {
	some := func(name string, most int64) int64 {
		if rapid.Bool().Draw(t, name+" is asked for") {
			return 0
		}
		return rapid.Int64Range(0, most).Draw(t, name)
	}
	size := int64(len(g.records))
	q := audit.Query{
		PtoVta: int32(some("point", 5)), Number: some("number", 100), Before: uint64(some("before", size)), From: uint64(some("from", size)),
		Limit: int(some("limit", 5)), SummaryOnly: rapid.Bool().Draw(t, "summaries"),
	}
	q.Receiver = some("receiver", 5)
	if issuer := some("issuer", 5); issuer > 0 {
		q.Cuit = wsfev1.CUIT(20000000000 + issuer)
	}
	switch rapid.IntRange(0, 3).Draw(t, "types") {
	case 0:
		q.CbteTipo = 6
	case 1:
		q.CbteTipos = rapid.SampledFrom([][]int32{{6}, {1, 6}, {1, 2}}).Draw(t, "any type")
	}
	if since := some("since", size); since > 0 {
		q.Since = time.Unix(since, 0)
		q.Until = q.Since.Add(time.Duration(some("seconds", 40)) * time.Second)
	}
	if rapid.IntRange(0, 3).Draw(t, "intents") == 0 {
		q.Kind = audit.KindIntent
	}
	return q
}

// inspect returns the flaws of the index.
func (g *grown) inspect(t *rapid.T) (flaws []audit.Flaw) {
	i := Inspection{Rows: g.rows, Vault: g.vault, Log: "log", View: g.rows.view(), Found: func(f audit.Flaw) { flaws = append(flaws, f) }}
	if err := i.Blocks(t.Context()); err != nil {
		t.Fatal(err)
	}
	return flaws
}

// TestASearchFindsTheSameAtEveryStepOfAMerge: as a look at each record, whichever build has written it, wherever a
// process was killed.
func TestASearchFindsTheSameAtEveryStepOfAMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newGrown(t)
		t.Repeat(map[string]func(*rapid.T){
			"commit": g.commit,
			"merge":  func(t *rapid.T) { g.step(t) },
			"merge all": func(t *rapid.T) {
				for g.step(t) {
				}
			},
			"kill":   g.reopen,
			"search": func(t *rapid.T) { g.compare(t, g.query(t)) },
			"": func(t *rapid.T) {
				if g.inspected {
					return
				}
				g.inspected = true
				if flaws := g.inspect(t); len(flaws) > 0 {
					t.Fatalf("%v", flaws)
				}
			},
		})
	})
}
