package backend

import "github.com/fielato/fielato/wsfev1"

// issuerRules are about the issuer. Whether it may issue at all is decided before the lot is
// examined: admitIssuer.
var issuerRules = []registerRule{
	{cae: 10096, find: exemptUsesAnotherPoint},
	{cae: 10234, caea: 814, find: issuer(func(x *examination) bool { return x.issuer.classAIsPending() })},
	{cae: 10235, caea: 816, find: func(x *examination) string { return x.isOver(x.issuer.TopLimit) }},
	{cae: 10236, caea: 817, find: func(x *examination) string { return x.isOver(x.issuer.OwnLimit) }},
	{cae: 10251, find: issuer(func(x *examination) bool { return x.issuer.Financial })},
	{cae: 10270, find: fundOfOneWhoIsNoBank},
	{caea: 815, find: issuer(func(x *examination) bool { return x.lacksClass(x.today) })},
	{caea: 1429, find: issuer(func(x *examination) bool { return x.issuer.ClassAFrom > x.date })},
	{caea: 1431, find: issuer(func(x *examination) bool { return !x.issuer.pays(x.Class) || x.issuer.IVAFrom > x.date })},
}

// usedGoodsRules are about the purchase of used goods by a monotributista, in which no tax
// is shown separately.
var usedGoodsRules = []registerRule{
	{cae: 10044, find: usedGoods("ImpOpEx", func(d *wsfev1.FECAEDetRequest) bool { return d.ImpOpEx.Sign() != 0 })},
	{cae: 10045, find: usedGoods("ImpNeto", func(d *wsfev1.FECAEDetRequest) bool { return d.ImpNeto.Sign() != 0 })},
	{cae: 10047, find: usedGoods("ImpIVA", func(d *wsfev1.FECAEDetRequest) bool { return d.ImpIVA.Sign() != 0 })},
	{cae: 10075, find: usedGoods("Iva", func(d *wsfev1.FECAEDetRequest) bool { return d.Iva != nil })},
}

// issuer makes a rule about the issuer: no member of the invoice is wrong.
func issuer(wrong func(*examination) bool) func(*examination) string {
	return func(x *examination) string {
		if wrong(x) {
			return theInvoice
		}
		return ""
	}
}

func usedGoods(member string, told func(*wsfev1.FECAEDetRequest) bool) func(*examination) string {
	return func(x *examination) string {
		if x.Class == wsfev1.Class49 && x.issuer.IVA == Monotributo && told(x.FECAEDetRequest) {
			return member
		}
		return ""
	}
}

func exemptUsesAnotherPoint(x *examination) string {
	if x.issuer.IVA == Exento && x.point != nil && x.point.Kind != PointExempt {
		return theInvoice
	}
	return ""
}

func fundOfOneWhoIsNoBank(x *examination) string {
	if x.DocTipo == docFund && !x.issuer.Financial {
		return "DocTipo"
	}
	return ""
}

// lacksClass reports whether on a day the issuer is not enabled for vouchers of the
// invoice's class: reasons 04 and 09 of code 10000, which rejects no CAEA.
func (x *examination) lacksClass(day wsfev1.Date) bool {
	return x.issuer.ClassAFrom > day || x.issuer.Refused == 4 || x.issuer.Refused == 9 && x.Class == wsfev1.ClassALEY
}

// classAIsPending reports whether the form that enables class A is not processed yet, or
// is older than the registration for IVA.
func (t *Taxpayer) classAIsPending() bool {
	return t.ClassAPending || t.ClassAFrom != "" && t.ClassAFrom < t.IVAFrom
}

// pays reports whether the taxpayer is registered for the tax that goes with a class.
func (t *Taxpayer) pays(class wsfev1.Class) bool {
	if t.unnamed {
		return true // a taxpayer that no register names has no condition yet
	}
	switch class {
	case wsfev1.ClassC:
		return t.IVA == Monotributo || t.IVA == Exento
	case wsfev1.Class49:
		return t.paysTax()
	}
	return t.paysIVA()
}

// isOver finds an invoice over a limit, if there is one.
func (x *examination) isOver(limit wsfev1.Amount) string {
	if worth := x.inPesos(); limit.Sent() && worth.Cmp(limit) > 0 {
		return "ImpTotal"
	}
	return ""
}

// inPesos is the value of the invoice in pesos: at the official rate if it names none, and not sent where there
// is no such rate.
func (x *examination) inPesos() wsfev1.Amount {
	rate := x.MonCotiz
	if !rate.Sent() {
		rate, _ = x.officialRate()
	}
	return inPesos(x.ImpTotal, x.MonId, rate)
}
