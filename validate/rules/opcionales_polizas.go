package rules

import (
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// polizaRules are about the policies of surety insurers, which invoice at a point of sale of
// their own. The service alone knows the insurers and their points of sale.
var polizaRules = []rule{
	{
		codes: codes{cae.exc(10273)}, types: noPolicies, from: policies, with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.opcionalIsNotFor(opcionalPoliza) },
		es:      "La póliza (opcional 2901) va solo en los tipos 1, 2, 3, 6, 7 y 8 de una aseguradora de caución.",
		en:      "Opcional 2901, a policy, is given for a type other than 1, 2, 3, 6, 7, 8, or not by a surety insurer.",
	},
	{
		codes: codes{cae.exc(10274)}, from: policies, with: withOpcionales,
		invoice: valorOf(opcionalPoliza, "hasta 30 caracteres", isPolicy),
		es:      "La póliza (opcional 2901) lleva de 1 a 30 caracteres, no todos en blanco.",
		en:      "Opcional 2901, a policy, is blank or longer than 30 characters.",
	},
	{
		codes: codes{cae.exc(10275)}, types: noPolicies, from: policies, with: withOpcionales,
		invoice: func(c *invoiceCheck) { c.opcionalIsNotFor(opcionalEndoso) },
		es:      "El endoso (opcional 2902) va solo en los tipos 1, 2, 3, 6, 7 y 8 de una aseguradora de caución.",
		en:      "Opcional 2902, an endorsement, is given for a type other than 1, 2, 3, 6, 7, 8, or not by a surety insurer.",
	},
	{
		codes: codes{cae.exc(10276)}, from: policies, with: withOpcionales,
		invoice: valorOf(opcionalEndoso, "hasta 30 caracteres", isPolicy),
		es:      "El endoso (opcional 2902) lleva de 1 a 30 caracteres, no todos en blanco.",
		en:      "Opcional 2902, an endorsement, is blank or longer than 30 characters.",
	},
	{
		codes: codes{cae.exc(10277)}, from: policies,
		es: "Una aseguradora de caución debe informar pólizas (2901) y endosos (2902) en su punto de venta SEGWS.",
		en: "A surety insurer gives no 2901 and 2902 at a SEGWS point of sale.",
	},
	{
		codes: codes{cae.exc(10278)}, from: policies,
		es: "En un punto de venta SEGWS son obligatorios los opcionales 2901 y 2902.",
		en: "An invoice of a SEGWS point of sale has no 2901 or no 2902.",
	},
	{
		codes: codes{cae.exc(10279)}, from: policies,
		es: "Los opcionales 2901 y 2902 son de las aseguradoras de caución, en un punto de venta SEGWS.",
		en: "Opcional 2901 or 2902 is given by who is no surety insurer, or at another point of sale.",
	},
	{
		codes: codes{cae.exc(10280)}, from: policies, with: withOpcionales, invoice: policiesAreNotTooMany,
		es: "Con pólizas y endosos (2901 y 2902) se informan hasta 6000 opcionales por comprobante.",
		en: "An invoice with 2901 or 2902 has more than 6000 Opcionales.",
	},
	{
		codes: codes{cae.exc(10281)}, from: policies, with: withOpcionales, invoice: policiesHaveEndorsements,
		es: "Informe tantas pólizas (2901) como endosos (2902).",
		en: "There are not as many 2901 as 2902.",
	},
}

// policies is the first day on which policies are known.
const policies wsfev1.Date = "20260901"

// noPolicies are the types that have no policies. One that carries nothing at all
// is rule 10068's.
var noPolicies = all(wsfev1.MayCarryOpcionales, except(1, 2, 3, 6, 7, 8))

// maxWithPolicies is the largest number of items where policies are among them.
const maxWithPolicies = 6000

func isPolicy(valor string) bool { return isText(valor, 30) }

func policiesAreNotTooMany(c *invoiceCheck) {
	n := len(c.opcionales())
	if n > maxWithPolicies && c.countOpcional(opcionalPoliza)+c.countOpcional(opcionalEndoso) > 0 {
		f := c.find(c.pointer(opcionalList))
		f.Got, f.Expected = strconv.Itoa(n), "hasta "+strconv.Itoa(maxWithPolicies)
		f.Text = "Hay " + f.Got + " opcionales: con pólizas y endosos (2901 y 2902) se informan hasta " + strconv.Itoa(maxWithPolicies) + " por comprobante"
	}
}

func policiesHaveEndorsements(c *invoiceCheck) {
	if polizas, endosos := c.countOpcional(opcionalPoliza), c.countOpcional(opcionalEndoso); polizas != endosos {
		f := c.find(c.pointer(opcionalList))
		f.Text = "Hay " + count(polizas, "póliza", "pólizas") + " (2901) y " + count(endosos, "endoso", "endosos") + " (2902): van de a pares"
	}
}
