package backend

import (
	"fmt"

	"github.com/fielato/fielato/wsfev1"
)

// refusal is a reason of code 10000: the issuer may not issue vouchers of some types.
type refusal struct {
	reason int
	text   string
	// concerns reports whether vouchers of a type cannot be issued for the reason.
	concerns func(cbteTipo int32) bool
	// found reports whether the reason follows from the issuer's entry, besides
	// Taxpayer.Refused. nil never does.
	found func(t *Taxpayer, day wsfev1.Date) bool
	// reports: the reason also prevents reporting under a CAEA, where most of them are only
	// observed.
	reports bool
}

// refusals are the reasons in the service's order (docs/sources.md#codes).
var refusals = []refusal{
	{
		reason: 1, text: "no es responsable inscripto", concerns: ofClasses(wsfev1.ClassA, wsfev1.ClassB, wsfev1.ClassALEY),
		found: func(t *Taxpayer, day wsfev1.Date) bool { return !t.paysIVA() || t.IVAFrom > day },
	},
	{
		reason: 2, text: "no está autorizado a emitir comprobantes electrónicos", concerns: anyVoucher, reports: true,
		found: func(t *Taxpayer, _ wsfev1.Date) bool { return t.NoEInvoices },
	},
	{
		reason: 3, text: "tiene inconvenientes con el domicilio fiscal", concerns: anyVoucher,
		found: func(t *Taxpayer, _ wsfev1.Date) bool { return t.AddressTrouble },
	},
	{
		reason: 4, text: "no está habilitado para clase A ni para FCE",
		concerns: func(cbteTipo int32) bool {
			class := wsfev1.ClassOf(cbteTipo)
			return class == wsfev1.ClassA || class != wsfev1.ClassC && wsfev1.IsFCE(cbteTipo)
		},
		found: func(t *Taxpayer, day wsfev1.Date) bool { return t.ClassAFrom > day },
	},
	{
		reason: 5, text: "no está activo", concerns: anyVoucher, reports: true,
		found: func(t *Taxpayer, _ wsfev1.Date) bool { return t.Inactive },
	},
	{
		reason: 6, text: "no tiene actividades activas",
		concerns: func(cbteTipo int32) bool { return wsfev1.ClassOf(cbteTipo) != wsfev1.ClassC },
		found:    func(t *Taxpayer, _ wsfev1.Date) bool { return t.WithoutActivities },
	},
	{reason: 7, text: "no está inscripto como comprador de bienes usados", concerns: ofClasses(wsfev1.Class49)},
	{
		reason: 8, text: "no es exento ni monotributista", concerns: ofClasses(wsfev1.ClassC),
		found: func(t *Taxpayer, _ wsfev1.Date) bool { return !t.pays(wsfev1.ClassC) },
	},
	{reason: 9, text: "no está habilitado para comprobantes con leyenda", concerns: ofClasses(wsfev1.ClassALEY)},
	{
		reason: 10, text: "no está registrado como PyME", concerns: wsfev1.IsFCE,
		found: func(t *Taxpayer, _ wsfev1.Date) bool { return !t.Pyme },
	},
	{
		reason: 11, text: "no tiene domicilio fiscal electrónico", concerns: wsfev1.IsFCE,
		found: func(t *Taxpayer, _ wsfev1.Date) bool { return t.WithoutDomicile },
	},
}

func anyVoucher(int32) bool { return true }

func ofClasses(classes ...wsfev1.Class) func(cbteTipo int32) bool {
	return func(cbteTipo int32) bool {
		for _, class := range classes {
			if wsfev1.ClassOf(cbteTipo) == class {
				return true
			}
		}
		return false
	}
}

// refused returns why the taxpayer may not issue vouchers of the type on a day, nil if it
// may. The service names only the first of several reasons.
func (t *Taxpayer) refused(cbteTipo int32, day wsfev1.Date, reporting bool) *refusal {
	for i := range refusals {
		r := &refusals[i]
		if reporting && !r.reports || !r.concerns(cbteTipo) {
			continue
		}
		if t.Refused == r.reason || r.found != nil && r.found(t, day) {
			return r
		}
	}
	return nil
}

// admitIssuer adds 10000 if the issuer may not issue vouchers of the lot's type. An unknown
// type is left to rules 10007 and 700.
func (b *Backend) admitIssuer(c *call, operation string, lot *wsfev1.Lot) {
	cbteTipo := lot.Header.CbteTipo
	if wsfev1.ClassOf(cbteTipo) == "" {
		return
	}
	if r := b.register.Taxpayer(c.cuit).refused(cbteTipo, c.today, operation == informing); r != nil {
		b.complain(c, operation, 10000, lot.HeaderPointer+"/CbteTipo", fmt.Sprintf(" Motivo %02d: %s.", r.reason, r.text))
	}
}

// The operations that issue.
const (
	authorising = "FECAESolicitar"
	informing   = "FECAEARegInformativo"
)
