package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/wsfev1"
)

// pointRules are about the point of sale of an invoice. Whether the lot may use it at
// all is decided before: admitPoint.
var pointRules = []registerRule{
	{caea: 781, find: pointIsYounger},
	{caea: 1440, find: contingencyWithoutMoment},
	{caea: 1442, find: momentWithoutContingency},
	{caea: 1444, find: pointIsOfAnotherClass},
}

// pointLedgerRules are those that depend on the CAEA too.
var pointLedgerRules = []ledgerRule{
	{caea: 709, find: pointIsYoungerThanTheCode},
}

// allContingency is the day since when every point of sale for CAEA is for contingency
// (docs/sources.md#contingency).
const allContingency = wsfev1.Date("20260801")

// forCAEA reports whether invoices of the point are issued under a CAEA.
func (p *PointOfSale) forCAEA() bool { return p != nil && p.emision() == EmisionCAEA }

// registered reports whether the point exists on a day, however it issues. One that was
// closed is still there to be asked about.
func (p *PointOfSale) registered(day wsfev1.Date) bool { return p != nil && p.From <= day }

// activeDuring reports whether the point was in use on some day of a period.
func (p *PointOfSale) activeDuring(from, until wsfev1.Date) bool {
	return !p.Blocked && p.From <= until && (p.Until == "" || p.Until >= from)
}

// admitPoint adds the findings about the point of sale of a lot: 10005 if it does not
// issue with CAE today, 701 if it was not one for CAEA, or closed or blocked, on the
// date of one of the invoices. That it was registered later is rule 781.
func (b *Backend) admitPoint(c *call, operation string, lot *wsfev1.Lot) {
	p := b.register.Taxpayer(c.cuit).point(lot.Header.PtoVta)
	if operation == authorising {
		if p == nil || p.emision() != EmisionCAE || !p.open(c.today) {
			b.complain(c, operation, 10005, lot.HeaderPointer+"/PtoVta", "")
		}
		return
	}
	usable := p.forCAEA()
	for i := 0; usable && i < lot.Len(); i++ {
		day := lot.Invoice(i).CbteFch
		if !day.Valid() {
			day = c.today
		}
		usable = p.activeDuring(day, max(day, p.From))
	}
	if !usable {
		b.complain(c, operation, 701, lot.HeaderPointer+"/PtoVta", "")
	}
}

func pointIsYounger(x *examination) string {
	if x.point != nil && x.date.Valid() && x.point.From > x.date {
		return "CbteFch"
	}
	return ""
}

// pointIsYoungerThanTheCode reads the CAEA only where rule 781 finds: a point that is
// younger than the whole fortnight is younger than every day of it.
func pointIsYoungerThanTheCode(ctx context.Context, ledger Reader, x *examination) (string, error) {
	if pointIsYounger(x) == "" {
		return "", nil
	}
	caea, err := ledger.CAEA(ctx, x.CAEA.CAEA)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("caea %s: %w", x.CAEA.CAEA, err)
	}
	if caea.Cuit == x.cuit && x.point.From > caea.FchVigHasta {
		return "CAEA", nil
	}
	return "", nil
}

// contingencyWithoutMoment finds what an edge cannot know of invoices from before
// allContingency: whether their point was for contingency.
func contingencyWithoutMoment(x *examination) string {
	if x.point != nil && x.point.Kind == PointCAEA && x.CAEA.CbteFchHsGen == "" {
		return "CbteFchHsGen"
	}
	return ""
}

func momentWithoutContingency(x *examination) string {
	if x.point != nil && x.point.Kind == PointAdvance && x.date < allContingency && x.CAEA.CbteFchHsGen != "" {
		return "CbteFchHsGen"
	}
	return ""
}

// pointIsOfAnotherClass assumes that the points of a taxpayer are of its condition: the points of a
// monotributista or an exempt taxpayer are for class C, all others are not.
func pointIsOfAnotherClass(x *examination) string {
	if x.point != nil && !x.issuer.pays(x.Class) {
		return theInvoice
	}
	return ""
}
