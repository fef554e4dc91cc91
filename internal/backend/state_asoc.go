package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// associate is a voucher that an invoice refers to, with the facts known about it.
type associate struct {
	*wsfev1.CbteAsoc
	voucher IssuedVoucher
	// point is its point of sale, nil if its issuer has none of that number.
	point *PointOfSale
	// remito is the delivery note that the register has, nil for any other voucher.
	remito *Remito
	// kept is the voucher in the ledger, nil if it has none.
	kept *keptVoucher
}

// keptVoucher holds the members that the rules need from a voucher in the ledger.
type keptVoucher struct {
	CbteFch  wsfev1.Date `json:"-"`
	DocTipo  int32
	DocNro   int64
	ImpTotal wsfev1.Amount
	MonId    string
	MonCotiz wsfev1.Amount
}

// asocRules are the rules about the vouchers to which an invoice refers, by ascending
// CAE code. They are asked only of invoices that refer to one, and before the Update:
// a voucher that is in the ledger never changes.
var asocRules = []registerRule{
	{cae: 10041, caea: 801, find: asocIsNotKept},
	{cae: 10120, caea: 809, find: remitoIsNotRegistered},
	{cae: 10121, caea: 810, find: remitoIsNotConfirmed},
	{cae: 10122, caea: 811, find: remitoIsForAnother},
	{cae: 10154, caea: 1451, find: annulmentContradictsBuyer},
	{cae: 10160, caea: 1457, find: creditIsNotAuthorised},
	{caea: 1488, find: creditIsUnheardOf},
	{cae: 10181, caea: 1477, find: noteIsInAnotherCurrency},
	{cae: 10183, caea: 1478, find: noteIsOfOtherParties},
	{cae: 10211, caea: 1502, find: foreignAsocIsNotDated},
	{cae: 10212, caea: 1503, find: foreignAsocIsInTheFuture},
	{cae: 10237, caea: 818, find: noteIsGreaterThanItsAsocs},
}

// ledgerRules are decided within the Update: another request may be writing what they examine.
var ledgerRules = slices.Concat(asocLedgerRules, pointLedgerRules)

var asocLedgerRules = []ledgerRule{
	{cae: 10184, caea: 1479, find: noteReachesTheBalance},
	{cae: 10232, caea: 16014, find: remitoIsUsed},
}

// readAssociates reads the vouchers to which the invoices of the lot refer. A lot
// that refers to none costs nothing.
func (t *lotTask) readAssociates(ctx context.Context) error {
	refers := false
	for i := range t.examinations {
		refers = refers || t.examinations[i].CbtesAsoc != nil
	}
	if !refers {
		return nil
	}
	uses := firstUses(t.lot, t.call.cuit)
	return t.backend.ledger.View(ctx, func(ledger Reader) error {
		for i := range t.examinations {
			x := &t.examinations[i]
			x.remitoUses = uses
			if err := x.readAssociates(ctx, ledger); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *examination) readAssociates(ctx context.Context, ledger Reader) error {
	if x.CbtesAsoc == nil {
		return nil
	}
	list := x.CbtesAsoc.CbteAsoc
	x.associates = make([]associate, len(list))
	for i := range list {
		a := &x.associates[i]
		*a = associate{CbteAsoc: &list[i], voucher: named(x.cuit, &list[i])}
		if wsfev1.IsRemito(a.Tipo) {
			a.remito = x.register.remitos[a.voucher.Voucher]
			continue
		}
		a.point = x.register.Taxpayer(a.voucher.Cuit).point(a.PtoVta)
		kept, err := readVoucher(ctx, ledger, a.voucher)
		if err != nil {
			return fmt.Errorf("associated voucher %+v: %w", a.voucher, err)
		}
		a.kept = kept
	}
	return nil
}

// readVoucher returns the voucher that the ledger keeps, or nil.
func readVoucher(ctx context.Context, ledger Reader, v IssuedVoucher) (*keptVoucher, error) {
	if wsfev1.ClassOf(v.CbteTipo) == "" {
		return nil, nil
	}
	invoice, err := ledger.Invoice(ctx, Series{v.Cuit, v.PtoVta, v.CbteTipo}, v.Nro)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kept := &keptVoucher{CbteFch: invoice.CbteFch}
	if err := json.Unmarshal(invoice.Detail, kept); err != nil {
		return nil, fmt.Errorf("invoice as kept in the ledger: %w", err)
	}
	return kept, nil
}

// asoc points at a member of the first associated voucher with which something is
// wrong; no member is the voucher itself.
func (x *examination) asoc(member string, wrong func(*associate) bool) string {
	for i := range x.associates {
		if wrong(&x.associates[i]) {
			pointer := "CbtesAsoc/CbteAsoc/" + strconv.Itoa(i)
			if member != "" {
				pointer += "/" + member
			}
			return pointer
		}
	}
	return ""
}

// asocIsNotKept is about electronic vouchers of this issuer: others are not to be
// found here. For notes of credit invoices there are stricter rules, 10160 and 1488.
func asocIsNotKept(x *examination) string {
	if x.adjustsCredit() {
		return ""
	}
	return x.asoc("", func(a *associate) bool {
		return a.kept == nil && a.voucher.Cuit == x.cuit && a.point != nil && a.point.emision() != "" && wsfev1.ClassOf(a.Tipo) != ""
	})
}

// foreign reports whether the voucher was issued by other means than this service:
// a fiscal printer or another system of the tax authority.
func (a *associate) foreign() bool {
	return a.point != nil && (a.point.Kind == PointFiscal || a.point.Kind == PointOnline)
}

func foreignAsocIsNotDated(x *examination) string {
	return x.asoc("CbteFch", func(a *associate) bool { return a.foreign() && a.CbteFch == "" })
}

func foreignAsocIsInTheFuture(x *examination) string {
	return x.asoc("CbteFch", func(a *associate) bool { return a.foreign() && a.CbteFch.Valid() && a.CbteFch > x.today })
}

// noteIsGreaterThanItsAsocs compares a credit note with the sum of the vouchers that it refers
// to. It finds nothing if one of them is not known. For a range of numbers only the amount
// of the whole range is known.
func noteIsGreaterThanItsAsocs(x *examination) string {
	if !wsfev1.IsCreditNote(x.CbteTipo) {
		return ""
	}
	var total wsfev1.Amount
	foreign := x.asoc("", func(a *associate) bool { return a.kept != nil && a.kept.MonId != x.MonId }) != ""
	for i := range x.associates {
		a := &x.associates[i]
		if wsfev1.IsRemito(a.Tipo) {
			continue
		}
		if a.kept == nil {
			return ""
		}
		amount := a.kept.ImpTotal
		if foreign {
			amount = inPesos(amount, a.kept.MonId, a.kept.MonCotiz)
		}
		if !amount.Sent() {
			return ""
		}
		total = total.Add(amount)
	}
	noted := x.ImpTotal
	if foreign {
		noted = inPesos(noted, x.MonId, x.MonCotiz)
	}
	if !total.Sent() || !noted.Sent() || noted.Cmp(total) <= 0 {
		return ""
	}
	return "ImpTotal"
}

// inPesos returns an amount in pesos, not sent where its rate is not known.
func inPesos(amount wsfev1.Amount, monID string, rate wsfev1.Amount) wsfev1.Amount {
	switch {
	case monID == pesos:
		return amount
	case rate.Sign() > 0:
		return amount.Mul(rate)
	}
	return wsfev1.Amount{}
}
