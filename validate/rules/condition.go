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
	es:        "Falta CondicionIVAReceptorId, obligatorio desde el 01/12/2026: informe la condición frente al IVA del receptor.",
	en:        "CondicionIVAReceptorId is missing; it is mandatory from 2026-12-01.",
}

// conditionRules are about the IVA condition of the receiver.
var conditionRules = []rule{
	{
		codes: codes{cae.exc(10242), caea.exc(823)}, from: conditionInForce, invoice: conditionIsKnown,
		es: "CondicionIVAReceptorId no es una de las condiciones de FEParamGetCondicionIvaReceptor.",
		en: "CondicionIVAReceptorId is not one of FEParamGetCondicionIvaReceptor.",
	},
	{
		codes: codes{cae.exc(10243), caea.obs(824)}, from: conditionInForce, invoice: conditionFitsClass,
		es: "CondicionIVAReceptorId no es válida para la clase del comprobante.",
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
	conditionIsMandatory,
}

const (
	advisableES = "Falta CondicionIVAReceptorId, que ARCA exige desde el 01/12/2026: informe la condición frente al IVA del receptor."
	advisableEN = "CondicionIVAReceptorId is missing; it is mandatory from 2026-12-01."
)

func conditionIsKnown(c *invoiceCheck) {
	if id := c.CondicionIVAReceptorId; id != nil && !wsfev1.IsCondicionIVAReceptor(*id) {
		c.wrong("CondicionIVAReceptorId", number(*id), "una de FEParamGetCondicionIvaReceptor: "+conditionsOf(""))
	}
}

func conditionFitsClass(c *invoiceCheck) {
	id := c.CondicionIVAReceptorId
	if id == nil || wsfev1.AdmitsCondicionIVAReceptor(c.Class, *id) || !wsfev1.IsCondicionIVAReceptor(*id) || c.Class == "" {
		return
	}
	f := c.find(c.pointer("CondicionIVAReceptorId"))
	f.Got, f.Expected = number(*id), conditionsOf(c.Class)
	f.Text = "CondicionIVAReceptorId no es válida para un comprobante de clase " + string(c.Class) + "."
}

// conditionsOf lists the conditions that a class admits, all for no class.
func conditionsOf(class wsfev1.Class) string {
	var ids []string
	for _, row := range wsfev1.Tables().CondicionIvaReceptor {
		if class == "" || wsfev1.AdmitsCondicionIVAReceptor(class, row.Id) {
			ids = append(ids, number(row.Id))
		}
	}
	return strings.Join(ids, ", ")
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
	f.Text, f.Expected = c.running.es, conditionsOf(c.Class)
}

// judged reports whether a rule is judged today under one of its codes.
func (r *report) judged(rule *rule, number int32) bool {
	i := slices.IndexFunc(rule.codes, func(c code) bool { return c.number == number })
	return i >= 0 && r.rules.inForce(rule, rule.codes[i], r.calendar.today)
}
