package closing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// By is what puts an invoice into a month.
type By string

// The two dates.
const (
	ByDate       By = "date"       // CbteFch
	ByAuthorised By = "authorised" // the day on which the service authorised it
)

// around is by how much the date of an invoice with a CAE may differ from the day on which it is asked for:
// ten days, and one for clocks and time zones (docs/sources.md).
const around = 11 * 24 * time.Hour

// late is the operation that reports invoices at any time after their date.
const late = "FECAEARegInformativo"

// Month names a month.
type Month struct {
	Year  int
	Month time.Month
}

// ParseMonth reads a month such as 2026-10.
func ParseMonth(text string) (Month, error) {
	t, err := time.ParseInLocation("2006-01", text, wsfev1.Argentina)
	if err != nil {
		return Month{}, fmt.Errorf("%q: write year and month, such as 2026-10", text)
	}
	return Month{t.Year(), t.Month()}, nil
}

// Bounds returns when the month begins, and the next one.
func (m Month) Bounds() (since, until time.Time) {
	since = time.Date(m.Year, m.Month, 1, 0, 0, 0, 0, wsfev1.Argentina)
	return since, since.AddDate(0, 1, 0)
}

// String returns the month as ParseMonth reads it.
func (m Month) String() string {
	since, _ := m.Bounds()
	return since.Format("2006-01")
}

// Wanted says which invoices to add up.
type Wanted struct {
	Month Month
	By    By
	// Issuer, CbteTipo and PtoVta restrict to their invoices, 0 for all.
	Issuer           wsfev1.CUIT
	CbteTipo, PtoVta int32
	// Most bounds the invoices that are found, of the month and around it, and so the memory; 0 for no bound.
	Most int
}

// ErrTooMany: there are more invoices than Wanted.Most.
var ErrTooMany = errors.New("too many invoices")

// found is an invoice that was found by summaries.
type found struct {
	series      int32 // its place in finder.series
	log, source int32 // the places in finder.logs of the record, and of its request
	first, last int64
	index       uint64
	request     uint64
	micros      int64
	// after is the last number before it in the series that is known, 0 for none.
	after   int64
	code    string
	expires wsfev1.Date
}

// finder finds the invoices of a month, and those around it, in the summaries of records.
type finder struct {
	wanted Wanted
	store  audit.Store
	logs   []string
	series []Series
	known  map[Series]int32
	// found are the invoices; lots are the invoices of records that do not name them.
	found   []found
	lots    []found
	reading *Reading
}

// news is after how many records a finder tells how many invoices it has found.
const news = 1024

// find searches all logs for the invoices, each once, in the order of their requests.
func (f *finder) find(ctx context.Context) error {
	since, until := f.wanted.Month.Bounds()
	q := audit.Query{
		Cuit: f.wanted.Issuer, CbteTipo: f.wanted.CbteTipo, PtoVta: f.wanted.PtoVta, SummaryOnly: true, NoExchanges: true,
		Since: since.Add(-around), Until: until.Add(around),
	}
	// Some are known to be authorised at any time after their date.
	later := q
	later.Since, later.Until = q.Until, time.Time{}
	reported, settled, recovered := later, later, later
	reported.Operation, settled.Kind = late, audit.KindSettlement
	recovered.Kind, recovered.Outcome = audit.KindOutcome, audit.OutcomeRecovered // such as a repeat after an older copy was restored
	for _, log := range slices.Clone(f.logs) {
		damaged := map[uint64]uint64{}
		for _, q := range []audit.Query{q, reported, settled, recovered} {
			q.Log = log
			if err := f.search(ctx, q, damaged); err != nil {
				f.reading.tell(0, len(f.found))
				return fmt.Errorf("looking for invoices: %w", err)
			}
		}
		f.reading.Damaged += sizeOf(damaged)
	}
	if err := f.resolve(ctx); err != nil {
		return err
	}
	if err := f.place(ctx); err != nil {
		return err
	}
	f.keepOldest()
	return nil
}

