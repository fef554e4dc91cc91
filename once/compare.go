package once

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// Difference is a member in which what was sent is not what the service has.
type Difference struct{ Field, Sent, Kept string }

// compare returns in what an invoice of the service's differs from the i-th that was
// sent. The service fills in and normalises: it gives a date to an invoice without one,
// writes amounts without the zeros that end them, leaves the service dates of products
// empty, and sets the rate of pesos (domain.md §5.4). What it does not echo is not
// compared.
func (p *Pending) compare(i int, kept *wsfev1.FECompConsResult) []Difference {
	c := comparison{}
	asked := p.Numbers[i]
	c.number("CbteDesde", asked.CbteDesde, kept.CbteDesde)
	c.number("CbteHasta", asked.CbteHasta, kept.CbteHasta)
	lot := wsfev1.LotOf(p.Body)
	if lot == nil {
		return c.differences
	}
	sent := lot.Invoice(i)
	c.number("Concepto", int64(sent.Concepto), int64(kept.Concepto))
	c.number("DocTipo", int64(sent.DocTipo), int64(kept.DocTipo))
	c.number("DocNro", sent.DocNro, kept.DocNro)
	c.filledIn("CbteFch", string(sent.CbteFch), string(kept.CbteFch))
	c.amounts(sent, &kept.FECAEDetRequest)
	c.filledIn("FchServDesde", string(sent.FchServDesde), string(kept.FchServDesde))
	c.filledIn("FchServHasta", string(sent.FchServHasta), string(kept.FchServHasta))
	c.filledIn("FchVtoPago", string(sent.FchVtoPago), string(kept.FchVtoPago))
	c.text("MonId", sent.MonId, kept.MonId)
	if sent.MonId != "PES" && sent.MonCotiz.Sent() && kept.MonCotiz.Sent() {
		c.amount("MonCotiz", sent.MonCotiz, kept.MonCotiz)
	}
	c.filledIn("CanMisMonExt", sent.CanMisMonExt, kept.CanMisMonExt)
	if sent.CondicionIVAReceptorId != nil && kept.CondicionIVAReceptorId != nil {
		c.number("CondicionIVAReceptorId", int64(*sent.CondicionIVAReceptorId), int64(*kept.CondicionIVAReceptorId))
	}
	c.lists(sent, &kept.FECAEDetRequest)
	if caea := lot.CAEAInvoice(i); caea != nil {
		c.text("CAEA", caea.CAEA, kept.CodAutorizacion)
	}
	return slices.DeleteFunc(c.differences, func(d Difference) bool { return p.isRedacted(d.Field) })
}

// parts are the lists of an invoice with the members of their items: where one of these
// is redacted, the whole list is not compared.
var parts = map[string][]string{
	"Iva":         {"Id", "BaseImp", "Importe"},
	"Tributos":    {"Id", "BaseImp", "Alic", "Importe", "Desc"},
	"CbtesAsoc":   {"Tipo", "PtoVta", "Nro", "Cuit", "CbteFch"},
	"Opcionales":  {"Id", "Valor"},
	"Compradores": {"DocTipo", "DocNro", "Porcentaje"},
}

func (p *Pending) isRedacted(field string) bool {
	return p.Redacted[field] || slices.ContainsFunc(parts[field], func(name string) bool { return p.Redacted[name] })
}

type comparison struct{ differences []Difference }

func (c *comparison) text(field, sent, kept string) {
	if sent != kept {
		c.differences = append(c.differences, Difference{field, sent, kept})
	}
}

// filledIn compares a member that the service fills in or does not echo.
func (c *comparison) filledIn(field, sent, kept string) {
	if sent != "" && kept != "" && kept != "NULL" {
		c.text(field, sent, kept)
	}
}

func (c *comparison) number(field string, sent, kept int64) {
	c.text(field, strconv.FormatInt(sent, 10), strconv.FormatInt(kept, 10))
}

func (c *comparison) amount(field string, sent, kept wsfev1.Amount) {
	if sent.Cmp(kept) != 0 {
		c.text(field, sent.Trim().String(), kept.Trim().String())
	}
}

func (c *comparison) amounts(sent, kept *wsfev1.FECAEDetRequest) {
	c.amount("ImpTotal", sent.ImpTotal, kept.ImpTotal)
	c.amount("ImpTotConc", sent.ImpTotConc, kept.ImpTotConc)
	c.amount("ImpNeto", sent.ImpNeto, kept.ImpNeto)
	c.amount("ImpOpEx", sent.ImpOpEx, kept.ImpOpEx)
	c.amount("ImpTrib", sent.ImpTrib, kept.ImpTrib)
	c.amount("ImpIVA", sent.ImpIVA, kept.ImpIVA)
}

// lists compares the lists as sets: the service may give them in another order.
func (c *comparison) lists(sent, kept *wsfev1.FECAEDetRequest) {
	if sent.Iva != nil && kept.Iva != nil {
		compareSets(c, "Iva", sent.Iva.AlicIva, kept.Iva.AlicIva, func(a wsfev1.AlicIva) string {
			return fmt.Sprintf("%d: %s, %s", a.Id, plain(a.BaseImp), plain(a.Importe))
		})
	}
	if sent.Tributos != nil && kept.Tributos != nil {
		compareSets(c, "Tributos", sent.Tributos.Tributo, kept.Tributos.Tributo, func(t wsfev1.Tributo) string {
			return fmt.Sprintf("%d: %s, %s, %s", t.Id, plain(t.BaseImp), plain(t.Alic), plain(t.Importe))
		})
	}
	if sent.CbtesAsoc != nil && kept.CbtesAsoc != nil {
		compareSets(c, "CbtesAsoc", sent.CbtesAsoc.CbteAsoc, kept.CbtesAsoc.CbteAsoc, func(a wsfev1.CbteAsoc) string {
			return fmt.Sprintf("%d-%d-%d", a.Tipo, a.PtoVta, a.Nro)
		})
	}
	if sent.Opcionales != nil && kept.Opcionales != nil {
		compareSets(c, "Opcionales", sent.Opcionales.Opcional, kept.Opcionales.Opcional, func(o wsfev1.Opcional) string {
			return o.Id + ": " + o.Valor
		})
	}
	if sent.Compradores != nil && kept.Compradores != nil {
		compareSets(c, "Compradores", sent.Compradores.Comprador, kept.Compradores.Comprador, func(b wsfev1.Comprador) string {
			return fmt.Sprintf("%d %d: %s", b.DocTipo, b.DocNro, plain(b.Porcentaje))
		})
	}
}

func plain(a wsfev1.Amount) string {
	if !a.Sent() {
		return "0"
	}
	return a.Trim().String()
}

func compareSets[T any](c *comparison, field string, sent, kept []T, text func(T) string) {
	texts := func(list []T) []string {
		all := make([]string, len(list))
		for i, item := range list {
			all[i] = text(item)
		}
		slices.Sort(all)
		return all
	}
	s, k := texts(sent), texts(kept)
	for i := range max(len(s), len(k)) {
		if at(s, i) != at(k, i) {
			c.differences = append(c.differences, Difference{field, cmp.Or(at(s, i), "-"), cmp.Or(at(k, i), "-")})
			return // the rest is shifted
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}
