package rules_test

import (
	"strings"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/wsfev1"
)

// optionally gives an invoice these Opcionales.
func optionally(pairs ...string) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { d.Opcionales = opcionales(pairs...) }
}

// carriers may carry Opcionales of any regulation in either operation, at any time.
var carriers = wish{types: kinds(1, 2, 3, 4, 6, 7, 8)}

var mistakesInOptionalData = []mistake{
	{name: "an unknown Id", of: carriers, cae: "10053", caea: "1100", change: optionally("9999", "1")},
	{name: "an Id with a leading zero", of: carriers, cae: "10053", caea: "1100", change: optionally("011", "1")},
	{name: "an Id twice", of: wish{types: kinds(1, 2, 3, 6, 7, 8)}, cae: "10054", caea: "1101", change: optionally("2", "12345678", "2", "12345678")},
	{name: "no Valor", of: wish{types: kinds(1, 2, 3, 6, 7, 8)}, cae: "10055", caea: "1105", change: optionally("2", "")},
	{
		name: "a type that carries nothing", of: wish{types: kinds(5, 10, 34, 35, 39, 40, 60, 61)}, cae: "10068",
		change: optionally("23", "OC1"),
	},
	{
		name: "a type that carries nothing under a CAEA", of: wish{types: kinds(9, 11, 12, 13, 15, 51, 52, 53, 54)}, caea: "1426",
		change: optionally("23", "OC1"),
	},
	{name: "no Opcional", of: carriers, cae: "10052", change: optionally()},
	{name: "a long trade reference of any type", of: carriers, cae: "10189", caea: "1482", change: optionally("23", strings.Repeat("A", 51))},
	{name: "a trade reference of any type twice", of: carriers, cae: "10190", caea: "1483", change: optionally("23", "A", "23", "B", "23", "A")},
	{name: "used goods without Opcionales", of: wish{types: kinds(49)}, cae: "10076", change: func(_ *issuing, d *detail) { d.Opcionales = nil }},
	{name: "used goods of nobody", of: wish{types: kinds(49), docTipo: 96}, cae: "10078", change: optionally("93", "Calle 1")},
	{name: "used goods from nowhere", of: wish{types: kinds(49), docTipo: 96}, cae: "10084", change: optionally("91", "Ana")},
	{name: "used goods with other data", of: wish{types: kinds(49)}, cae: "10081", change: valor("11", "1")},
	{name: "used goods of a long name", of: wish{types: kinds(49)}, cae: "10077", change: valor("91", strings.Repeat("ñ", 101))},
	{name: "used goods of a long address", of: wish{types: kinds(49)}, cae: "10083", change: valor("93", strings.Repeat("ñ", 251))},
	{name: "used goods of a foreigner from nowhere", of: wish{types: kinds(49), docTipo: 94}, cae: "10082", change: without("92")},
	{name: "used goods of a citizen from a country", of: wish{types: kinds(49), docTipo: 96}, cae: "10082", change: valor("92", "200")},
	{name: "a country of two digits", of: wish{types: kinds(49), docTipo: 91}, cae: "10079", change: valor("92", "20")},
	{name: "an unknown country", of: wish{types: kinds(49), docTipo: 94}, cae: "10080", change: valor("92", "999")},
}

// marked may carry the regulations that are a mark, rented the regulation about rentals.
var (
	marked = wish{types: kinds(1, 3, 6, 8, 11, 13)}
	rented = wish{types: kinds(6, 8), at: validatetest.Noon}
)

var mistakesInRegulations = []mistake{
	{name: "a project of seven digits", of: wish{types: kinds(1, 2, 3, 6, 7, 8)}, cae: "10064", caea: "1104", change: optionally("2", "1234567")},
	{name: "two regulations", of: wish{types: kinds(1, 3, 6, 8)}, cae: "10112", caea: "813", change: optionally("11", "1", "12", "1")},
	{name: "mark 11 is 2", of: marked, cae: "10110", change: optionally("11", "2")},
	{name: "mark 12 is 2", of: marked, cae: "10111", change: optionally("12", "2")},
	{name: "mark 13 is 2", of: marked, cae: "10116", change: optionally("13", "2", "14", "1")},
	{name: "mark 14 is 2", of: marked, cae: "10117", change: optionally("14", "2")},
	{name: "mark 15 is 2", of: marked, cae: "10118", change: optionally("15", "2")},
	{name: "a rental with mark 3", of: rented, cae: "10124", caea: "1518", change: optionally("17", "3")},
	{name: "a long owner's name", of: rented, cae: "10127", caea: "1520", change: optionally("17", "1", "1801", "30500010912", "1802", strings.Repeat("ñ", 101))},
	{name: "an owner without a name", of: rented, cae: "10129", caea: "1521", change: optionally("17", "1", "1801", "30500010912")},
	{name: "an intermediary without owners", of: rented, cae: "10129", caea: "1521", change: optionally("17", "1")},
	{name: "owners without a rental", of: rented, cae: "10132", caea: "1526", change: optionally("1801", "30500010912", "1802", "Ana")},
	{
		name: "an owner twice", of: rented, cae: "10128", caea: "1519",
		change: optionally("17", "1", "1801", "30500010912", "1802", "Ana", "1801", "30500010912", "1802", "Eva"),
	},
	{
		name: "the issuer is the owner", of: rented, cae: "10131", caea: "1524",
		change: func(r *issuing, d *detail) {
			d.Opcionales = opcionales("17", "1", "1801", r.issuer.String(), "1802", "Ana")
		},
	},
	{name: "a school with mark 2", of: marked, cae: "10097", change: optionally("10", "2")},
	{name: "a school that names nobody", of: marked, cae: "10113", change: optionally("10", "1")},
	{name: "a school that names somebody in vain", of: marked, cae: "10113", change: optionally("10", "0", "1011", "96", "1012", "30111222")},
	{name: "an unknown reason of RG 3668", of: wish{types: kinds(1, 3)}, cae: "10089", caea: "1507", change: optionally("5", "07", "61", "96", "62", "30111222", "7", "01")},
	{name: "an unknown document of the signer", of: wish{types: kinds(1, 3)}, cae: "10091", caea: "1509", change: optionally("5", "01", "61", "15", "62", "30111222", "7", "01")},
	{name: "a long number of the signer", of: wish{types: kinds(1, 3)}, cae: "10092", caea: "1510", change: optionally("5", "01", "61", "96", "62", "301112223333", "7", "01")},
	{name: "an unknown role of the signer", of: wish{types: kinds(1, 3)}, cae: "10095", caea: "1512", change: optionally("5", "01", "61", "96", "62", "30111222", "7", "05")},
	{name: "a policy without its endorsement", of: wish{types: kinds(1, 6), at: validatetest.Noon}, cae: "10281", change: optionally("2901", "A1")},
	{name: "a policy of 31 characters", of: wish{types: kinds(1, 6), at: validatetest.Noon}, cae: "10274", change: optionally("2901", strings.Repeat("A", 31), "2902", "B")},
}

