package backend

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// Referrer is an invoice that refers to a voucher.
type Referrer struct {
	Series
	// CbteHasta is its number, the last one of a range.
	CbteHasta int64
}

// referring is in the detail of every invoice with CbtesAsoc, and in hardly any other:
// only in one with a text of just that word.
var referring = []byte(`"CbtesAsoc"`)

// rareInReferring is a part of it that begins with a letter that is rare in a detail: the search for a quote stops at
// every name.
var rareInReferring = referring[6:]

// References returns the vouchers that an invoice names in CbtesAsoc, from its detail as the
// ledger keeps it (Invoice.Detail). A store derives the answer of Reader.Referring from it, so
// that the two never differ, however the invoice came into the ledger. It costs almost nothing
// if there are none.
func References(issuer wsfev1.CUIT, detail []byte) ([]IssuedVoucher, error) {
	if !bytes.Contains(detail, rareInReferring) || !bytes.Contains(detail, referring) {
		return nil, nil
	}
	var kept struct{ CbtesAsoc wsfev1.CbtesAsoc }
	if err := json.Unmarshal(detail, &kept); err != nil {
		return nil, fmt.Errorf("invoice as kept in the ledger: %w", err)
	}
	references := make([]IssuedVoucher, len(kept.CbtesAsoc.CbteAsoc))
	for i := range references {
		references[i] = named(issuer, &kept.CbtesAsoc.CbteAsoc[i])
	}
	return references, nil
}

// named returns the voucher to which an invoice of the issuer refers: without a
// Cuit, or with one that is none, it is the issuer's own.
func named(issuer wsfev1.CUIT, asoc *wsfev1.CbteAsoc) IssuedVoucher {
	v := IssuedVoucher{Cuit: issuer, Voucher: Voucher{CbteTipo: asoc.Tipo, PtoVta: asoc.PtoVta, Nro: asoc.Nro}}
	if n, err := strconv.ParseInt(asoc.Cuit, 10, 64); err == nil && len(asoc.Cuit) == 11 && asoc.Cuit[0] > '0' {
		v.Cuit = wsfev1.CUIT(n)
	}
	return v
}
