package caddytest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Verify compares the clients' answers with the ledger and the trail. The service must make no mistakes any
// more, and the gateway must be gone.
func (f *Fleet) Verify(records []*audit.Record) {
	f.t.Helper()
	c := &onceClient{Fleet: f, http: Client, itself: true}
	kept, places := map[int]string{}, map[int]place{}
	for series := range onceSeries {
		var last wsfev1.FECompUltimoAutorizadoAnswer
		if status := c.post(f.t.Context(), f.service, "FECompUltimoAutorizado", LastText(series), &last); status != 200 {
			f.t.Fatalf("the ledger answers %d", status)
		}
		for number := int64(1); number <= last.CbteNro; number++ {
			var found wsfev1.FECompConsultarAnswer
			if status := c.post(f.t.Context(), f.service, "FECompConsultar", LookText(series, number), &found); status != 200 || found.ResultGet == nil {
				f.t.Fatalf("series %d, number %d: %d", series, number, status)
			}
			id := int(found.ResultGet.DocNro - 10_000_000)
			here := place{series, number}
			if kept[id] != "" {
				f.t.Errorf("invoice %d was issued twice:\n%s%s", id, historyOf(records, places[id]), historyOf(records, here))
			}
			places[id] = here
			kept[id] = found.ResultGet.CodAutorizacion
		}
	}
	for id := range f.Issued {
		if id++; kept[id] == "" || kept[id] != f.told[id] {
			f.t.Errorf("invoice %d: the ledger has %q, its client knows %q", id, kept[id], f.told[id])
		}
	}
	if len(kept) != f.Issued {
		f.t.Errorf("%d invoices in the ledger, %d were asked for", len(kept), f.Issued)
	}
	f.verifySent(records)
}

// historyOf is what a trail has about one number.
func historyOf(records []*audit.Record, p place) string {
	var b strings.Builder
	for _, r := range records {
		if r.Operation != "FECAESolicitar" || len(r.Vouchers) == 0 || r.Vouchers[0].CbteDesde != p.number || seriesOf(r.Cuit, r.PtoVta) != p.series {
			continue
		}
		fmt.Fprintf(&b, "%+v: %s/%d %s of %s/%d, %s, %s %s, invoice %s, %s\n", p, r.Log, r.Index, r.Kind, r.IntentLog, r.Intent,
			r.Time.Format("15:04:05.000"), r.Outcome, r.Certainty, docNumber.FindString(string(r.Request)), r.Detail)
	}
	return b.String()
}

var docNumber = regexp.MustCompile(`"DocNro":\d+`)

// verifySent: no number was sent without an intent, nor again unless it was certain that it
// had not been issued.
func (f *Fleet) verifySent(records []*audit.Record) {
	f.t.Helper()
	type intent struct {
		log   string
		index uint64
	}
	intents, certain := map[place]int{}, map[place]map[intent]bool{}
	for _, r := range records {
		if r.Operation != "FECAESolicitar" || r.Kind == audit.KindExchange {
			continue
		}
		p := place{seriesOf(r.Cuit, r.PtoVta), r.Vouchers[0].CbteDesde}
		switch {
		case r.Kind == audit.KindIntent:
			intents[p]++
		case slices.Contains([]audit.Outcome{"not_issued", "rejected", "not_sent", "different"}, r.Outcome):
			if certain[p] == nil {
				certain[p] = map[intent]bool{}
			}
			certain[p][intent{cmp.Or(r.IntentLog, r.Log), r.Intent}] = true
		}
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for p, times := range f.carried.sent {
		if times > 1+len(certain[p]) {
			f.t.Errorf("%+v was sent %d times, and only of %d it was certain that it had not been issued", p, times, len(certain[p]))
		}
		if times > intents[p] {
			f.t.Errorf("%+v was sent %d times with %d intents", p, times, intents[p])
		}
	}
}

// Roughly are faults that strike one request in five.
var Roughly = func() string {
	var b strings.Builder
	for _, f := range []string{
		"drop {\n probability 0.05", "drop {\n commit no\n probability 0.03", "html_502 {\n probability 0.03", "truncate {\n probability 0.04",
		"not_json {\n commit no\n probability 0.02", "error_501 {\n commit yes\n probability 0.03", "error_500 {\n probability 0.01", "hang {\n probability 0.005",
	} {
		fmt.Fprintf(&b, "fault %s\n}\n", f)
	}
	return b.String()
}()
