package closing

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// line is an invoice in a request, as far as it can be read. A client may have written anything, and the
// gateway a fingerprint in place of what it must not keep.
type line struct {
	DocTipo                                                 integer
	DocNro                                                  integer
	CbteDesde, CbteHasta                                    integer
	CbteFch, MonId                                          text
	ImpTotal, ImpTotConc, ImpNeto, ImpOpEx, ImpTrib, ImpIVA amount
	MonCotiz                                                amount
	Iva                                                     struct{ AlicIva []taxed }
	CbtesAsoc                                               struct{ CbteAsoc []associated }
}

type taxed struct {
	Id               integer
	BaseImp, Importe amount
}

type associated struct {
	Tipo, PtoVta, Nro integer
	Cuit              text
}

// integer is a whole number. other: it is there, and is none.
type integer struct {
	value int64
	other bool
}

// UnmarshalJSONFrom reads any value.
func (i *integer) UnmarshalJSONFrom(d *jsontext.Decoder) error { return setFrom(d, i.set) }

func (i *integer) set(raw jsontext.Value) {
	if raw.Kind() == 'n' {
		return
	}
	var err error
	i.value, err = strconv.ParseInt(string(raw), 10, 64)
	i.other = err != nil
}

// text is a text; empty for any other value.
type text struct{ value string }

// UnmarshalJSONFrom reads any value.
func (t *text) UnmarshalJSONFrom(d *jsontext.Decoder) error { return setFrom(d, t.set) }

func (t *text) set(raw jsontext.Value) {
	if raw.Kind() != '"' {
		return
	}
	if plain, err := jsontext.AppendUnquote(nil, raw); err == nil {
		t.value = string(plain)
	}
}

// amount is an amount. other: it is there, and is none.
type amount struct {
	value wsfev1.Amount
	other bool
}

// UnmarshalJSONFrom reads any value.
func (a *amount) UnmarshalJSONFrom(d *jsontext.Decoder) error { return setFrom(d, a.set) }

func (a *amount) set(raw jsontext.Value) {
	if raw.Kind() == 'n' {
		return
	}
	var err error
	a.value, err = wsfev1.AmountFromJSON(raw)
	a.other = err != nil
}

// setFrom sets a member of a line to the next value.
func setFrom(d *jsontext.Decoder, set func(jsontext.Value)) error {
	raw, err := d.ReadValue()
	if err == nil {
		set(raw)
	}
	return err
}

// fill gives an invoice all that its line has.
func (l *line) fill(i *Invoice) {
	if date := wsfev1.Date(l.CbteFch.value); date.Valid() {
		i.Date = date
	}
	i.Missing = ""
	if l.isHidden() {
		i.Missing = Hidden
		return
	}
	i.DocTipo, i.DocNro, i.HiddenReceiver = int32(l.DocTipo.value), l.DocNro.value, l.DocTipo.other || l.DocNro.other
	i.Currency, i.Rate = cmp.Or(l.MonId.value, "PES"), l.MonCotiz.value
	i.Amounts = Amounts{
		NotTaxed: l.ImpTotConc.value, Exempt: l.ImpOpEx.value, Net: l.ImpNeto.value,
		VAT: l.ImpIVA.value, Taxes: l.ImpTrib.value, Total: l.ImpTotal.value,
	}
	if wsfev1.ClassOf(i.CbteTipo) == wsfev1.ClassC {
		i.Net, i.Subtotal = wsfev1.Amount{}, i.Net
	}
	for _, t := range l.Iva.AlicIva {
		rate := i.rate(int32(t.Id.value))
		rate.Base, rate.VAT = rate.Base.Add(t.BaseImp.value), rate.VAT.Add(t.Importe.value)
	}
	for _, a := range l.CbtesAsoc.CbteAsoc {
		issuer, _ := strconv.ParseInt(a.Cuit.value, 10, 64)
		i.Notes = append(i.Notes, Reference{wsfev1.CUIT(issuer), int32(a.Tipo.value), int32(a.PtoVta.value), a.Nro.value})
	}
}

// isHidden reports whether an amount, or what it is in, was not kept.
func (l *line) isHidden() bool {
	for _, a := range []amount{l.ImpTotal, l.ImpTotConc, l.ImpNeto, l.ImpOpEx, l.ImpTrib, l.ImpIVA, l.MonCotiz} {
		if a.other {
			return true
		}
	}
	return slices.ContainsFunc(l.Iva.AlicIva, func(t taxed) bool { return t.Id.other || t.BaseImp.other || t.Importe.other })
}