// search takes the invoices of the records that match a query. It notes in damaged where the parts of the log begin and end
// that cannot be read.
func (f *finder) search(ctx context.Context, query audit.Query, damaged map[uint64]uint64) error {
	records := 0
	for r, err := range damage.Search(ctx, f.store, query) {
		if flaw, ok := errors.AsType[*damage.Error](err); ok {
			damaged[flaw.First] = max(damaged[flaw.First], flaw.Next)
			continue
		}
		if err != nil {
			return err
		}
		f.take(r)
		if f.wanted.Most > 0 && len(f.found)+len(f.lots) > f.wanted.Most {
			return fmt.Errorf("%w: more than %d", ErrTooMany, f.wanted.Most)
		}
		if records++; records%news == 0 {
			f.reading.tell(0, len(f.found))
		}
	}
	return nil
}

// sizeOf counts the records of parts that may overlap, by where they begin and end.
func sizeOf(parts map[uint64]uint64) (records int64) {
	end := uint64(0)
	for _, first := range slices.Sorted(maps.Keys(parts)) {
		if next := parts[first]; next > end {
			records += int64(next - max(first, end))
			end = next
		}
	}
	return records
}

// take takes the invoices that a record authorises. What was answered again is no outcome.
func (f *finder) take(r *audit.Record) {
	if r.Kind == audit.KindIntent || !issues(r.Operation) {
		return
	}
	intent := story.IntentOf(r)
	one := found{
		series: f.seriesOf(Series{environment.Of(r), r.Cuit, r.CbteTipo, r.PtoVta}), log: f.logOf(r.Log), index: r.Index,
		source: f.logOf(intent.Log), request: intent.Index, micros: story.Ended(r).UnixMicro(),
	}
	for _, v := range r.Vouchers {
		if v.CbteDesde == 0 || r.Cuit == 0 {
			v.CbteDesde, v.Resultado = 0, r.Resultado // a settlement of a lot names its code alone
		}
		if !story.AuthorisesVoucher(r, v) {
			continue
		}
		one.first, one.last, one.code, one.expires = v.CbteDesde, v.CbteHasta, v.Code, wsfev1.Date(v.Expires)
		switch {
		case v.CbteDesde == 0:
			f.lots = append(f.lots, one)
		case 0 < one.first && one.first <= one.last:
			f.found = append(f.found, one)
		}
	}
}

// issues reports whether an operation has invoices that its answer authorises.
func issues(operation string) bool { return operation == "FECAESolicitar" || operation == late }

func (f *finder) seriesOf(s Series) int32 {
	at, ok := f.known[s]
	if !ok {
		at = int32(len(f.series))
		f.series = append(f.series, s)
		f.known[s] = at
	}
	return at
}

// logOf returns the place of a log: an intent may stand in one that is not searched.
func (f *finder) logOf(log string) int32 {
	at := slices.Index(f.logs, log)
	if at < 0 {
		at = len(f.logs)
		f.logs = append(f.logs, log)
	}
	return int32(at)
}

// keepOldest leaves the oldest record of each invoice, and notes the number before it.
func (f *finder) keepOldest() {
	slices.SortFunc(f.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.series, b.series), cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last),
			cmp.Compare(a.micros, b.micros), cmp.Compare(a.log, b.log), cmp.Compare(a.index, b.index))
	})
	f.found = slices.CompactFunc(f.found, func(a, b found) bool {
		return a.series == b.series && a.first == b.first && a.last == b.last
	})
	for i := 1; i < len(f.found); i++ {
		if before := &f.found[i-1]; before.series == f.found[i].series {
			f.found[i].after = max(before.after, before.last)
		}
	}
	slices.SortFunc(f.found, func(a, b found) int { // neighbours in the log are read together
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.request, b.request), cmp.Compare(a.first, b.first))
	})
}
