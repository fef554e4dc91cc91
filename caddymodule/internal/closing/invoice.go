package closing

import (
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// Series is a numbering: invoices of an issuer, of one type and from one point of sale, at one service.
type Series struct {
	Environment environment.Environment
	Issuer      wsfev1.CUIT
	CbteTipo    int32
	PtoVta      int32
}

// Invoice is an invoice that the service has authorised, or a range of them in one voucher.
type Invoice struct {
	Series
	First, Last int64
	// After is the last number before it that the records around the month have, 0 for none.
	After int64
	// Date is the invoice's, Authorised the moment at which it was known to be authorised.
	Date       wsfev1.Date
	Authorised time.Time
	// Code is the CAE or CAEA, Expires the last day of a CAE.
	Code    string
	Expires wsfev1.Date
	// Record is the record that says so, Request the record with the request.
	Record, Request story.Place
	// Missing is why the amounts, the receiver and the references are not known; empty if they are.
	Missing Missing

	DocTipo int32
	DocNro  int64
	// HiddenReceiver: the gateway was configured not to keep DocTipo or DocNro.
	HiddenReceiver bool
	// Currency is PES for pesos, Rate its rate in pesos.
	Currency string
	Rate     wsfev1.Amount
	Amounts
	// Notes are the vouchers that a credit or debit note is about.
	Notes []Reference
}

// Amounts are the sums of an invoice, in its currency.
type Amounts struct {
	// Net is what was taxed. Subtotal is what class C has in its place, where nothing is taxed.
	NotTaxed, Exempt, Net, Subtotal, VAT, Taxes, Total wsfev1.Amount
	// Rates are the bases and the VAT by rate, sorted by it.
	Rates []Rate
}

// Rate is what was taxed at one rate.
type Rate struct {
	ID        int32 // AlicIva.Id
	Base, VAT wsfev1.Amount
}

// Reference names an invoice that a note is about. An Issuer of 0 is the note's own.
type Reference struct {
	Issuer           wsfev1.CUIT
	CbteTipo, PtoVta int32
	Number           int64
}

// Missing is why an invoice has no amounts.
type Missing string

// The reasons.
const (
	Purged     Missing = "purged"     // the content was removed on purpose
	Sealed     Missing = "sealed"     // the store was opened without the key of the content
	Hidden     Missing = "hidden"     // the gateway was configured not to keep an amount
	Unreadable Missing = "unreadable" // the request is not there, or has no such invoice
)

// Count returns how many invoices it is.
func (i *Invoice) Count() int64 { return i.Last - i.First + 1 }

// missingOf returns why a record has no content, empty if it has.
func missingOf(r *audit.Record) Missing {
	switch r.Presence {
	case audit.Purged:
		return Purged
	case audit.Sealed:
		return Sealed
	}
	return ""
}

// add adds the amounts of another.
func (a *Amounts) add(b *Amounts) {
	a.NotTaxed, a.Exempt, a.Net, a.Subtotal = a.NotTaxed.Add(b.NotTaxed), a.Exempt.Add(b.Exempt), a.Net.Add(b.Net), a.Subtotal.Add(b.Subtotal)
	a.VAT, a.Taxes, a.Total = a.VAT.Add(b.VAT), a.Taxes.Add(b.Taxes), a.Total.Add(b.Total)
	for _, rate := range b.Rates {
		one := a.rate(rate.ID)
		one.Base, one.VAT = one.Base.Add(rate.Base), one.VAT.Add(rate.VAT)
	}
}

// ImpNeto is the member of that name in the requests: the net, or class C's subtotal.
func (a *Amounts) ImpNeto() wsfev1.Amount {
	if a.Subtotal.Sent() {
		return a.Net.Add(a.Subtotal)
	}
	return a.Net
}

// rate returns the amounts at a rate, which it adds where it belongs.
func (a *Amounts) rate(id int32) *Rate {
	at := 0
	for ; at < len(a.Rates); at++ {
		if a.Rates[at].ID == id {
			return &a.Rates[at]
		}
		if lower(id, a.Rates[at].ID) {
			break
		}
	}
	a.Rates = append(a.Rates, Rate{})
	copy(a.Rates[at+1:], a.Rates[at:])
	a.Rates[at] = Rate{ID: id}
	return &a.Rates[at]
}

// lower reports whether a rate comes before another: by percent, and rates that nobody knows last.
func lower(a, b int32) bool {
	one, known := wsfev1.IvaRate(a)
	other, knownOther := wsfev1.IvaRate(b)
	if !known || !knownOther {
		return known || !knownOther && a < b
	}
	return one.Cmp(other) < 0
}
