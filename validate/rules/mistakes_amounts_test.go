package rules_test

import "github.com/fielato/fielato/wsfev1"

var mistakesInSums = []mistake{
	{
		name: "the total is not the sum", of: wish{types: no(typesOfC), never: small}, cae: "10048", caea: "724",
		change: func(_ *issuing, d *detail) { addTo(&d.ImpTotal, beyond(d.ImpTotal, 1)) },
	},
	{
		name: "the total is not the sum, class C", of: wish{types: typesOfC, never: small}, cae: "10048", caea: "1439",
		change: func(_ *issuing, d *detail) { addTo(&d.ImpTotal, beyond(d.ImpTotal, 1)) },
	},
	{
		name: "no Iva, with IVA due", of: wish{types: no(typesOfC), must: ivaDue}, cae: "10018 10070", caea: "715 1427",
		change: func(_ *issuing, d *detail) { d.Iva = nil },
	},
	{
		name: "no Iva, at 0 %", of: wish{types: no(typesOfC), must: ivaDetail, never: ivaDue | usedByMono}, cae: "10070", caea: "1427",
		change: func(_ *issuing, d *detail) { d.Iva = nil },
	},
	{
		name: "the IVA is not its rate of the base", of: wish{types: figured, must: ivaDue, never: small}, cae: "10051", caea: "1006",
		change: func(_ *issuing, d *detail) {
			importe := &d.Iva.AlicIva[0].Importe
			more := beyond(*importe, 1)
			addTo(importe, more)
			addTo(&d.ImpIVA, more)
			addTo(&d.ImpTotal, more)
		},
	},
	{
		name: "the bases are not the net", of: wish{types: figured, must: ivaDue, never: small}, cae: "10061", caea: "1408",
		change: func(_ *issuing, d *detail) {
			more := beyond(d.ImpNeto, len(d.Iva.AlicIva))
			addTo(&d.ImpNeto, more)
			addTo(&d.ImpTotal, more)
		},
	},
	{
		name: "the rates are not the IVA", of: wish{types: no(typesOfC), must: ivaDetail, never: small | usedByMono}, cae: "10023", caea: "725",
		change: func(_ *issuing, d *detail) {
			more := beyond(d.ImpIVA, len(d.Iva.AlicIva))
			addTo(&d.ImpIVA, more)
			addTo(&d.ImpTotal, more)
		},
	},
	{
		name: "a rate twice", of: wish{types: no(typesOfC), never: small}, cae: "10022", caea: "1003",
		change: func(_ *issuing, d *detail) {
			setIva(d, rate(5, "100.00", "21.00"), rate(4, "100.00", "10.50"), rate(5, "50.00", "10.50"))
		},
	},
	{
		name: "an unknown rate", of: wish{types: figured, never: small}, cae: "10019", caea: "1000",
		change: func(_ *issuing, d *detail) { setIva(d, rate(5, "100.00", "21.00"), rate(7, "100.00", "10.50")) },
	},
	{
		name: "no rate", of: wish{types: figured, never: small}, cae: "10019", caea: "1000",
		change: func(_ *issuing, d *detail) { setIva(d, rate(5, "100.00", "21.00"), rate(0, "100.00", "10.50")) },
	},
	{
		name: "no rate, in notes that are free in CAE alone", of: wish{types: kinds(52, 53), never: small}, caea: "1000",
		change: func(_ *issuing, d *detail) { setIva(d, rate(5, "100.00", "21.00"), rate(0, "100.00", "10.50")) },
	},
	{
		name: "no base", of: wish{types: figured, never: small}, cae: "10020", caea: "1009",
		change: func(_ *issuing, d *detail) { setIva(d, rate(5, "100.00", "21.00"), rate(4, "0.00", "0.00")) },
	},
	{
		name: "negative IVA", of: wish{types: figured, never: small}, cae: "10021", caea: "1008",
		change: func(_ *issuing, d *detail) { setIva(d, rate(5, "100.00", "21.00"), rate(3, "1.00", "-0.01")) },
	},
	{
		name: "an empty Iva", of: wish{types: no(typesOfC), never: ivaDetail | usedByMono}, cae: "10018", caea: "715",
		change: func(_ *issuing, d *detail) { d.Iva = &wsfev1.Iva{} },
	},
	{
		name: "no IVA at a rate above 0 %", of: wish{types: no(typesOfC), never: small | usedByMono}, cae: "10018", caea: "715",
		change: func(_ *issuing, d *detail) { setIva(d, rate(5, "0.01", "0.00")) },
	},
	{
		name: "Iva in class C", of: wish{types: typesOfC}, cae: "10071", caea: "1443",
		change: func(_ *issuing, d *detail) { d.Iva = &wsfev1.Iva{AlicIva: []wsfev1.AlicIva{rate(3, "1.00", "0.00")}} },
	},
	{
		name: "an empty Iva in class C", of: wish{types: typesOfC}, cae: "10071", caea: "1443",
		change: func(_ *issuing, d *detail) { d.Iva = &wsfev1.Iva{} },
	},
}

