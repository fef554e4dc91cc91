package tallytest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// Day is the day that is counted, which begins at 03:00 UTC.
var Day = time.Date(2026, 11, 22, 0, 0, 0, 0, wsfev1.Argentina)

// Issuers are the issuers of a Trail.
var Issuers = []wsfev1.CUIT{20111111112, 30500010912, 30707070703}

// Trail writes exchanges of all kinds into two logs of a store.
type Trail struct {
	Store  *sqlite.Store
	Logs   []string
	Random *rand.Rand

	t       *testing.T
	path    string
	writers []*audit.Writer
	n       int
	// refused is the newest request that the gateway refused, which may come again.
	refused *audit.Record
	// open are intents without an outcome, unsettled those with one that leaves open what became of them.
	open, unsettled []pendingIntent
	// approved are the records that may be repeated.
	approved []audit.Record
}

type pendingIntent struct {
	record audit.Record
	place  story.Place
	log    int
}

// NewTrail returns a trail of nothing. Equal seeds give equal trails.
func NewTrail(t *testing.T, seed uint64) *Trail {
	r := &Trail{t: t, Random: rand.New(rand.NewPCG(seed, 7)), path: filepath.Join(t.TempDir(), "audit.db"), Logs: []string{"a", "b"}}
	store, err := sqlite.Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	r.Store = store
	for _, log := range r.Logs {
		w, err := audit.Open(t.Context(), store, log, audittest.Key(t, log), audit.Options{First: true, Random: rand.NewChaCha8([32]byte{byte(seed)})})
		if err != nil {
			t.Fatal(err)
		}
		r.writers = append(r.writers, w)
	}
	t.Cleanup(func() {
		for _, w := range r.writers {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// Append writes a record into one of the Logs.
func (r *Trail) Append(log int, record audit.Record) story.Place {
	index, err := r.writers[log].Append(r.t.Context(), &record)
	if err != nil {
		r.t.Fatal(err)
	}
	return story.Place{Log: r.Logs[log], Index: index}
}

// Request is a request for one invoice or a lot, around the Day.
func (r *Trail) Request() audit.Record {
	r.n++
	record := audit.Record{
		ID: "x" + strconv.Itoa(r.n), Time: Day.Add(time.Duration(r.Random.IntN(30*60)-3*60) * time.Minute), Operation: "FECAESolicitar",
		Cuit: Issuers[r.Random.IntN(len(Issuers))], PtoVta: int32(1 + r.Random.IntN(2)), CbteTipo: 6, Decision: "forward", Certainty: audit.Answered,
	}
	switch r.Random.IntN(6) {
	case 0:
		record.Upstream = audit.BuiltInUpstream
	case 1, 2:
		record.Environment = []audit.Environment{audit.EnvironmentProduction, audit.EnvironmentTesting}[r.Random.IntN(2)]
	}
	record.ClientIdentity, record.ClientAddress = []string{"", "caja", "tienda"}[r.Random.IntN(3)], []string{"192.0.2.7", "192.0.2.8"}[r.Random.IntN(2)]
	first := int64(1 + r.Random.IntN(40))
	for n := range int64(1 + r.Random.IntN(3)) {
		record.Vouchers = append(record.Vouchers, audit.Voucher{CbteDesde: first + n, CbteHasta: first + n})
	}
	return record
}

// Approve makes a record one that approves its invoices.
func Approve(record *audit.Record, outcome audit.Outcome) {
	record.Outcome, record.Resultado = outcome, "A"
	for i := range record.Vouchers {
		record.Vouchers[i].Code, record.Vouchers[i].Resultado = "76470000000018", "A"
	}
}

// pick takes one of the pending, if there is any.
func (r *Trail) pick(from *[]pendingIntent) (pendingIntent, bool) {
	if len(*from) == 0 {
		return pendingIntent{}, false
	}
	i := r.Random.IntN(len(*from))
	one := (*from)[i]
	*from = append((*from)[:i:i], (*from)[i+1:]...)
	return one, true
}

// Step writes one thing that happens.
func (r *Trail) Step() {
	log, record := r.Random.IntN(2), r.Request()
	switch r.Random.IntN(9) {
	case 0, 1, 2: // a request is sent
		record.Kind, record.Certainty = audit.KindIntent, audit.Unknown
		r.open = append(r.open, pendingIntent{record, r.Append(log, record), log})
	case 3, 4, 5:
		r.answer()
	case 6:
		r.settle(log)
	case 7: // the gateway answers on its own
		record.Kind = audit.KindExchange
		switch r.Random.IntN(5) {
		case 0:
			record.Decision, record.Outcome = "refuse", audit.Outcome([]string{"conflict", "busy", "outage", "unsettled", "inadmissible", "not_sent"}[r.Random.IntN(6)])
			if r.Random.IntN(3) > 0 {
				record.Answer = []byte(`{"Errors":{"Err":[{"Code":"http.client","Msg":"who?"},{"Code":"` + []string{"once.busy", "10016"}[r.Random.IntN(2)] + `","Msg":"no"}]}}`)
			}
		case 1:
			record.Vouchers = nil
			fallthrough
		default:
			record.Decision, record.Outcome = "refuse", audit.Outcome([]string{"refused", "malformed"}[r.Random.IntN(2)])
			for range 1 + r.Random.IntN(2) {
				record.Findings = append(record.Findings, audit.Finding{Code: []string{"10048", "10016", "shape.custom"}[r.Random.IntN(3)], Action: []string{"refuse", "refuse", "observe"}[r.Random.IntN(3)], Text: "text"})
			}
			record = r.retried(record)
		}
		r.Append(log, record)
	default:
		record.Kind = audit.KindExchange
		switch len(r.approved) {
		case 0:
			record.Operation, record.Outcome, record.Vouchers = "FECompConsultar", "answered", nil
			if r.Random.IntN(2) == 0 {
				record.Outcome, record.Certainty = "unknown", audit.Unknown
			}
		default: // an answer is given again, maybe one of another day
			at := record.Time
			record = r.approved[r.Random.IntN(len(r.approved))]
			record.Kind, record.Intent, record.Time, record.Decision, record.Outcome, record.ID = audit.KindExchange, 0, at, "replay", "replayed", fmt.Sprint("again", r.n)
			if r.Random.IntN(2) == 0 {
				r.approved = nil // and queries come
			}
		}
		r.Append(log, record)
	}
}

// retried returns the request that was refused last in place of another one, or notes that.
func (r *Trail) retried(record audit.Record) audit.Record {
	if r.refused == nil || r.Random.IntN(3) > 0 {
		r.refused = &record
		return record
	}
	again := *r.refused
	again.ID, again.Time = record.ID, record.Time
	return again
}

// answer writes the outcome of an intent.
func (r *Trail) answer() {
	one, ok := r.pick(&r.open)
	if !ok {
		return
	}
	record := one.record
	record.Kind, record.Intent = audit.KindOutcome, one.place.Index
	switch r.Random.IntN(6) {
	case 0:
		record.Outcome, record.Certainty = []audit.Outcome{"unknown", "upstream_error"}[r.Random.IntN(2)], audit.Unknown
		r.unsettled = append(r.unsettled, one)
	case 1:
		record.Outcome, record.Resultado = "rejected", "R"
		record.Answer = []byte(`{"Errors":{"Err":[{"Code":` + []string{"10048", "10016"}[r.Random.IntN(2)] + `,"Msg":"no"}]}}`)
	case 2:
		Approve(&record, "partial")
		record.Vouchers[0].Code, record.Vouchers[0].Resultado = "", "R"
		record.Answer = []byte(`{"FeDetResp":{"FECAEDetResponse":[{"Observaciones":{"Obs":[{"Code":10063,"Msg":"las fechas"}]}}]}}`)
	case 3: // nobody waited for it, and the service was asked later
		Approve(&record, "recovered")
		record.Time = record.Time.Add(time.Duration(r.Random.IntN(20*60)) * time.Minute)
	default:
		Approve(&record, "approved")
		r.approved = append(r.approved, record)
	}
	r.Append(one.log, record)
}

// settle writes the answer of the service to a later question: into the intent's own log, or into another one.
func (r *Trail) settle(log int) {
	from := &r.unsettled
	if r.Random.IntN(4) == 0 {
		from = &r.open
	}
	one, ok := r.pick(from)
	if !ok {
		return
	}
	record := one.record
	record.Kind, record.Intent, record.Upstream = audit.KindSettlement, one.place.Index, ""
	if r.Random.IntN(2) == 0 { // as builds before 2026-12 wrote it
		record.Environment = ""
	}
	record.Time = record.Time.Add(time.Duration(r.Random.IntN(40*60)) * time.Minute)
	if from == &r.open {
		log = 1 - one.log // a settlement in the own log is an outcome
	}
	if log != one.log {
		record.IntentLog = one.place.Log
	}
	if Approve(&record, "recovered"); r.Random.IntN(4) == 0 { // of a lot with a CAEA it has the code alone
		record.Vouchers = []audit.Voucher{{Code: "36470000000018"}}
	}
	if r.Random.IntN(3) == 0 {
		record.Outcome, record.Resultado, record.Vouchers = []audit.Outcome{"not_issued", "different"}[r.Random.IntN(2)], "R", nil
	}
	r.Append(log, record)
}

// Purge removes the content of all records so far.
func (r *Trail) Purge() {
	purger, err := sqlite.OpenPurger(r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer purger.Close()
	for i, log := range r.Logs {
		before := audit.PeriodOf(Day.AddDate(0, 2, 0))
		if _, err := purger.Purge(r.t.Context(), audit.PurgeRequest{Log: log, Before: before}); err != nil {
			r.t.Fatal(err)
		}
		head, err := r.Store.Head(r.t.Context(), log)
		if err != nil {
			r.t.Fatal(err)
		}
		r.Append(i, audit.Record{
			Kind: audit.KindAccess, ID: fmt.Sprint("purge", r.n), Time: Day, Outcome: audit.AccessPurge,
			Purge: &audit.PurgeScope{Before: before, Next: head.Size, Records: head.Size},
		})
	}
}
