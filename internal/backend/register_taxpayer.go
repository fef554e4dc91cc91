package backend

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/fielato/fielato/wsfev1"
)

// inGoodStanding returns the entry that the register assumes for a taxpayer that it does not name.
func inGoodStanding(cuit wsfev1.CUIT) *Taxpayer {
	return &Taxpayer{
		Cuit: cuit, IVA: ResponsableInscripto, Unknown: !cuit.Valid(), Pyme: true, OptedIn: true,
		Points: defaultPoints,
	}
}

var taxpayerMembers = memberReaders[Taxpayer]{
	"cuit": readCUIT(func(t *Taxpayer) *wsfev1.CUIT { return &t.Cuit }),
	"name": readText(func(t *Taxpayer) *string { return &t.Name }),
	"iva": readWord([]IVA{ResponsableInscripto, Monotributo, Exento, NoAlcanzado, SinImpuesto},
		func(t *Taxpayer) *IVA { return &t.IVA }),

	"unknown":          readFlag(func(t *Taxpayer) *bool { return &t.Unknown }),
	"not_cuit":         readFlag(func(t *Taxpayer) *bool { return &t.NotCUIT }),
	"inactive":         readFlag(func(t *Taxpayer) *bool { return &t.Inactive }),
	"apocryphal":       readFlag(func(t *Taxpayer) *bool { return &t.Apocryphal }),
	"untrustworthy":    readFlag(func(t *Taxpayer) *bool { return &t.Untrustworthy }),
	"deceased":         readFlag(func(t *Taxpayer) *bool { return &t.Deceased }),
	"large":            readFlag(func(t *Taxpayer) *bool { return &t.Large }),
	"pyme":             readFlag(func(t *Taxpayer) *bool { return &t.Pyme }),
	"opted_in":         readFlag(func(t *Taxpayer) *bool { return &t.OptedIn }),
	"without_domicile": readFlag(func(t *Taxpayer) *bool { return &t.WithoutDomicile }),
	"no_e_invoices":    readFlag(func(t *Taxpayer) *bool { return &t.NoEInvoices }),

	"refused":            readNumber(1, 11, func(t *Taxpayer) *int { return &t.Refused }),
	"not_self_printing":  readFlag(func(t *Taxpayer) *bool { return &t.NotSelfPrinting }),
	"address_trouble":    readFlag(func(t *Taxpayer) *bool { return &t.AddressTrouble }),
	"without_activities": readFlag(func(t *Taxpayer) *bool { return &t.WithoutActivities }),
	"financial":          readFlag(func(t *Taxpayer) *bool { return &t.Financial }),
	"surety":             readFlag(func(t *Taxpayer) *bool { return &t.Surety }),
	"class_a_pending":    readFlag(func(t *Taxpayer) *bool { return &t.ClassAPending }),
	"class_a_from":       readDay(func(t *Taxpayer) *wsfev1.Date { return &t.ClassAFrom }),
	"iva_from":           readDay(func(t *Taxpayer) *wsfev1.Date { return &t.IVAFrom }),
	"top_limit":          readAmount(func(t *Taxpayer) *wsfev1.Amount { return &t.TopLimit }),
	"own_limit":          readAmount(func(t *Taxpayer) *wsfev1.Amount { return &t.OwnLimit }),

	"cbus": func(f *registerFile, at *yaml.Node, t *Taxpayer) {
		readList(f, at, func(item *yaml.Node) { t.CBUs = append(t.CBUs, readCBU(f, item)) })
	},
	"projects": func(f *registerFile, at *yaml.Node, t *Taxpayer) {
		readList(f, at, func(item *yaml.Node) {
			if project, ok := f.text(item, "the number of a project"); ok {
				t.Projects = append(t.Projects, project)
			}
		})
	},
	"activities":     readActivities,
	"points_of_sale": readPoints,
}

func (r *registerInFile) readTaxpayer(f *registerFile, at *yaml.Node) {
	t := inGoodStanding(0)
	t.Unknown = false
	readMapping(f, at, t, taxpayerMembers, "cuit")
	if t.WithoutActivities = t.WithoutActivities || t.Activities != nil && len(t.Activities) == 0; t.WithoutActivities {
		t.Activities = nil
	}
	switch {
	case t.Cuit == 0:
	case !t.Cuit.Valid() && !t.Unknown && !t.NotCUIT:
		f.fault(at, "the check digit of cuit %d is wrong: write %s, or unknown: true", t.Cuit, repairedCUIT(t.Cuit))
	case r.taxpayers[t.Cuit] != nil:
		f.fault(at, "cuit %d is there twice: write it once", t.Cuit)
	default:
		r.taxpayers[t.Cuit] = t
	}
}

func readCBU(f *registerFile, at *yaml.Node) string {
	const wanted = "the 22 digits of a CBU"
	text, ok := f.text(at, wanted)
	if ok && (len(text) != 22 || slices.ContainsFunc([]byte(text), func(c byte) bool { return c < '0' || c > '9' })) {
		f.fault(at, "%q: write %s", text, wanted)
	}
	return text
}

var activityMembers = memberReaders[wsfev1.ActividadesTipo]{
	"id":   readNumber(1, 999_999, func(a *wsfev1.ActividadesTipo) *int64 { return &a.Id }),
	"desc": readText(func(a *wsfev1.ActividadesTipo) *string { return &a.Desc }),
}

// readActivities numbers the activities as they stand. A description that is not
// given is the one of the table.
func readActivities(f *registerFile, at *yaml.Node, t *Taxpayer) {
	t.Activities = []wsfev1.ActividadesTipo{}
	readList(f, at, func(item *yaml.Node) {
		activity := wsfev1.ActividadesTipo{Orden: int32(len(t.Activities) + 1)}
		readMapping(f, item, &activity, activityMembers, "id")
		for _, known := range tables.actividad {
			if activity.Desc == "" && known.Id == activity.Id {
				activity.Desc = known.Desc
			}
		}
		if slices.ContainsFunc(t.Activities, func(a wsfev1.ActividadesTipo) bool { return a.Id == activity.Id }) {
			f.fault(item, "activity %d is there twice: write it once", activity.Id)
		}
		t.Activities = append(t.Activities, activity)
	})
}

var pointMembers = memberReaders[PointOfSale]{
	"number": readNumber(1, maxPtoVta, func(p *PointOfSale) *int32 { return &p.Number }),
	"kind": readWord([]PointKind{PointCAE, PointCAEA, PointAdvance, PointExempt, PointSurety, PointFiscal, PointOnline},
		func(p *PointOfSale) *PointKind { return &p.Kind }),
	"from":    readDay(func(p *PointOfSale) *wsfev1.Date { return &p.From }),
	"until":   readDay(func(p *PointOfSale) *wsfev1.Date { return &p.Until }),
	"blocked": readFlag(func(p *PointOfSale) *bool { return &p.Blocked }),
	"address": readText(func(p *PointOfSale) *string { return &p.Address }),
}

// readPoints puts the points of sale that are listed in the place of the default ones.
func readPoints(f *registerFile, at *yaml.Node, t *Taxpayer) {
	t.Points = nil
	readList(f, at, func(item *yaml.Node) {
		p := PointOfSale{}
		readMapping(f, item, &p, pointMembers, "number", "kind")
		if p.Number != 0 && t.point(p.Number) != nil {
			f.fault(item, "point of sale %d is there twice: write it once", p.Number)
		}
		if p.From != "" && p.Until != "" && p.Until < p.From {
			f.fault(item, "until %s is before from %s: write a later day", p.Until, p.From)
		}
		t.Points = append(t.Points, p)
	})
}
