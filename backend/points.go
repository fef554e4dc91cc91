package backend

import (
	"context"

	"github.com/fielato/fielato/wsfev1"
)

// point is a point of sale of an issuer.
type point struct {
	number  int32
	emision string
}

// defaultPoints are the points of sale of an issuer that no register names.
var defaultPoints = []point{{1, EmisionCAE}, {2, EmisionCAE}, {3, EmisionCAEA}, {4, EmisionCAEA}}

// points returns the points of sale of an issuer, in ascending order.
func (b *Backend) points(wsfev1.CUIT) []point { return defaultPoints }

// emision returns how a point of sale of the issuer issues, no text for a point
// that he does not have.
func (b *Backend) emision(cuit wsfev1.CUIT, number int32) string {
	for _, p := range b.points(cuit) {
		if p.number == number {
			return p.emision
		}
	}
	return ""
}

// maxPtoVta is the largest number of a point of sale (domain.md §1.2).
const maxPtoVta = 99998

func (b *Backend) pointsOfSale(_ context.Context, c *call, _ *wsfev1.AuthRequest, answer *wsfev1.FEParamGetPtosVentaAnswer) error {
	points := b.points(c.cuit)
	if len(points) == 0 {
		answer.Fail(602, "Sin resultados: la CUIT no tiene puntos de venta")
		return nil
	}
	list := &wsfev1.PtoVentaList{}
	for _, p := range points {
		list.PtoVenta = append(list.PtoVenta, wsfev1.PtoVenta{
			Nro: p.number, EmisionTipo: p.emision, Bloqueado: "N", FchBaja: "NULL",
		})
	}
	answer.ResultGet = list
	return nil
}
