package rules_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// hostileLists are invoices with long lists. The sums hold where the list is one of
// amounts, so that nothing but the length is odd about some of them.
var hostileLists = []hostile{
	{"Tributo", 10_000, grown(1, func(d *detail, n int) {
		setTributes(d, repeated(n, func(int) wsfev1.Tributo { return tribute(1, "1.00", "1.00", "0.01") })...)
	})},
	{"Tributo that is wrong", 10_000, grown(201, func(d *detail, n int) {
		setTributes(d, repeated(n, func(int) wsfev1.Tributo {
			return wsfev1.Tributo{Id: 77, BaseImp: amount("-1.001"), Alic: amount("-1"), Importe: amount("-1")}
		})...)
	})},
	{"AlicIva", 10_000, grown(1, func(d *detail, n int) {
		setIva(d, repeated(n, func(int) wsfev1.AlicIva { return rate(5, "100.00", "21.00") })...)
	})},
	{"AlicIva that is wrong", 10_000, grown(1, func(d *detail, n int) {
		setIva(d, repeated(n, func(i int) wsfev1.AlicIva { return rate(int32(i), "-0.001", "-5.001") })...)
	})},
	{"Opcional of one Id", 10_000, grown(1, func(d *detail, n int) { d.Opcionales = listOf(n, "11", same("1")) })},
	{"Opcional of unknown Ids", 10_000, grown(1, func(d *detail, n int) {
		d.Opcionales = &wsfev1.Opcionales{Opcional: repeated(n, func(i int) wsfev1.Opcional { return wsfev1.Opcional{Id: strconv.Itoa(100_000 + i), Valor: "1"} })}
	})},
	{"Opcional of unknown Ids of used goods", 10_000, grown(49, func(d *detail, n int) { d.Opcionales = listOf(n, "92", strconv.Itoa) })},
	{"references that are all different", 10_000, grown(1, func(d *detail, n int) { d.Opcionales = listOf(n, "23", strconv.Itoa) })},
	{"references that are all the same", 10_000, grown(1, func(d *detail, n int) { d.Opcionales = listOf(n, "23", same("OC1")) })},
	{"references of an FCE", 10_000, grown(201, func(d *detail, n int) { d.Opcionales = listOf(n, "23", strconv.Itoa) })},
	{"CBU of an FCE", 10_000, grown(201, func(d *detail, n int) { d.Opcionales = listOf(n, "2101", same("1")) })},
	{"owners that are all different", 10_000, grown(6, func(d *detail, n int) { d.Opcionales = owners(n, strconv.Itoa) })},
	{"owners that are all the same", 10_000, grown(6, func(d *detail, n int) { d.Opcionales = owners(n, same("30500010912")) })},
	{"policies", 10_000, grown(6, func(d *detail, n int) { d.Opcionales = listOf(n, "2901", strconv.Itoa) })},
	{"Comprador that is one", 10_000, grown(1, func(d *detail, n int) { d.Compradores = buyersOf(n, func(int) int64 { return 30500010912 }) })},
	{"Comprador that are many", 10_000, grown(1, func(d *detail, n int) {
		d.Compradores = buyersOf(n, func(i int) int64 { return 20_000_000_000 + int64(i) })
	})},
	{"CbteAsoc that is one", 10_000, grown(3, func(d *detail, n int) { d.CbtesAsoc = adjusted(n, 1, func(int) int64 { return 7 }) })},
	{"CbteAsoc that are many", 10_000, grown(3, func(d *detail, n int) { d.CbtesAsoc = adjusted(n, 1, func(i int) int64 { return int64(i) + 1 }) })},
	{"CbteAsoc of an FCE", 10_000, grown(203, func(d *detail, n int) { d.CbtesAsoc = adjusted(n, 206, func(i int) int64 { return int64(n - i) }) })},
	{"Actividad that is one", 10_000, grown(1, func(d *detail, n int) { doing(repeated(n, func(int) int64 { return 620100 })...)(nil, d) })},
	{"Actividad that are many", 10_000, grown(1, func(d *detail, n int) { doing(repeated(n, func(i int) int64 { return int64(n - i) })...)(nil, d) })},
	{"Actividad of the regulated", 10_000, grown(1, func(d *detail, n int) {
		doing(repeated(n, func(i int) int64 { return []int64{101011, 106110}[i%2] })...)(nil, d)
		d.CbtesAsoc = adjusted(n, 995, func(i int) int64 { return int64(i) })
	})},
}

