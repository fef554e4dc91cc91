package rules_test

import (
	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/wsfev1"
)

// numbered gives an invoice its two numbers.
func numbered(from, to int64) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { d.CbteDesde, d.CbteHasta = from, to }
}

func toNext(_ *issuing, d *detail) { d.CbteHasta++ }

var mistakesInNumbers = []mistake{
	{name: "number 0", of: wish{never: several | ranged}, cae: "10008 10010", caea: "784", change: numbered(0, 0)},
	{name: "a number of nine digits", of: wish{never: several | ranged}, cae: "10008 10010", caea: "784", change: numbered(100_000_000, 100_000_000)},
	{name: "a range in class A", of: wish{types: plainA}, cae: "10012", caea: "711", change: toNext, inLast: true},
	{name: "a range in class ALEY and in 49", of: wish{types: ofClasses(wsfev1.ClassALEY, wsfev1.Class49)}, cae: "10012", change: toNext, inLast: true},
	{name: "a range in class C", of: wish{types: and(plain, typesOfC)}, cae: "10011 10012", caea: "1433", change: toNext, inLast: true},
	{name: "a range in FCE", of: wish{types: and(wsfev1.IsFCE, no(typesOfC))}, cae: "10012", caea: "711", change: toNext},
	{name: "a range that ends before it begins", of: wish{types: plainB, never: several | ranged}, cae: "10011", caea: "1416", change: numbered(10, 9)},
	{
		name: "a range of consumers that should be identified", of: wish{types: plainB, must: ranged, never: several | foreign}, cae: "10014", caea: "1422",
		change: func(_ *issuing, d *detail) {
			d.CbteHasta = d.CbteDesde + 4
			onlyOf(d, "", "50000000.00")
		},
	},
	{
		name: "a range of somebody", of: wish{types: plainB, must: ranged}, cae: "10015", caea: "1415",
		change: func(_ *issuing, d *detail) { d.DocTipo, d.DocNro = 96, 30111222 },
	},
}

// document gives an invoice another receiver.
func document(docTipo int32, docNro int64) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { d.DocTipo, d.DocNro = docTipo, docNro }
}

func otherKind(_ *issuing, d *detail) { d.DocTipo = 96 }

// misspelt makes a wrong check digit.
func misspelt(_ *issuing, d *detail) { d.DocNro = d.DocNro - d.DocNro%10 + (d.DocNro+1)%10 }

func toTheIssuer(r *issuing, d *detail) { d.DocNro = int64(r.issuer) }

// consumers are invoices of pesos to a DNI.
var consumers = wish{types: plainB, docTipo: 96, never: foreign}

func worth(class wsfev1.Class, a string) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { onlyOf(d, class, a) }
}

