package rules

import (
	"slices"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// activitiesInForce is the day since when the service reads Actividades (manual 3.0,
// docs/sources.md#versions).
const activitiesInForce = wsfev1.Date("20221201")

// actividadRules are about the issuer's activities. Activities in meat, flour and tobacco
// go with a delivery note, and the note with them. An edge does not know all of the
// activities that are meant, so these rules observe.
var actividadRules = []rule{
	{
		codes: codes{cae.exc(10218), caea.exc(16000)}, from: activitiesInForce, with: withActividades, invoice: activitiesAreNotEmpty,
		es: "Actividades se informó vacío: agregue al menos una Actividad, o no lo envíe.",
		en: "Actividades has no Actividad.",
	},
	{
		codes: codes{cae.exc(10219), caea.exc(16001)}, from: activitiesInForce, with: withActividades, invoice: activitiesHaveId,
		es: "Falta Actividad.Id: consulte FEParamGetActividades.",
		en: "Actividad.Id is missing.",
	},
	{
		// The service knows which of the numbers are activities. They have six digits, and
		// the first may be a 0.
		codes: codes{cae.exc(10220), caea.exc(16002)}, from: activitiesInForce, with: withActividades, invoice: activitiesHaveSixDigits,
		also: []Source{byGroup},
		es:   "Actividad.Id debe ser una actividad habilitada de FEParamGetActividades.",
		en:   "Actividad.Id is not an activity that is enabled.",
	},
	{
		codes: codes{cae.exc(10221), caea.exc(16003)}, from: activitiesInForce, with: withActividades, invoice: activitiesAreNotRepeated,
		es: "La actividad está repetida: infórmela una vez.",
		en: "An activity is given more than once.",
	},
	{
		codes: codes{cae.exc(10222), caea.exc(16004)}, from: activitiesInForce, level: validate.Observe, with: withActividades,
		also:    []Source{byGroup},
		invoice: activitiesAreOfOneGroup,
		es:      "No se pueden combinar actividades de distintos grupos: cárnicas, harineras y de tabaco.",
		en:      "There are activities of more than one of the groups meat, flour and tobacco.",
	},
	{
		codes: codes{cae.exc(10223), caea.exc(16005)}, from: activitiesInForce,
		es: "La actividad no está activa para el emisor: consulte FEParamGetActividades.",
		en: "The activity is not an active one of the issuer.",
	},
	{
		codes: codes{cae.exc(10224), caea.exc(16006)}, from: activitiesInForce, level: validate.Observe, with: withActividades,
		also:    []Source{byGroup},
		invoice: meatIsNoService,
		es:      "Una actividad cárnica no admite Concepto 2 (servicios).",
		en:      "There is a meat activity, and Concepto is 2.",
	},
	{
		codes: codes{cae.exc(10225), caea.exc(16007)}, from: activitiesInForce, level: validate.Observe, with: withActividades,
		also:    []Source{byGroup},
		invoice: func(c *invoiceCheck) { c.groupHasDeliveryNote(meat) },
		es:      "Una actividad cárnica requiere asociar un remito cárnico (995).",
		en:      "There is a meat activity without a delivery note 995.",
	},
	{
		codes: codes{cae.exc(10226), caea.exc(16008)}, from: activitiesInForce, level: validate.Observe, with: withActividades,
		also:    []Source{byGroup},
		invoice: func(c *invoiceCheck) { c.groupHasDeliveryNote(flour) },
		es:      "Una actividad harinera requiere asociar un remito harinero (993 o 994).",
		en:      "There is a flour activity without a delivery note 993 or 994.",
	},
	{
		codes: codes{cae.exc(10227), caea.exc(16009)}, from: activitiesInForce, level: validate.Observe, with: withActividades,
		also:    []Source{byGroup},
		invoice: func(c *invoiceCheck) { c.groupHasDeliveryNote(tobacco) },
		es:      "Una actividad de tabaco requiere asociar un remito de tabaco (88).",
		en:      "There is a tobacco activity without a delivery note 88.",
	},
	{
		codes: codes{cae.exc(10228), caea.exc(16010)}, from: activitiesInForce, level: validate.Observe, with: withCbtesAsoc,
		also:    []Source{byGroup},
		invoice: func(c *invoiceCheck) { c.deliveryNoteHasActivity(meat) },
		es:      "Un remito cárnico (995) requiere informar una actividad cárnica.",
		en:      "There is a delivery note 995 without a meat activity.",
	},
	{
		codes: codes{cae.exc(10229), caea.exc(16011)}, from: activitiesInForce, level: validate.Observe, with: withCbtesAsoc,
		also:    []Source{byGroup},
		invoice: func(c *invoiceCheck) { c.deliveryNoteHasActivity(flour) },
		es:      "Un remito harinero (993 o 994) requiere informar una actividad harinera.",
		en:      "There is a delivery note 993 or 994 without a flour activity.",
	},
	{
		codes: codes{cae.exc(10230), caea.exc(16012)}, from: activitiesInForce, level: validate.Observe, with: withCbtesAsoc,
		also:    []Source{byGroup},
		invoice: func(c *invoiceCheck) { c.deliveryNoteHasActivity(tobacco) },
		es:      "Un remito de tabaco (88) requiere informar una actividad de tabaco.",
		en:      "There is a delivery note 88 without a tobacco activity.",
	},
	{
		codes: codes{cae.exc(10231), caea.exc(16013)}, from: activitiesInForce, level: validate.Observe, with: withActividades,
		also:    []Source{byGroup},
		invoice: regulatedActivityHasDeliveryNote,
		es:      "La actividad informada lleva CbtesAsoc con su remito.",
		en:      "There is an activity that goes with a delivery note, and CbtesAsoc is missing.",
	},
	{
		// Rule 10232 in FECAESolicitar.
		codes: codes{caea.exc(16014)}, from: activitiesInForce,
		es: "El remito asociado ya fue usado en otro comprobante.",
		en: "The associated delivery note belongs to another voucher already.",
	},
}

// activities returns the activities. Rules with withActividades may ask for them.
func (c *invoiceCheck) activities() []wsfev1.Actividad { return c.Actividades.Actividad }

// activityList is where they are.
const activityList = "Actividades/Actividad"

// maxActivity is the largest number of six digits.
const maxActivity = 999_999

func activitiesAreNotEmpty(c *invoiceCheck) {
	if len(c.activities()) == 0 {
		c.find(c.pointer(activityList))
	}
}

func activitiesHaveId(c *invoiceCheck) {
	for i := range c.activities() {
		if c.activities()[i].Id == 0 {
			c.find(c.item(activityList, i, "Id"))
		}
	}
}

func activitiesHaveSixDigits(c *invoiceCheck) {
	for i := range c.activities() {
		if id := c.activities()[i].Id; id < 0 || id > maxActivity {
			c.wrongItem(activityList, i, "Id", number(id), "6 dígitos")
		}
	}
}

func activitiesAreNotRepeated(c *invoiceCheck) {
	activities := c.activities()
	eachRepeat(len(activities), func(i int) (int64, bool) {
		return activities[i].Id, activities[i].Id != 0 // rule 10219
	}, func(i int) {
		c.wrongItem(activityList, i, "Id", number(activities[i].Id), "")
	})
}

func activitiesAreOfOneGroup(c *invoiceCheck) {
	var first *activityGroup
	for i := range c.activities() {
		group := groupOf(c.activities()[i].Id)
		switch {
		case group == nil || group == first:
		case first == nil:
			first = group
		default:
			c.wrongItem(activityList, i, "Id", number(c.activities()[i].Id), "")
			return
		}
	}
}

func meatIsNoService(c *invoiceCheck) {
	if c.Concepto == 2 && c.hasActivityOf(meat) {
		c.wrong("Concepto", number(c.Concepto), "1 o 3")
	}
}

// hasActivityOf reports whether one of the activities is of a group.
func (c *invoiceCheck) hasActivityOf(group *activityGroup) bool {
	return slices.ContainsFunc(c.activities(), func(a wsfev1.Actividad) bool { return groupOf(a.Id) == group })
}