// unbearing are invoices without IVA or tributes.
func unbearing(types func(int32) bool) wish {
	return wish{types: types, never: small | ivaDetail | tributes | uncategorised | usedByMono}
}

// negative makes one amount −1 and another 5 more.
func negative(at, other func(d *detail) *wsfev1.Amount) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) {
		*at(d) = amount("-1.00")
		addTo(other(d), amount("5.00"))
		total(d)
	}
}

func notTaxed(d *detail) *wsfev1.Amount { return &d.ImpTotConc }
func net(d *detail) *wsfev1.Amount      { return &d.ImpNeto }
func exempt(d *detail) *wsfev1.Amount   { return &d.ImpOpEx }
func taxes(d *detail) *wsfev1.Amount    { return &d.ImpTrib }
func iva(d *detail) *wsfev1.Amount      { return &d.ImpIVA }

var mistakesInAmounts = []mistake{
	{name: "ImpTotConc below 0", of: unbearing(no(typesOfC)), cae: "10043", caea: "717", change: negative(notTaxed, exempt)},
	{name: "ImpOpEx below 0", of: unbearing(no(typesOfC)), cae: "10044", caea: "718", change: negative(exempt, notTaxed)},
	{name: "ImpNeto below 0", of: unbearing(no(typesOfC)), cae: "10045", caea: "719", change: negative(net, exempt)},
	{name: "ImpTrib below 0", of: unbearing(no(typesOfC)), cae: "10046", caea: "723", change: negative(taxes, exempt)},
	{name: "ImpTrib below 0, class C", of: unbearing(typesOfC), cae: "10046", caea: "1437", change: negative(taxes, net)},
	{name: "ImpIVA below 0", of: unbearing(no(typesOfC)), cae: "10047", caea: "1407", change: negative(iva, exempt)},
	{
		name: "ImpTotal below 0 by what sums may be apart", of: unbearing(no(typesOfC)), cae: "10065", caea: "1409",
		change: func(_ *issuing, d *detail) {
			onlyOf(d, "", "0.00")
			d.ImpTotal = amount("-0.01")
		},
	},
	{
		name: "ImpNeto and ImpTotal below 0, class C", of: unbearing(typesOfC), cae: "10045 10065", caea: "1409 1436",
		change: func(_ *issuing, d *detail) { onlyOf(d, wsfev1.ClassC, "-1.00") },
	},
	{name: "ImpTotConc in class C", of: wish{types: typesOfC}, cae: "10043", caea: "1434", change: cent(notTaxed)},
	{name: "ImpOpEx in class C", of: wish{types: typesOfC}, cae: "10044", caea: "1435", change: cent(exempt)},
	{name: "ImpIVA in class C", of: wish{types: typesOfC}, cae: "10047", caea: "1438", change: cent(iva)},
	{
		name: "three decimals in ImpTotal", cae: "10056", caea: "1409",
		of:     wish{never: small},
		change: func(_ *issuing, d *detail) { addTo(&d.ImpTotal, amount("0.001")) },
	},
	{
		name: "three decimals in ImpOpEx", of: unbearing(no(typesOfC)), cae: "10056", caea: "718",
		change: func(_ *issuing, d *detail) { addTo(&d.ImpOpEx, amount("0.001")) },
	},
	{
		name: "three decimals in a base", of: wish{types: no(typesOfC), never: small}, cae: "10056",
		change: func(_ *issuing, d *detail) {
			setIva(d, rate(5, "100.00", "21.00"))
			addTo(&d.Iva.AlicIva[0].BaseImp, amount("0.001"))
		},
	},
	{
		name: "fourteen digits before the point", of: unbearing(no(typesOfC)), cae: "10056", caea: "718 1409",
		change: func(_ *issuing, d *detail) { onlyOf(d, "", "10000000000000.00") },
	},
	{
		name: "seven decimals in MonCotiz", of: wish{must: foreign, never: small}, cae: "10056", caea: "726",
		change: func(_ *issuing, d *detail) { d.MonCotiz = amount("1130.0345678") },
	},
}