func repeated[E any](n int, of func(i int) E) []E {
	list := make([]E, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

func same(text string) func(int) string { return func(int) string { return text } }

func listOf(n int, id string, valor func(int) string) *wsfev1.Opcionales {
	return &wsfev1.Opcionales{Opcional: repeated(n, func(i int) wsfev1.Opcional { return wsfev1.Opcional{Id: id, Valor: valor(i)} })}
}

func owners(n int, cuit func(int) string) *wsfev1.Opcionales {
	o := opcionales("17", "1")
	for i := range n / 2 {
		o.Opcional = append(o.Opcional, wsfev1.Opcional{Id: "1801", Valor: cuit(i)}, wsfev1.Opcional{Id: "1802", Valor: "Ana"})
	}
	return o
}

func buyersOf(n int, docNro func(int) int64) *wsfev1.Compradores {
	return &wsfev1.Compradores{Comprador: repeated(n, func(i int) wsfev1.Comprador {
		return wsfev1.Comprador{DocTipo: 80, DocNro: docNro(i), Porcentaje: amount("0.01")}
	})}
}

func adjusted(n int, tipo int32, nro func(int) int64) *wsfev1.CbtesAsoc {
	return &wsfev1.CbtesAsoc{CbteAsoc: repeated(n, func(i int) wsfev1.CbteAsoc {
		return wsfev1.CbteAsoc{Tipo: tipo, PtoVta: 1, Nro: nro(i), Cuit: "1", CbteFch: "20261201"}
	})}
}

// usual is the size of most bodies: a quadratic rule takes many seconds at that size
// already. largest is how large a body can be.
const usual, largest = 512 << 10, 4 << 20

// What stands in a body for a figure or a text that is too long to be written.
const figureMark, textMark = "987654.32", "TEXTO"

// swollen makes a body of an invoice of a type, in which a mark gives way to a long
// text.
func swollen(cbteTipo int32, change func(d *detail), mark string, text func(n int) string) func(testing.TB, int) []byte {
	return func(t testing.TB, n int) []byte {
		r := vulnerable(cbteTipo)
		change(&r.invoices[0])
		before, after, found := strings.Cut(string(r.body(t)), mark)
		if !found {
			t.Fatalf("there is no %s", mark)
		}
		return []byte(before + text(n) + after)
	}
}

// hostileFigures are numbers of half a million digits, in each place of an amount.
func hostileFigures() []hostile {
	places := map[string]func(d *detail, a wsfev1.Amount){
		"ImpTotal": func(d *detail, a wsfev1.Amount) { d.ImpTotal = a },
		"ImpNeto":  func(d *detail, a wsfev1.Amount) { d.ImpNeto = a },
		"MonCotiz": func(d *detail, a wsfev1.Amount) { d.MonCotiz = a },
		"BaseImp":  func(d *detail, a wsfev1.Amount) { d.Iva.AlicIva[0].BaseImp = a },
		"Importe":  func(d *detail, a wsfev1.Amount) { d.Iva.AlicIva[0].Importe = a },
		"Alic": func(d *detail, a wsfev1.Amount) {
			setTributes(d, tribute(1, "1", "1", "1"))
			d.Tributos.Tributo[0].Alic = a
		},
		"Porcentaje": func(d *detail, a wsfev1.Amount) {
			shares("60", "40")(&issuing{}, d)
			d.Compradores.Comprador[1].Porcentaje = a
		},
	}
	forms := map[string]func(n int) string{
		"digits":   func(n int) string { return strings.Repeat("9", n) },
		"decimals": func(n int) string { return "0." + strings.Repeat("3", n) },
		"zeros":    func(n int) string { return "1." + strings.Repeat("0", n) },
	}
	var all []hostile
	for _, place := range slices.Sorted(maps.Keys(places)) {
		for _, form := range slices.Sorted(maps.Keys(forms)) {
			if form != "digits" && place != "ImpTotal" && place != "Porcentaje" {
				continue // these are read in one way
			}
			set, text := places[place], forms[form]
			all = append(all, hostile{place + " of many " + form, usual, swollen(6, func(d *detail) { set(d, amount(figureMark)) }, figureMark, text)})
		}
	}
	return all
}

// hostileTexts are texts of half a million characters.
func hostileTexts() []hostile {
	var all []hostile
	for _, id := range []string{"2", "5", "61", "62", "7", "10", "1011", "1012", "11", "17", "1801", "1802", "22", "23", "27", "2101", "2102", "2901", "91", "92", "93"} {
		cbteTipo := int32(6)
		switch {
		case id[0] == '9':
			cbteTipo = 49
		case id == "5" || id[0] == '6' || id == "7":
			cbteTipo = 1
		case id == "22":
			cbteTipo = 203
		case id == "27" || strings.HasPrefix(id, "21"):
			cbteTipo = 201
		}
		c := "7" // the texts that may be words are tried with letters
		if slices.Contains([]string{"23", "1802", "2102", "91", "93"}, id) {
			c = "ñ"
		}
		all = append(all, hostile{"long Valor of " + id, usual, swollen(cbteTipo, func(d *detail) {
			d.Opcionales = opcionales(id, textMark)
		}, textMark, func(n int) string { return strings.Repeat(c, n/len(c)) })})
	}
	members := map[string]func(d *detail, text string){
		"Id of an Opcional": func(d *detail, text string) { d.Opcionales = opcionales(text, "1") },
		"MonId":             func(d *detail, text string) { d.MonId = text },
		"CanMisMonExt":      func(d *detail, text string) { d.CanMisMonExt = text },
		"CbteFch":           func(d *detail, text string) { d.CbteFch = wsfev1.Date(text) },
		"FchVtoPago":        func(d *detail, text string) { d.FchVtoPago = wsfev1.Date(text) },
		"Desc":              func(d *detail, text string) { setTributes(d, wsfev1.Tributo{Id: 99, Desc: text, Importe: amount("1")}) },
		"Cuit of an asoc": func(d *detail, text string) {
			d.CbtesAsoc = adjusted(1, 1, func(int) int64 { return 1 })
			d.CbtesAsoc.CbteAsoc[0].Cuit = text
		},
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		set := members[name]
		all = append(all, hostile{"long " + name, usual, swollen(3, func(d *detail) { set(d, textMark) }, textMark, func(n int) string {
			return strings.Repeat("8", n)
		})})
	}
	return all
}
