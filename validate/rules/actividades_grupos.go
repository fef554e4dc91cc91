package rules

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// activityGroup is a branch of trade whose goods travel with a delivery note.
type activityGroup struct {
	// deliveryNotes are types of voucher; one of them has to be associated.
	deliveryNotes []int32
	// expected names them to the client.
	expected string
}

var (
	meat    = &activityGroup{deliveryNotes: []int32{995}, expected: "995"}
	flour   = &activityGroup{deliveryNotes: []int32{993, 994}, expected: "993 o 994"}
	tobacco = &activityGroup{deliveryNotes: []int32{88}, expected: "88"}
)

// activityGroups are the activities of the groups by their numbers. The list is
// incomplete: the service's own was not found (docs/sources.md#activities). Once it is complete, the
// rules of the groups find more, and may be set to Enforce.
var activityGroups = map[int64]*activityGroup{
	101011: meat,    // slaughter of cattle
	101012: meat,    // processing of beef
	106110: flour,   // milling of wheat
	120010: tobacco, // preparation of tobacco leaves
	120091: tobacco, // making of cigarettes
	120099: tobacco, // making of other products of tobacco
}

// groupOf returns the group of an activity, nil for one that is in none or not
// known.
func groupOf(activity int64) *activityGroup { return activityGroups[activity] }

// mayAssociate reports whether the invoice may associate one of some types. Where the matrix of
// associations forbids them they are not required: another rule would refuse them.
func (c *invoiceCheck) mayAssociate(some []int32) bool {
	admitted := wsfev1.MayAssociate
	if c.CAEA != nil {
		admitted = wsfev1.MayAssociateInCAEA
	}
	return slices.ContainsFunc(some, func(t int32) bool { return admitted(c.CbteTipo, t) })
}

// associatesOneOf reports whether the invoice associates one of some types.
func (c *invoiceCheck) associatesOneOf(some []int32) bool {
	return slices.ContainsFunc(c.asocs(), func(a wsfev1.CbteAsoc) bool { return slices.Contains(some, a.Tipo) })
}

// groupHasDeliveryNote leaves an invoice that associates nothing to rules 10231 and
// 10062.
func (c *invoiceCheck) groupHasDeliveryNote(group *activityGroup) {
	if c.CbtesAsoc == nil || len(c.asocs()) == 0 || !c.hasActivityOf(group) ||
		!c.mayAssociate(group.deliveryNotes) || c.associatesOneOf(group.deliveryNotes) {
		return
	}
	c.explain(c.find(c.pointer(asocList)), "", group.expected)
}

// deliveryNoteHasActivity takes an activity that is not known for one of the group:
// the list of activities is incomplete.
func (c *invoiceCheck) deliveryNoteHasActivity(group *activityGroup) {
	if !c.associatesOneOf(group.deliveryNotes) || !c.mayAssociate(group.deliveryNotes) {
		return // one that may not be associated is rule 10040's
	}
	if c.Actividades == nil {
		c.find(c.pointer("Actividades"))
		return
	}
	mayBeOfTheGroup := func(a wsfev1.Actividad) bool {
		known := groupOf(a.Id)
		return known == nil || known == group
	}
	if len(c.activities()) > 0 && !slices.ContainsFunc(c.activities(), mayBeOfTheGroup) {
		c.find(c.pointer(activityList))
	}
}

func regulatedActivityHasDeliveryNote(c *invoiceCheck) {
	if c.CbtesAsoc != nil {
		return
	}
	for i := range c.activities() {
		if group := groupOf(c.activities()[i].Id); group != nil && c.mayAssociate(group.deliveryNotes) {
			f := c.find(c.pointer("CbtesAsoc"))
			f.Expected = group.expected
			f.Text = "La actividad " + number(c.activities()[i].Id) + " lleva CbtesAsoc con su remito: " + group.expected
			return
		}
	}
}