// cent puts a cent where there may be none.
func cent(at func(d *detail) *wsfev1.Amount) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { *at(d) = amount("0.01") }
}

// untaxed are invoices whose tributes may be exchanged for others.
var untaxed = wish{never: small | uncategorised}

func tribute(id int16, base, alic, importe string) wsfev1.Tributo {
	return wsfev1.Tributo{Id: id, Desc: "tasa", BaseImp: amount(base), Alic: amount(alic), Importe: amount(importe)}
}

func withTributes(tributes ...wsfev1.Tributo) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { setTributes(d, tributes...) }
}

var mistakesInTributes = []mistake{
	{name: "Tributos without ImpTrib", of: untaxed, cae: "10024", caea: "1423", change: withTributes(tribute(1, "0.00", "0.00", "0.00"))},
	{
		name: "ImpTrib without Tributos", of: wish{must: tributes, never: small | uncategorised}, cae: "10024", caea: "1423",
		change: func(_ *issuing, d *detail) { d.Tributos = nil },
	},
	{
		name: "the tributes are not ImpTrib", of: wish{must: tributes, never: small}, cae: "10029", caea: "1406",
		change: func(_ *issuing, d *detail) {
			more := beyond(d.ImpTrib, len(d.Tributos.Tributo))
			addTo(&d.ImpTrib, more)
			addTo(&d.ImpTotal, more)
		},
	},
	{name: "an unknown tribute", of: untaxed, cae: "10025", caea: "900", change: withTributes(tribute(10, "100.00", "1.00", "1.00"))},
	{name: "a base below 0", of: untaxed, cae: "10026", caea: "905", change: withTributes(tribute(1, "-100.00", "1.00", "1.00"))},
	{name: "a rate below 0", of: untaxed, cae: "10027", caea: "906", change: withTributes(tribute(1, "100.00", "-1.00", "1.00"))},
	{
		name: "a tribute below 0", of: untaxed, cae: "10028", caea: "907",
		change: withTributes(tribute(1, "100.00", "1.00", "1.00"), tribute(2, "1.00", "1.00", "-0.01")),
	},
	{
		name: "tribute 99 without Desc", of: untaxed, cae: "10042", caea: "908",
		change: func(_ *issuing, d *detail) {
			setTributes(d, tribute(99, "100.00", "1.00", "1.00"))
			d.Tributos.Tributo[0].Desc = ""
		},
	},
	{
		name: "any tribute without Desc, FCE", of: wish{types: wsfev1.IsFCE}, cae: "10042",
		change: func(_ *issuing, d *detail) {
			setTributes(d, tribute(1, "100.00", "1.00", "1.00"))
			d.Tributos.Tributo[0].Desc = ""
		},
	},
}
