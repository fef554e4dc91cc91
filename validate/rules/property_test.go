package rules_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestWhatTheServiceAcceptsIsNotRefused: of each type, in each of the two operations,
// nothing that docs/sources.md allows is refused.
func TestWhatTheServiceAcceptsIsNotRefused(t *testing.T) {
	rules := newRules(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t, wish{})
		if found := r.judged(t, rules); validate.Refuses(found) {
			t.Fatalf("processed %s:\n%s\nin %s", r.now, strings.Join(lines(found), "\n"), r.body(t))
		}
	})
}

// TestEachTypeOfVoucherIsAcceptedInEachForm draws some requests of each type in each
// operation, always the same; and makes sure that the generator leaves nothing out.
func TestEachTypeOfVoucherIsAcceptedInEachForm(t *testing.T) {
	rules, seen := newRules(t), map[string]int{}
	for _, operation := range []string{"FECAESolicitar", "FECAEARegInformativo"} {
		for _, cbteTipo := range wsfev1.VoucherTypes() {
			if operation == "FECAEARegInformativo" && !wsfev1.IsInformable(cbteTipo) {
				continue
			}
			at := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
			requests := rapid.Custom(func(t *rapid.T) *issuing {
				return drawRequest(t, wish{operation: operation, types: kinds(cbteTipo), at: at.AddDate(0, 0, rapid.IntRange(0, 400).Draw(t, "day"))})
			})
			for seed := range 12 {
				r := requests.Example(seed)
				if found := r.judged(t, rules); validate.Refuses(found) {
					t.Errorf("%s of type %d:\n%s\nin %s", operation, cbteTipo, strings.Join(lines(found), "\n"), r.body(t))
				}
				r.count(seen)
			}
		}
	}
	for what := range strings.FieldsSeq(`several range anonymous uncategorised fund currency mark rate-left-out no-date IVA no-IVA tributes
		buyers activities period vouchers product-dates condition no-condition used-by-mono
		opcional-2 opcional-5 opcional-10 opcional-1011 opcional-11 opcional-12 opcional-15 opcional-17 opcional-1801 opcional-22 opcional-23
		opcional-27 opcional-91 opcional-92 opcional-2101 opcional-2102 opcional-2901`) {
		if seen[what] < 3 {
			t.Errorf("%s was drawn %d times", what, seen[what])
		}
	}
}

// count notes what there is in a request.
func (r *issuing) count(seen map[string]int) {
	add := func(what string, is bool) {
		if is {
			seen[what]++
		}
	}
	for i := range r.invoices {
		d := &r.invoices[i]
		add("several", i > 0)
		add("range", d.CbteHasta > d.CbteDesde)
		add("anonymous", d.DocTipo == 99)
		add("uncategorised", d.DocNro == int64(wsfev1.NoCategorizado))
		add("fund", d.DocTipo == 31)
		add("currency", d.MonId != "PES")
		add("mark", d.CanMisMonExt != "")
		add("rate-left-out", !d.MonCotiz.Sent())
		add("no-date", d.CbteFch == "")
		add("IVA", d.Iva != nil)
		add("no-IVA", d.Iva == nil)
		add("tributes", d.Tributos != nil)
		add("buyers", d.Compradores != nil)
		add("activities", d.Actividades != nil)
		add("period", d.PeriodoAsoc != nil)
		add("vouchers", d.CbtesAsoc != nil)
		add("product-dates", d.Concepto == 1 && d.FchServDesde != "")
		add("condition", d.CondicionIVAReceptorId != nil)
		add("no-condition", d.CondicionIVAReceptorId == nil)
		add("used-by-mono", r.header.CbteTipo == 49 && d.ImpTotConc.Sign() > 0 && d.Iva == nil)
		if d.Opcionales != nil {
			for _, o := range d.Opcionales.Opcional {
				seen["opcional-"+o.Id]++
			}
		}
	}
}

// TestThereIsNothingToRemarkOnAPlainRequest: the requests that the single mistakes
// are made in have no finding of their own.
func TestThereIsNothingToRemarkOnAPlainRequest(t *testing.T) {
	rules := newRules(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t, wish{quiet: true})
		if found := r.judged(t, rules); len(found) > 0 {
			t.Fatalf("processed %s:\n%s\nin %s", r.now, strings.Join(lines(found), "\n"), r.body(t))
		}
	})
}
