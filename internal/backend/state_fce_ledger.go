package backend

import (
	"context"
	"fmt"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// annulmentOpcional is S in a note of a credit invoice MiPyME that annuls what it refers to,
// else N (docs/sources.md#fce).
const annulmentOpcional = "22"

// adjustsCredit reports whether the invoice is a note of a credit invoice MiPyME.
func (x *examination) adjustsCredit() bool { return isCreditAdjustment(x.CbteTipo) }

func isCreditAdjustment(cbteTipo int32) bool {
	return wsfev1.IsFCE(cbteTipo) && wsfev1.IsNote(cbteTipo)
}

// annulment returns the note's own statement, S, N or an empty text, and its place.
func (x *examination) annulment() (said, member string) {
	if x.Opcionales == nil {
		return "", ""
	}
	for i, o := range x.Opcionales.Opcional {
		if o.Id == annulmentOpcional {
			return o.Valor, "Opcionales/Opcional/" + strconv.Itoa(i) + "/Valor"
		}
	}
	return "", ""
}

// annulmentContradictsBuyer: a note annuls only an invoice that the buyer has rejected, and adjusts
// only an invoice that the buyer has not rejected.
func annulmentContradictsBuyer(x *examination) string {
	if !x.adjustsCredit() || len(x.associates) == 0 {
		return ""
	}
	rejected := x.asoc("", func(a *associate) bool { return x.register.rejectedFCE[a.voucher] }) != ""
	said, member := x.annulment()
	if said == "S" && !rejected || said == "N" && rejected {
		return member
	}
	return ""
}

// creditAsoc points at the first credit invoice, or note of one, with which something
// is wrong. Other types are refused by rule 10040.
func (x *examination) creditAsoc(member string, wrong func(*associate) bool) string {
	if !x.adjustsCredit() {
		return ""
	}
	return x.asoc(member, func(a *associate) bool { return wsfev1.IsFCE(a.Tipo) && wrong(a) })
}

// creditIsNotAuthorised: under advance codes, one that is not there at all has a code
// of its own.
func creditIsNotAuthorised(x *examination) string {
	return x.creditAsoc("", func(a *associate) bool {
		if a.kept == nil {
			return x.CAEA == nil
		}
		return a.CbteFch.Valid() && a.CbteFch != a.kept.CbteFch // one that is missing is rule 10158's
	})
}

func creditIsUnheardOf(x *examination) string {
	return x.creditAsoc("", func(a *associate) bool { return a.kept == nil })
}

func noteIsInAnotherCurrency(x *examination) string {
	if x.MonId == pesos || x.creditAsoc("", func(a *associate) bool { return a.kept != nil && a.kept.MonId != x.MonId }) == "" {
		return ""
	}
	return "MonId"
}

func noteIsOfOtherParties(x *examination) string {
	return x.creditAsoc("", func(a *associate) bool {
		return a.kept != nil && (a.voucher.Cuit != x.cuit || a.kept.DocTipo != x.DocTipo || a.kept.DocNro != x.DocNro)
	})
}

// noteReachesTheBalance compares a credit note with the balance of its credit invoice. A note
// that annuls a rejected invoice is for the whole of it.
func noteReachesTheBalance(ctx context.Context, ledger Reader, x *examination) (string, error) {
	if said, _ := x.annulment(); !x.adjustsCredit() || !wsfev1.IsCreditNote(x.CbteTipo) || said == "S" {
		return "", nil
	}
	for i := range x.associates {
		a := &x.associates[i]
		if a.kept == nil || isCreditAdjustment(a.Tipo) || !wsfev1.IsFCE(a.Tipo) {
			continue
		}
		balance, err := balanceOf(ctx, ledger, a)
		if err != nil {
			return "", err
		}
		if noted := a.kept.worth(x.MonId, x.ImpTotal); noted.Sent() && noted.Cmp(balance) >= 0 {
			return "ImpTotal", nil
		}
	}
	return "", nil
}

// balanceOf returns the balance of a credit invoice: its amount, less its credit notes,
// plus its debit notes. A note that was annulled itself does not count.
func balanceOf(ctx context.Context, ledger Reader, a *associate) (wsfev1.Amount, error) {
	balance := a.kept.worth(a.kept.MonId, a.kept.ImpTotal)
	notes, err := notesOn(ctx, ledger, a.voucher)
	if err != nil {
		return balance, err
	}
	for _, note := range notes {
		annulling, err := notesOn(ctx, ledger, note)
		if err != nil {
			return balance, err
		}
		if len(annulling) > 0 {
			continue
		}
		kept, err := readVoucher(ctx, ledger, note)
		if err != nil {
			return balance, err
		}
		if kept == nil {
			return balance, fmt.Errorf("%w: note %+v, which refers to %+v", ErrNotFound, note, a.voucher)
		}
		amount := a.kept.worth(kept.MonId, kept.ImpTotal)
		if wsfev1.IsCreditNote(note.CbteTipo) {
			balance = balance.Sub(amount)
		} else {
			balance = balance.Add(amount)
		}
	}
	return balance, nil
}

// notesOn returns the issuer's own notes that refer to a credit invoice or note.
func notesOn(ctx context.Context, ledger Reader, v IssuedVoucher) ([]IssuedVoucher, error) {
	referrers, err := ledger.Referring(ctx, v)
	if err != nil {
		return nil, err
	}
	var notes []IssuedVoucher
	for _, r := range referrers {
		if r.Cuit == v.Cuit && isCreditAdjustment(r.CbteTipo) {
			notes = append(notes, IssuedVoucher{r.Cuit, Voucher{r.CbteTipo, r.PtoVta, r.CbteHasta}})
		}
	}
	return notes, nil
}

// worth returns what an amount is worth where the voucher is adjusted: in pesos at the
// voucher's own rate, or in its currency where that has no rate. It is not sent where
// the two cannot be compared.
func (v *keptVoucher) worth(monID string, amount wsfev1.Amount) wsfev1.Amount {
	if monID != pesos && monID != v.MonId {
		return wsfev1.Amount{}
	}
	if v.MonId != pesos && v.MonCotiz.Sign() <= 0 {
		if monID == pesos {
			return wsfev1.Amount{}
		}
		return amount
	}
	return inPesos(amount, monID, v.MonCotiz)
}
