package backend

import (
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// advanceRule is a rule of the register about the issuer that asks for an advance code.
type advanceRule struct {
	code   int32
	broken func(t *Taxpayer, day wsfev1.Date) bool
}

// advanceRules stand in the catalogue with their severities and dates.
var advanceRules = []advanceRule{
	{15000, func(t *Taxpayer, _ wsfev1.Date) bool { return t.Inactive || t.Refused == 5 }},
	{15001, func(t *Taxpayer, _ wsfev1.Date) bool { return t.NotSelfPrinting }},
	{15003, func(t *Taxpayer, day wsfev1.Date) bool { return !t.hasPoint(day, PointCAEA, PointAdvance) }},
	{15009, func(t *Taxpayer, _ wsfev1.Date) bool { return t.AddressTrouble || t.Refused == 3 }},
	{15010, func(t *Taxpayer, _ wsfev1.Date) bool { return !t.paysTax() && t.IVA != Exento }},
	{15011, func(t *Taxpayer, _ wsfev1.Date) bool { return t.WithoutActivities || t.Refused == 6 }},
	{15012, func(t *Taxpayer, _ wsfev1.Date) bool { return t.NoEInvoices || t.Refused == 2 }},
	{15015, func(t *Taxpayer, _ wsfev1.Date) bool { return t.WithoutDomicile || t.Refused == 11 }},
	{15016, func(t *Taxpayer, day wsfev1.Date) bool { return !t.hasPoint(day, mainKinds...) }},
	{15017, (*Taxpayer).leavesAddressToContingency},
}

// mainKinds are the kinds of main points of sale. Beside one of these, a point for CAEA is for
// contingency.
var mainKinds = []PointKind{PointCAE, PointExempt, PointSurety, PointFiscal}

// hasPoint reports whether the taxpayer has a point of sale of one of the kinds in use.
func (t *Taxpayer) hasPoint(day wsfev1.Date, kinds ...PointKind) bool {
	return slices.ContainsFunc(t.Points, func(p PointOfSale) bool { return p.open(day) && slices.Contains(kinds, p.Kind) })
}

// leavesAddressToContingency reports whether points of sale for CAEA are at an address
// at which there is no other.
func (t *Taxpayer) leavesAddressToContingency(day wsfev1.Date) bool {
	main := map[string]bool{}
	for _, p := range t.Points {
		main[p.Address] = main[p.Address] || p.open(day) && slices.Contains(mainKinds, p.Kind)
	}
	return slices.ContainsFunc(t.Points, func(p PointOfSale) bool { return p.open(day) && p.forCAEA() && !main[p.Address] })
}

// examineAdvanceRequest adds what register and ledger have against a grant.
func (b *Backend) examineAdvanceRequest(ctx context.Context, c *call, operation string, asked fortnightName) error {
	issuer := b.register.Taxpayer(c.cuit)
	for _, rule := range advanceRules {
		if rule.broken(issuer, c.today) {
			b.complain(c, operation, rule.code, "/Auth/Cuit", "")
		}
	}
	if c.findings.failed() {
		return nil
	}
	var owed []owedReport
	err := b.ledger.View(ctx, func(ledger Reader) (err error) {
		owed, err = owedReports(ctx, ledger, issuer, c.today, asked)
		return err
	})
	if err != nil {
		return fmt.Errorf("owed reports: %w", err)
	}
	if owesTooMuch(owed) {
		b.complain(c, operation, 15014, "/Auth/Cuit", " Debe: "+listed(owed)+".")
	}
	return nil
}
