package invoice_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/invoice"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/tally/tallytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// named is an invoice that a record names.
type named struct {
	cuit         wsfev1.CUIT
	ptoVta, tipo int32
	number       int64
}

func (n named) address() string {
	return fmt.Sprintf("/comprobante/%d/%d/%d/%d", int64(n.cuit), n.tipo, n.ptoVta, n.number)
}

// judged is what a page says of an invoice.
type judged struct {
	// Service is the one whose state counts, State is that, and Code authorises the invoice there.
	Service, State, Code string
	// Elsewhere has the states at other services.
	Elsewhere map[string]string
	// Attempts are the addresses of the exchanges, in any order.
	Attempts []string
}

var (
	stateText     = regexp.MustCompile(`<h2 id="state"><span class="outcome [a-z]*">([^<]*)</span>(?: · <strong class="number">CAE <bdi>(\d+)</bdi></strong>)?`)
	serviceText   = regexp.MustCompile(`<dt>Entorno</dt><dd[^>]*>([^<:,]*)`)
	elsewhereText = regexp.MustCompile(`<li><bdi>En ([^:,(]*[^:,( ])[^:]*: ([^.]*)\.`)
	attemptLink   = regexp.MustCompile(`<a href="/consola/exchange/([ab]/\d+)`)
)

// judgedOn reads a page.
func judgedOn(t *testing.T, page string) judged {
	t.Helper()
	shown := judged{Elsewhere: map[string]string{}}
	state := stateText.FindStringSubmatch(page)
	if state == nil {
		t.Fatalf("no state on\n%s", page)
	}
	shown.State, shown.Code = strings.TrimSuffix(state[1], " (prueba)"), state[2]
	if service := serviceText.FindStringSubmatch(page); service != nil {
		shown.Service = service[1]
	}
	for _, one := range elsewhereText.FindAllStringSubmatch(page, -1) {
		shown.Elsewhere[one[1]] = one[2]
	}
	_, story, _ := strings.Cut(page, `<ol class="story">`)
	for _, link := range attemptLink.FindAllStringSubmatch(story, -1) {
		shown.Attempts = append(shown.Attempts, link[1])
	}
	slices.Sort(shown.Attempts)
	return shown
}

// said is what one record says of an invoice.
type said struct {
	record  *audit.Record
	service audit.Environment
	// state is empty once another record has settled it. told: it stands in the story, as no intent with an outcome does.
	state, code string
	told        bool
	at          time.Time
}

// naiveSaid looks at an exchange as a whole: what its records say of a number, nothing if it does not name it.
func naiveSaid(x *tallytest.Exchange, number int64) (all []said) {
	request := cmp.Or(x.Intent, x.Outcome)
	if x.Outcome == nil {
		all = append(all, said{record: request, state: "No se sabe si fue emitido", told: true})
	} else {
		all = append(all, naiveResult(x.Outcome, number))
	}
	if x.Settlement != nil {
		all[0].state = ""
		all = append(all, naiveResult(x.Settlement, number))
	}
	for i := range all {
		for _, r := range []*audit.Record{all[i].record, x.Intent, x.Outcome} {
			if r != nil && all[i].service == "" {
				all[i].service = cmp.Or(r.Environment, map[string]audit.Environment{audit.BuiltInUpstream: audit.EnvironmentBuiltIn}[r.Upstream])
			}
		}
	}
	return all
}

// naiveResult reads a record with a result. A settlement may have one for all invoices of its request.
func naiveResult(r *audit.Record, number int64) said {
	one := said{record: r, told: true}
	for _, v := range r.Vouchers {
		if v.Code != "" && (v.CbteDesde == number || v.CbteDesde == 0) {
			one.state, one.code = "Aprobado", v.Code
			return one
		}
	}
	one.state = map[audit.Outcome]string{
		"unknown": "No se sabe si fue emitido", "upstream_error": "No se sabe si fue emitido", "not_issued": "No emitido", "different": "No emitido",
		"refused": "Rechazado por la pasarela", "malformed": "Rechazado por la pasarela", "rejected": "Rechazado por el servicio", "partial": "Rechazado por el servicio",
		"conflict": "No enviado", "busy": "No enviado", "outage": "No enviado", "unsettled": "No enviado", "inadmissible": "No enviado", "not_sent": "No enviado",
	}[r.Outcome]
	return one
}

