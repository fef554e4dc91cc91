package rules

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// conditionInForce is the day since when the service reads CanMisMonExt and
// CondicionIVAReceptorId in production, by its own notice (Event 39). The test environment did
// since 2025-03-17.
const conditionInForce = wsfev1.Date("20250406")

// conditionIsMandatory rejects a receiver without a condition before IVA. While it is in
// force, the remark of the years before is not made.
var conditionIsMandatory = rule{
	codes: codes{cae.exc(10246), caea.exc(826)}, from: "20261201", extension: true, invoice: conditionIsThere,
	announced: "ARCA refuses invoices without CondicionIVAReceptorId",
	also:      []Source{rgCondition},
	es:        "Falta CondicionIVAReceptorId, obligatorio desde el 01/12/2026: informe la condición de IVA del receptor.",
	en:        "CondicionIVAReceptorId is missing; it is mandatory from 2026-12-01.",
}

// conditionRules are about the IVA condition of the receiver.
var conditionRules = slices.Concat([]rule{
	{
		codes: codes{cae.exc(10242), caea.exc(823)}, from: conditionInForce, invoice: conditionIsKnown,
		es: "CondicionIVAReceptorId debe ser una de las condiciones de FEParamGetCondicionIvaReceptor.",
		en: "CondicionIVAReceptorId is not one of FEParamGetCondicionIvaReceptor.",
	},
	{
		codes: codes{cae.exc(10243), caea.obs(824)}, from: conditionInForce, invoice: conditionFitsClass,
		es: "La condición del receptor no va en la clase del comprobante: emita otra clase, o corríjala.",
		en: "CondicionIVAReceptorId is not one for the class of the voucher.",
	},
	{
		codes: codes{cae.obs(10245)}, from: conditionInForce, until: "20261130",
		also:    []Source{rgCondition},
		invoice: func(c *invoiceCheck) { c.conditionIsAdvisable(10246) },
		es:      advisableES, en: advisableEN,
	},
	{
		codes: codes{caea.obs(825)}, from: conditionInForce, until: "20261130",
		also:    []Source{rgCondition},
		invoice: func(c *invoiceCheck) { c.conditionIsAdvisable(826) },
		es:      advisableES, en: advisableEN,
	},
}, asksFrom(conditionIsMandatory))

const (
	advisableES = "Falta CondicionIVAReceptorId, que ARCA exige desde el 01/12/2026: informe la condición de IVA del receptor."
	advisableEN = "CondicionIVAReceptorId is missing; it is mandatory from 2026-12-01."
)

func conditionIsKnown(c *invoiceCheck) {
	if id := c.CondicionIVAReceptorId; id != nil && !c.isCondition(*id) {
		f := c.wrong("CondicionIVAReceptorId", number(*id), "una de FEParamGetCondicionIvaReceptor: "+strings.Join(conditionsOf(""), ", "))
		f.Text = "La condición " + number(*id) + " no existe: consulte FEParamGetCondicionIvaReceptor"
	}
}

func conditionFitsClass(c *invoiceCheck) {
	id := c.CondicionIVAReceptorId
	if id == nil || c.admitsCondition(c.Class, *id) || !wsfev1.IsCondicionIVAReceptor(*id) || c.Class == "" {
		return
	}
	f := c.find(c.pointer("CondicionIVAReceptorId"))
	f.Got, f.Expected = number(*id), strings.Join(conditionsOf(c.Class), ", ")
	f.Text = "La condición " + condition(*id) + " no va en clase " + className(c.Class) + ": " + c.otherClass(*id) + ", o corrija la condición del receptor"
	if c.Class == wsfev1.Class49 {
		f.Text = "En la compra de bienes usados la condición es " + condition(5) + ", no " + condition(*id)
	}
}

// className names a class as people do.
func className(class wsfev1.Class) string {
	if class == wsfev1.ClassALEY {
		return "A con leyenda"
	}
	return string(class)
}

// otherClass names the class that a condition goes with.
func (c *invoiceCheck) otherClass(id int32) string {
	if wsfev1.AdmitsCondicionIVAReceptor(wsfev1.ClassA, id) {
		return "emita clase A"
	}
	return "emita clase B"
}

// conditionsOf lists the conditions that a class admits, all for no class.
func conditionsOf(class wsfev1.Class) (ids []string) {
	for _, row := range wsfev1.Tables().CondicionIvaReceptor {
		if class == "" || wsfev1.AdmitsCondicionIVAReceptor(class, row.Id) {
			ids = append(ids, number(row.Id))
		}
	}
	return ids
}

func conditionIsThere(c *invoiceCheck) {
	if c.CondicionIVAReceptorId == nil {
		c.conditionIsMissing()
	}
}

func (c *invoiceCheck) conditionIsAdvisable(mandatory int32) {
	if c.CondicionIVAReceptorId == nil && !c.judged(&conditionIsMandatory, mandatory) {
		c.conditionIsMissing()
	}
}

func (c *invoiceCheck) conditionIsMissing() {
	f := c.find(c.pointer("CondicionIVAReceptorId"))
	ids := conditionsOf(c.Class)
	f.Expected = strings.Join(ids, ", ")
	nameCommon(ids)
	f.Text = strings.TrimSuffix(c.running.es, ".") + ": " + list(ids...)
}

// nameCommon adds its name to the condition that most receivers of the class have. A Msg has no room for
// the names of all.
func nameCommon(ids []string) {
	for _, common := range []int32{5, 1} {
		if i := slices.Index(ids, number(common)); i >= 0 {
			ids[i] = condition(common)
			return
		}
	}
}

// judged reports whether a rule is judged today under one of its codes.
func (r *report) judged(rule *rule, number int32) bool {
	i := slices.IndexFunc(rule.codes, func(c code) bool { return c.number == number })
	return i >= 0 && r.rules.inForce(rule, rule.codes[i], r.calendar.today)
}
