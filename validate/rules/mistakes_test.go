package rules_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

type detail = wsfev1.FECAEADetRequest

// mistake is one change that makes a valid request wrong.
type mistake struct {
	name string
	// of narrows the requests in which it is made.
	of wish
	// cae and caea are the codes that are then found, and no others. An operation
	// without codes is one in which it is not made.
	cae, caea string
	// change makes the mistake in one invoice: in the last of the lot where inLast.
	change func(r *issuing, d *detail)
	inLast bool
}

// mistakes are all of them.
var mistakes = slices.Concat(
	mistakesInSums, mistakesInAmounts, mistakesInTributes, mistakesInNumbers, mistakesInReceivers, mistakesInCurrency,
	mistakesInDates, mistakesInServiceDates, mistakesInReferences, mistakesInPeriods, mistakesInFCE, mistakesInOptionalData,
	mistakesInRegulations, mistakesInBuyers, mistakesInActivities, mistakesInLots,
)

// one is a mistake as it is made in one operation.
type one struct {
	mistake
	operation string
	codes     []string
}

func (m *one) String() string { return m.operation + ": " + m.name }

// eachMistake lists the mistakes by operation.
func eachMistake() []*one {
	var all []*one
	for _, m := range mistakes {
		for operation, codes := range map[string]string{"FECAESolicitar": m.cae, "FECAEARegInformativo": m.caea} {
			if codes != "" {
				o := &one{m, operation, strings.Fields(codes)}
				o.of.operation, o.of.quiet = operation, true
				slices.Sort(o.codes)
				all = append(all, o)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *one) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// draw draws a request in which the mistake is made.
func (m *one) draw(t *rapid.T) *issuing {
	r := drawRequest(t, m.of)
	at := len(r.invoices) - 1
	if !m.inLast {
		at = rapid.IntRange(0, at).Draw(t, "at")
	}
	m.change(r, &r.invoices[at])
	return r
}

func (m *one) check(t rapid.TB, r *issuing, rules *rules.Rules) {
	t.Helper()
	found := r.judged(t, rules)
	if got := codesOf(found); !slices.Equal(got, m.codes) {
		t.Fatalf("%s, processed %s: found %v, want %v:\n%s\nin %s", m, r.now, got, m.codes, strings.Join(lines(found), "\n"), r.body(t))
	}
}

// TestEachMistakeIsFoundAndNothingElse makes each mistake in a few requests, always
// the same.
func TestEachMistakeIsFoundAndNothingElse(t *testing.T) {
	rules := newRules(t)
	for _, m := range eachMistake() {
		t.Run(m.String(), func(t *testing.T) {
			requests := rapid.Custom(m.draw)
			for seed := range 6 {
				m.check(t, requests.Example(seed), rules)
			}
		})
	}
}

// TestAnyMistakeIsFoundAndNothingElse makes any mistake in any request.
func TestAnyMistakeIsFoundAndNothingElse(t *testing.T) {
	rules, all := newRules(t), eachMistake()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(all).Draw(t, "mistake")
		m.check(t, m.draw(t), rules)
	})
}

// Sets of types of voucher.

func kinds(some ...int32) func(int32) bool {
	return func(t int32) bool { return slices.Contains(some, t) }
}

func ofClasses(classes ...wsfev1.Class) func(int32) bool {
	return func(t int32) bool { return slices.Contains(classes, wsfev1.ClassOf(t)) }
}

func no(set func(int32) bool) func(int32) bool { return func(t int32) bool { return !set(t) } }

func and(sets ...func(int32) bool) func(int32) bool {
	return func(t int32) bool {
		return !slices.ContainsFunc(sets, func(set func(int32) bool) bool { return !set(t) })
	}
}

var (
	typesOfC    = ofClasses(wsfev1.ClassC)
	plain       = no(wsfev1.IsFCE)
	plainB      = and(plain, ofClasses(wsfev1.ClassB))
	plainA      = and(plain, ofClasses(wsfev1.ClassA))
	plainNotes  = and(plain, wsfev1.IsNote)
	creditNotes = and(wsfev1.IsFCE, wsfev1.IsNote)
	credits     = and(wsfev1.IsFCE, no(wsfev1.IsNote))
	// figured are the types whose IVA figures are checked.
	figured = and(no(typesOfC), no(kinds(2, 3, 7, 8, 52, 53)))
)

// small are the features that keep an invoice below the threshold of consumers:
// where a mistake raises the total, they are left out.
const small = anonymous | ranged

// amount reads a figure of a mistake.
func amount(text string) wsfev1.Amount { return wsfev1.MustAmount(text) }

// addTo adds to an amount.
func addTo(a *wsfev1.Amount, more wsfev1.Amount) { *a = a.Add(more) }

// beyond is a difference that is not accepted between an amount and a sum of so many
// parts: a cent more than the margin, and more than 0.01 %.
func beyond(a wsfev1.Amount, parts int) wsfev1.Amount {
	return wsfev1.AmountOf(int64(parts)+1, 2).Add(a.Mul(amount("0.0002")).Round(2))
}

// total makes ImpTotal the sum of its parts.
func total(d *detail) {
	d.ImpTotal = d.ImpTotConc.Add(d.ImpNeto).Add(d.ImpOpEx).Add(d.ImpTrib).Add(d.ImpIVA)
}

// setIva gives the invoice these rates, and the sums that belong to them.
func setIva(d *detail, rates ...wsfev1.AlicIva) {
	d.Iva, d.ImpNeto, d.ImpIVA = &wsfev1.Iva{AlicIva: rates}, amount("0.00"), amount("0.00")
	for _, rate := range rates {
		addTo(&d.ImpNeto, rate.BaseImp)
		addTo(&d.ImpIVA, rate.Importe)
	}
	total(d)
}

func rate(id int32, base, importe string) wsfev1.AlicIva {
	return wsfev1.AlicIva{Id: id, BaseImp: amount(base), Importe: amount(importe)}
}

// setTributes does the same with tributes.
func setTributes(d *detail, tributes ...wsfev1.Tributo) {
	d.Tributos, d.ImpTrib = &wsfev1.Tributos{Tributo: tributes}, amount("0.00")
	for _, t := range tributes {
		addTo(&d.ImpTrib, t.Importe)
	}
	total(d)
}

// onlyOf makes the whole invoice one amount, which bears no IVA.
func onlyOf(d *detail, class wsfev1.Class, a string) {
	d.Iva, d.Tributos = nil, nil
	d.ImpTotConc, d.ImpNeto, d.ImpOpEx, d.ImpTrib, d.ImpIVA = amount("0"), amount("0"), amount(a), amount("0"), amount("0")
	if class == wsfev1.ClassC {
		d.ImpNeto, d.ImpOpEx = d.ImpOpEx, d.ImpNeto
	}
	total(d)
}
