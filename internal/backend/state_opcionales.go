package backend

import (
	"slices"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// opcionalRules are about optional data and activities that name an entry of a
// register. Badly written values are left to the rules that need no register.
var opcionalRules = []registerRule{
	{cae: 10066, caea: 1106, find: projectIsOfAnother},
	{cae: 10115, find: payerIsNotRegistered},
	{cae: 10126, caea: 1523, find: ownerIsNotRegistered},
	{cae: 10223, caea: 16005, find: activityIsOfAnother},
}

// The opcionales that name something registered.
const (
	opcionalProject   = "2"
	opcionalPayerKind = "1011"
	opcionalPayer     = "1012"
	opcionalOwner     = "1801"
)

// valorOf points at the value of an item of Opcionales.
func valorOf(place int) string { return "Opcionales/Opcional/" + strconv.Itoa(place) + "/Valor" }

// projectIsOfAnother lets any project pass if the register names none for the issuer.
func projectIsOfAnother(x *examination) string {
	place, project, ok := x.opcional(opcionalProject)
	if !ok || project == "0" || len(x.issuer.Projects) == 0 || slices.Contains(x.issuer.Projects, project) {
		return ""
	}
	return valorOf(place)
}

func payerIsNotRegistered(x *examination) string {
	_, kind, ok := x.opcional(opcionalPayerKind)
	if !ok {
		return ""
	}
	docTipo, err := strconv.ParseInt(kind, 10, 32)
	if err != nil {
		return ""
	}
	place, number, _ := x.opcional(opcionalPayer)
	if t := x.register.taxpayer(int32(docTipo), elevenDigits(number)); t != nil && t.Cuit != 0 && t.Unknown {
		return valorOf(place)
	}
	return ""
}

func ownerIsNotRegistered(x *examination) string {
	for i, o := range x.opcionales() {
		if o.Id != opcionalOwner {
			continue
		}
		if t := x.register.taxpayer(docCUIT, elevenDigits(o.Valor)); t.Cuit != 0 && t.Unknown {
			return valorOf(i)
		}
	}
	return ""
}

// elevenDigits reads a number of the tax register, 0 for a text that is none.
func elevenDigits(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(text) != 11 || n < 0 {
		return 0
	}
	return n
}

func activityIsOfAnother(x *examination) string {
	if x.Actividades == nil {
		return ""
	}
	active := x.backend.activitiesOf(x.issuer)
	for i, a := range x.Actividades.Actividad {
		if !slices.ContainsFunc(active, func(own wsfev1.ActividadesTipo) bool { return own.Id == a.Id }) {
			return "Actividades/Actividad/" + strconv.Itoa(i) + "/Id"
		}
	}
	return ""
}