var mistakesInReceivers = []mistake{
	{name: "a DNI in class A", of: wish{types: plainA, never: buyers}, cae: "10013", caea: "1403", change: otherKind},
	{name: "a DNI in class ALEY", of: wish{types: ofClasses(wsfev1.ClassALEY), never: buyers}, cae: "10013", change: otherKind},
	{name: "a DNI in FCE", of: wish{types: and(wsfev1.IsFCE, ofClasses("B", "C"))}, cae: "10015", caea: "1487", change: otherKind},
	{name: "a number of nobody", of: wish{types: plainB, must: anonymous, never: ranged}, cae: "10015", caea: "1418", change: document(99, 5)},
	{name: "a number of nobody, class C", of: wish{types: and(plain, typesOfC), must: anonymous}, cae: "10015", caea: "1418", change: document(99, 5)},
	{
		name: "nobody at the threshold", of: wish{types: plainB, must: anonymous, never: foreign | ranged}, cae: "10015", caea: "1417",
		change: worth(wsfev1.ClassB, "10000000.00"),
	},
	{
		name: "nobody at the threshold, class C", of: wish{types: and(plain, typesOfC), must: anonymous, never: foreign}, caea: "1417",
		change: worth(wsfev1.ClassC, "10000000.00"),
	},
	{
		name: "somebody without a number", of: consumers, cae: "10015", caea: "1419",
		change: func(_ *issuing, d *detail) {
			onlyOf(d, wsfev1.ClassB, "100.00")
			d.DocNro = 0
		},
	},
	{name: "an unknown kind of document", of: consumers, cae: "10015", caea: "1404", change: document(15, 30111222)},
	{name: "an unknown kind of document in class C", of: wish{types: and(plain, typesOfC), docTipo: 96}, cae: "10015", caea: "1404", change: document(77, 30111222)},
	{name: "nobody sells used goods", of: wish{types: kinds(49), docTipo: 96}, cae: "10015", change: document(99, 0)},
	{name: "the receiver is the issuer", of: wish{docTipo: 80, never: buyers}, cae: "10069", caea: "788", change: toTheIssuer},
	{name: "a number that is no CUIT in class A", of: wish{types: plainA, docTipo: 80, never: buyers}, cae: "10015", caea: "1421", change: document(80, 2147483647)},
	{name: "a number that is no CUIT in class ALEY", of: wish{types: ofClasses(wsfev1.ClassALEY), docTipo: 80, never: buyers}, cae: "10015", change: document(80, 0)},
	{name: "a wrong check digit in class A", of: wish{types: plainA, docTipo: 80, never: buyers}, cae: "10017", caea: "708", change: misspelt},
	{name: "a wrong check digit in class B", of: wish{types: plainB, docTipo: 80, never: buyers}, cae: "10015", caea: "1420", change: misspelt},
	{name: "a wrong check digit in class C", of: wish{types: and(plain, typesOfC), docTipo: 80, never: buyers}, cae: "10015", caea: "1420", change: misspelt},
	{name: "a wrong check digit in 49", of: wish{types: kinds(49), docTipo: 86}, cae: "10015", change: misspelt},
	{
		name: "nobody categorised without the perception", cae: "10067", caea: "1425",
		of: wish{types: kinds(6, 7, 8), must: uncategorised | ivaDetail},
		change: func(_ *issuing, d *detail) {
			d.Tributos, d.ImpTrib = nil, amount("0")
			total(d)
		},
	},
	{
		name: "nobody categorised with another tribute", cae: "10283", caea: "1527",
		of:     wish{types: kinds(6, 7, 8), must: uncategorised | ivaDetail, at: validatetest.Noon},
		change: withTributes(tribute(7, "100.00", "1.00", "1.00")),
	},
	{
		name: "a fund with a long number", of: wish{types: and(plain, ofClasses("B", "C")), docTipo: 96, at: validatetest.Noon}, cae: "10271",
		change: func(_ *issuing, d *detail) {
			document(31, 12345)(nil, d)
			*d.CondicionIVAReceptorId = 15
		},
	},
	{
		name: "a fund of another condition", of: wish{types: and(plain, ofClasses("B", "C")), docTipo: 96, at: validatetest.Noon}, cae: "10272",
		change: func(_ *issuing, d *detail) {
			document(31, 1234)(nil, d)
			*d.CondicionIVAReceptorId = 5
		},
	},
	{name: "an unknown condition", cae: "10242", caea: "823", change: condition(99)},
	{name: "condition 0", cae: "10242", caea: "823", change: condition(0)},
	{name: "a condition of class B in A", of: wish{types: ofClasses("A", "ALEY")}, cae: "10243", caea: "824", change: condition(5)},
	{name: "a condition of class A in B", of: wish{types: ofClasses("B", "49")}, cae: "10243", caea: "824", change: condition(1)},
	{
		name: "no condition while it is announced", of: wish{at: validatetest.Noon}, cae: "10245", caea: "825",
		change: func(_ *issuing, d *detail) { d.CondicionIVAReceptorId = nil },
	},
	{
		name: "no condition when it is due", of: wish{at: validatetest.Noon.AddDate(0, 0, 11)}, cae: "10246", caea: "826",
		change: func(_ *issuing, d *detail) { d.CondicionIVAReceptorId = nil },
	},
}

func condition(id int32) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { d.CondicionIVAReceptorId = &id }
}

var mistakesInCurrency = []mistake{
	{name: "an unknown currency", of: wish{never: foreign}, cae: "10037", caea: "1401", change: func(_ *issuing, d *detail) { d.MonId = "XXX" }},
	{name: "no currency", of: wish{never: foreign}, cae: "10037", caea: "1401", change: func(_ *issuing, d *detail) { d.MonId = "" }},
	{
		name: "pesos at 2", of: wish{never: foreign | small}, cae: "10039", caea: "726",
		change: func(_ *issuing, d *detail) { d.MonCotiz = amount("2") },
	},
	{
		name: "another currency at 0", of: wish{must: foreign, never: small}, cae: "10038", caea: "726",
		change: func(_ *issuing, d *detail) { d.MonCotiz = amount("0") },
	},
	{
		name: "another currency without a rate", of: wish{must: foreign, never: small}, cae: "10038", caea: "726",
		change: func(_ *issuing, d *detail) { d.MonCotiz, d.CanMisMonExt = wsfev1.Amount{}, "N" },
	},
	{
		name: "an unknown mark of payment", of: wish{must: foreign, never: small}, cae: "10239", caea: "820",
		change: func(_ *issuing, d *detail) { d.MonCotiz, d.CanMisMonExt = amount("1"), "X" },
	},
	{
		name: "pesos paid in another currency", of: wish{never: foreign}, cae: "10241", caea: "822",
		change: func(_ *issuing, d *detail) { d.CanMisMonExt = "S" },
	},
}
