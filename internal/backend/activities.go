package backend

import (
	"context"

	"github.com/fielato/fielato/wsfev1"
)

// activitiesOf returns the activities in which a taxpayer is active. FEParamGetActividades
// answers these, and the taxpayer's invoices may have no others.
func (b *Backend) activitiesOf(t *Taxpayer) []wsfev1.ActividadesTipo {
	if t.Activities == nil && !t.WithoutActivities {
		return b.tables.actividad
	}
	return t.Activities
}

// activities answers FEParamGetActividades.
func (b *Backend) activities(_ context.Context, c *call, _ *wsfev1.AuthRequest, answer *wsfev1.FEParamGetActividadesAnswer) error {
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	active := b.activitiesOf(b.register.Taxpayer(c.cuit))
	if len(active) == 0 {
		c.reject(&answer.Envelope, insisted(602, "/Auth/Cuit"))
		return nil
	}
	answer.ResultGet = &wsfev1.ActividadesTipoList{ActividadesTipo: active}
	return nil
}
