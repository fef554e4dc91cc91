package backend

import (
	"context"

	"github.com/fielato/fielato/wsfev1"
)

// remitoAsoc points at the first delivery note with which something is wrong.
func (x *examination) remitoAsoc(wrong func(*associate) bool) string {
	return x.asoc("", func(a *associate) bool { return wsfev1.IsRemito(a.Tipo) && wrong(a) })
}

func remitoIsNotRegistered(x *examination) string {
	return x.remitoAsoc(func(a *associate) bool { return a.remito == nil })
}

func remitoIsNotConfirmed(x *examination) string {
	return x.remitoAsoc(func(a *associate) bool { return a.remito != nil && a.remito.Unconfirmed })
}

func remitoIsForAnother(x *examination) string {
	return x.remitoAsoc(func(a *associate) bool {
		return a.remito != nil && a.remito.Receiver != 0 && (x.receiver == nil || x.receiver.Cuit != a.remito.Receiver)
	})
}

// remitoIsUsed: a delivery note belongs to one invoice. Notes may refer to it too,
// because they adjust that invoice.
func remitoIsUsed(ctx context.Context, ledger Reader, x *examination) (string, error) {
	if wsfev1.IsNote(x.CbteTipo) {
		return "", nil
	}
	var err error
	used := x.remitoAsoc(func(a *associate) bool {
		if err != nil || a.remito == nil && x.CAEA == nil {
			return false // rule 10120 has rejected it
		}
		if first, named := x.remitoUses[a.voucher]; named && first < x.index || a.remito != nil && a.remito.Used {
			return true
		}
		var used bool
		used, err = isInvoiced(ctx, ledger, a.voucher)
		return used
	})
	return used, err
}

// isInvoiced reports whether an invoice of the ledger refers to a delivery note.
func isInvoiced(ctx context.Context, ledger Reader, remito IssuedVoucher) (bool, error) {
	referrers, err := ledger.Referring(ctx, remito)
	for _, r := range referrers {
		if !wsfev1.IsNote(r.CbteTipo) {
			return true, err
		}
	}
	return false, err
}

// firstUses returns which invoice of the lot is the first to refer to each delivery
// note. By the time a later one is judged, the first has been approved: the first
// rejection ends the lot.
func firstUses(lot *wsfev1.Lot, issuer wsfev1.CUIT) map[IssuedVoucher]int {
	uses := map[IssuedVoucher]int{}
	for i := range lot.Len() {
		asocs := lot.Invoice(i).CbtesAsoc
		if asocs == nil {
			continue
		}
		for k := range asocs.CbteAsoc {
			remito := named(issuer, &asocs.CbteAsoc[k])
			if _, known := uses[remito]; !known && wsfev1.IsRemito(remito.CbteTipo) {
				uses[remito] = i
			}
		}
	}
	return uses
}