// naiveInvoices looks at every exchange, and lists the records of each invoice, oldest first. In a log later records are
// younger, whatever the clock said.
func naiveInvoices(exchanges []*tallytest.Exchange) map[named][]said {
	all := map[named][]said{}
	for _, x := range exchanges {
		request := cmp.Or(x.Intent, x.Outcome)
		for _, v := range request.Vouchers {
			key := named{request.Cuit, request.PtoVta, request.CbteTipo, v.CbteDesde}
			all[key] = append(all[key], naiveSaid(x, v.CbteDesde)...)
			if x.Intent != nil && x.Outcome != nil {
				all[key] = append(all[key], said{record: x.Intent})
			}
		}
	}
	for _, records := range all {
		slices.SortFunc(records, func(a, b said) int {
			return cmp.Or(cmp.Compare(a.record.Log, b.record.Log), cmp.Compare(a.record.Index, b.record.Index))
		})
		for i := range records {
			one := &records[i]
			if one.at = one.record.Time; i > 0 && records[i-1].record.Log == one.record.Log && one.at.Before(records[i-1].at) {
				one.at = records[i-1].at
			}
		}
		slices.SortStableFunc(records, func(a, b said) int { return a.at.Compare(b.at) })
	}
	return all
}

// serviceNames names the services as the page does, first what counts most.
var serviceNames = []struct {
	of   audit.Environment
	name string
}{
	{audit.EnvironmentProduction, "producción"},
	{"", ""},
	{audit.EnvironmentTesting, "homologación"},
	{audit.EnvironmentBuiltIn, "servicio incorporado"},
}

// naiveJudge judges each service apart. What names no service, as a refusal of the gateway, holds for each of them, but an
// approval of an unknown service is none of any other, unless there is one service alone.
func naiveJudge(records []said) judged {
	result := judged{Elsewhere: map[string]string{}}
	services := map[audit.Environment]bool{}
	unknown := false
	for _, one := range records {
		services[one.service] = services[one.service] || one.service != ""
		unknown = unknown || one.service == "" && one.state == "Aprobado"
	}
	delete(services, "")
	several := len(services) > 1
	if several && unknown || len(services) == 0 {
		services[""] = true
	}
	for _, service := range serviceNames {
		if !services[service.of] {
			continue
		}
		state, code := naiveState(records, func(one said) bool {
			return one.service == service.of || one.service == "" && (!several || one.state != "Aprobado")
		})
		if result.State == "" {
			result.Service, result.State, result.Code = service.name, state, code
		} else {
			result.Elsewhere[cmp.Or(service.name, "un servicio que no consta")] = state
		}
	}
	for _, one := range records {
		if one.told {
			result.Attempts = append(result.Attempts, one.record.Address())
		}
	}
	slices.Sort(result.Attempts)
	return result
}

// naiveState returns the state at a service: the first approval holds, whatever comes later; otherwise an open request
// counts, and otherwise the last rejection.
func naiveState(records []said, counts func(said) bool) (state, code string) {
	for _, one := range records {
		switch {
		case one.state == "" || !counts(one):
		case one.state == "Aprobado":
			return one.state, one.code
		case state != "No se sabe si fue emitido":
			state = one.state
		}
	}
	return state, ""
}

// TestEachInvoiceIsTheOneOfANaiveReading of all records: its state at each service, its code and its attempts, with retries,
// settlements in any log, lots, repeats and purges.
func TestEachInvoiceIsTheOneOfANaiveReading(t *testing.T) {
	for seed := range uint64(testrun.Size(t, 8, 300)) {
		r := tallytest.NewTrail(t, seed)
		s := &site.Site{
			Base: "/consola", Logger: zap.NewNop(), Now: func() time.Time { return tallytest.Day.AddDate(0, 0, 2) },
			Open: func(_ context.Context, do func([]site.Source) error) error {
				return do([]site.Source{{Store: r.Store, Logs: r.Logs}})
			},
		}
		s.Prepare()
		invoice.Add(s)
		for range 2 {
			for range 20 + r.Random.IntN(60) {
				r.Step()
			}
			if r.Random.IntN(4) == 0 {
				r.Purge()
			}
		}
		all := naiveInvoices(slices.Collect(maps.Values(tallytest.Read(t, r.Store, r.Logs))))
		for one, records := range all {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/consola"+one.address(), nil))
			if w.Code != http.StatusOK {
				t.Fatalf("seed %d, %s: status %d\n%s", seed, one.address(), w.Code, w.Body)
			}
			got, want := judgedOn(t, w.Body.String()), naiveJudge(records)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s:\n%+v\nwant\n%+v\n%s", seed, one.address(), got, want, w.Body)
			}
		}
	}
}
