package backend

import (
	"context"

	"github.com/fielato/fielato/wsfev1"
)

// maxPtoVta is the largest number of a point of sale (docs/sources.md#fields).
const maxPtoVta = 99998

func (b *Backend) pointsOfSale(_ context.Context, c *call, _ *wsfev1.AuthRequest, answer *wsfev1.FEParamGetPtosVentaAnswer) error {
	list := &wsfev1.PtoVentaList{}
	for _, p := range b.register.Taxpayer(c.cuit).Points {
		if emision := p.emision(); emision != "" {
			list.PtoVenta = append(list.PtoVenta, wsfev1.PtoVenta{
				Nro: p.Number, EmisionTipo: emision, Bloqueado: yesOrNo(p.Blocked), FchBaja: orNull(p.Until),
			})
		}
	}
	if len(list.PtoVenta) == 0 {
		c.reject(&answer.Envelope, failure(602, "Sin resultados: la CUIT no tiene puntos de venta"))
		return nil
	}
	answer.ResultGet = list
	return nil
}

func yesOrNo(yes bool) string {
	if yes {
		return "S"
	}
	return "N"
}

// orNull writes an open end as the service does.
func orNull(day wsfev1.Date) string {
	if day == "" {
		return "NULL"
	}
	return string(day)
}