// sharing may have several buyers.
var sharing = wish{types: and(plain, no(kinds(49))), must: buyers, docTipo: 80}

// shares gives an invoice two buyers: the receiver and another.
func shares(ofReceiver, ofOther string) func(*issuing, *detail) {
	return func(r *issuing, d *detail) {
		other := int64(30500010912)
		if d.DocNro == other || int64(r.issuer) == other {
			other = 30716659554
		}
		d.Compradores = &wsfev1.Compradores{Comprador: []wsfev1.Comprador{
			{DocTipo: d.DocTipo, DocNro: d.DocNro, Porcentaje: amount(ofReceiver)},
			{DocTipo: 80, DocNro: other, Porcentaje: amount(ofOther)},
		}}
	}
}

// other changes the buyer that is not the receiver.
func other(change func(r *issuing, c *wsfev1.Comprador)) func(*issuing, *detail) {
	return func(r *issuing, d *detail) {
		shares("60", "40")(r, d)
		change(r, &d.Compradores.Comprador[1])
	}
}

var mistakesInBuyers = []mistake{
	{name: "shares of 99.99", of: sharing, cae: "10147", change: shares("60", "39.99")},
	{name: "shares of 100.01", of: sharing, cae: "10147", change: shares("60.01", "40")},
	{name: "the receiver has less", of: sharing, cae: "10146", change: shares("49.99", "50.01")},
	{name: "no buyer", of: sharing, cae: "10133", change: func(_ *issuing, d *detail) { d.Compradores.Comprador = nil }},
	{name: "a share of three decimals", of: sharing, cae: "10143", change: shares("60.001", "39.999")},
	{
		name: "the receiver is no buyer", of: sharing, cae: "10145",
		change: func(r *issuing, d *detail) {
			shares("60", "40")(r, d)
			d.Compradores.Comprador[0].DocNro = 20222222223
			if d.DocNro == 20222222223 || r.issuer == 20222222223 {
				d.Compradores.Comprador[0].DocNro = 27000000006
			}
		},
	},
	{name: "a buyer with a DNI", of: sharing, cae: "10137", change: other(func(_ *issuing, c *wsfev1.Comprador) { c.DocTipo = 96 })},
	{name: "a buyer with a short number", of: sharing, cae: "10139", change: other(func(_ *issuing, c *wsfev1.Comprador) { c.DocNro = 30111222 })},
	{name: "the issuer is a buyer", of: sharing, cae: "10140", change: other(func(r *issuing, c *wsfev1.Comprador) { c.DocNro = int64(r.issuer) })},
	{
		name: "a buyer twice", of: sharing, cae: "10141",
		change: func(r *issuing, d *detail) {
			shares("60", "20")(r, d)
			d.Compradores.Comprador = append(d.Compradores.Comprador, d.Compradores.Comprador[1])
		},
	},
	{
		name: "a buyer of nothing", of: sharing, cae: "10144",
		change: func(r *issuing, d *detail) {
			shares("60", "40")(r, d)
			d.Compradores.Comprador = append(d.Compradores.Comprador,
				wsfev1.Comprador{DocTipo: 86, DocNro: 20222222223, Porcentaje: amount("0")})
		},
	},
	{
		name: "buyers of a service", of: sharing, cae: "10150",
		change: func(r *issuing, d *detail) {
			d.Concepto = 3
			d.FchServDesde, d.FchServHasta, d.FchVtoPago = r.dateOf(d), r.dateOf(d), r.dateOf(d)
		},
	},
	{name: "buyers of used goods", of: wish{types: kinds(49), docTipo: 80}, cae: "10134", change: shares("60", "40")},
	{name: "buyers of an FCE", of: wish{types: wsfev1.IsFCE, concepto: 1}, cae: "10194", change: shares("60", "40")},
	{name: "buyers under a CAEA", of: wish{concepto: 1, docTipo: 80}, caea: "1432", change: shares("60", "40")},
}
