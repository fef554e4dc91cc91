package rules_test

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// opcionales makes a list of pairs of Id and Valor.
func opcionales(pairs ...string) *wsfev1.Opcionales {
	o := &wsfev1.Opcionales{Opcional: []wsfev1.Opcional{}}
	for i := 0; i < len(pairs); i += 2 {
		o.Opcional = append(o.Opcional, wsfev1.Opcional{Id: pairs[i], Valor: pairs[i+1]})
	}
	return o
}

func hasOpcional(d *wsfev1.FECAEADetRequest, id, valor string) bool {
	return d.Opcionales != nil && slices.Contains(d.Opcionales.Opcional, wsfev1.Opcional{Id: id, Valor: valor})
}

// drawOptionalData draws Opcionales: the mandatory ones, and at times the data of one
// regulation that the type may have (docs/sources.md#opcionales).
func (g *generator) drawOptionalData(d *wsfev1.FECAEADetRequest) {
	switch {
	case g.cbteTipo == 49:
		d.Opcionales = g.usedGoods(d)
		return
	case wsfev1.IsFCE(g.cbteTipo) && !wsfev1.IsNote(g.cbteTipo):
		d.Opcionales = opcionales("2101", g.text("CBU", `[0-9]{22}`), "27", pick(g, "27", "SCA", "ADC"))
		if g.between("alias", 0, 1) == 1 {
			d.Opcionales.Opcional = append(d.Opcionales.Opcional, wsfev1.Opcional{Id: "2102", Valor: g.text("alias", `[A-Za-z0-9]{6,20}`)})
		}
	}
	if wsfev1.IsFCE(g.cbteTipo) {
		if g.between("reference", 0, 2) == 0 {
			d.Opcionales.Opcional = append(d.Opcionales.Opcional, g.tradeReferences().Opcional...)
		}
		return
	}
	kinds := g.kindsOfOptionalData()
	if len(kinds) > 0 && g.has(optional, "optional", 2) {
		d.Opcionales = pick(g, "kind of Opcionales", kinds...)()
	}
}

// kindsOfOptionalData are the regulations that the type may follow, each with how
// its data are drawn.
func (g *generator) kindsOfOptionalData() []func() *wsfev1.Opcionales {
	carriers := []int32{1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 15, 51, 52, 53, 54}
	if g.request.caea {
		carriers = []int32{1, 2, 3, 4, 6, 7, 8}
	}
	if g.since("20260601") {
		carriers = append(carriers, 63, 64)
	}
	if !slices.Contains(carriers, g.cbteTipo) {
		return nil
	}
	kinds := []func() *wsfev1.Opcionales{g.tradeReferences}
	if slices.Contains([]int32{1, 2, 3, 6, 7, 8}, g.cbteTipo) {
		kinds = append(kinds, func() *wsfev1.Opcionales { return opcionales("2", g.text("project", `[0-9]{8}`)) })
		if g.since("20260901") && !g.request.caea {
			kinds = append(kinds, g.surety)
		}
	}
	if g.class == wsfev1.ClassA {
		kinds = append(kinds, g.signer)
	}
	rental := g.class == wsfev1.ClassB || g.class == wsfev1.ClassC
	if g.request.caea {
		rental = g.class == wsfev1.ClassB && g.since("20260601")
	}
	if rental {
		kinds = append(kinds, g.rental)
	}
	if !g.request.caea {
		kinds = append(kinds, g.schools, g.marks)
	}
	return kinds
}

// tradeReferences draws opcional 23, which may appear with several values.
func (g *generator) tradeReferences() *wsfev1.Opcionales {
	o := opcionales("23", g.text("23", `[A-Za-z0-9]{1,48}`))
	if g.between("two references", 0, 1) == 1 {
		o.Opcional = append(o.Opcional, wsfev1.Opcional{Id: "23", Valor: o.Opcional[0].Valor + "Z9"})
	}
	return o
}

func (g *generator) surety() *wsfev1.Opcionales {
	o := opcionales()
	for i := range g.between("policies", 1, 3) {
		number := g.text("policy", `[A-Z0-9]{1,28}`) + string(rune('0'+i))
		o.Opcional = append(o.Opcional, wsfev1.Opcional{Id: "2901", Valor: number}, wsfev1.Opcional{Id: "2902", Valor: number + "E"})
	}
	return o
}

// signer draws the data of RG 3668.
func (g *generator) signer() *wsfev1.Opcionales {
	o := opcionales("5", g.text("5", `0[1-6]`), "61", pick(g, "61", "80", "86", "96"), "62", "", "7", g.text("7", `0[1-4]`))
	o.Opcional[2].Valor = g.text("62", `[1-9][0-9]{6,7}`)
	if o.Opcional[1].Valor != "96" {
		o.Opcional[2].Valor = g.cuit("62", 20, 27).String()
	}
	return o
}

// schools draws the data of RG 3368. With mark 1 the payer is given.
func (g *generator) schools() *wsfev1.Opcionales {
	switch g.between("school", 0, 2) {
	case 0:
		return opcionales("10", "0")
	case 1:
		return opcionales("10", "1", "1011", "80", "1012", g.cuit("1012", 20, 27).String())
	}
	return opcionales("10", "1", "1011", "96", "1012", g.text("1012", `[1-9][0-9]{6,7}`))
}

// marks draws the regulations that are a mark and no more; three of them are one.
func (g *generator) marks() *wsfev1.Opcionales {
	mark := func(id string) []string { return []string{id, pick(g, "mark "+id, "0", "1")} }
	switch g.between("marks", 0, 2) {
	case 0:
		return opcionales(mark("11")...)
	case 1:
		return opcionales(mark("12")...)
	}
	return opcionales(slices.Concat(mark("13"), mark("14"), mark("15"))...)
}

// rental draws the data of RG 4004-E: with an intermediary there are owners, else
// there may be.
func (g *generator) rental() *wsfev1.Opcionales {
	mark := pick(g, "17", "1", "2")
	o := opcionales("17", mark)
	owners := g.between("owners", 0, 3)
	if mark == "1" {
		owners = max(owners, 1)
	}
	seen := map[int64]bool{}
	for range owners {
		owner := g.receiver("1801", 20, 27, 30)
		for seen[owner] {
			owner = g.receiver("1801", 20, 27, 30)
		}
		seen[owner] = true
		o.Opcional = append(o.Opcional, wsfev1.Opcional{Id: "1801", Valor: wsfev1.CUIT(owner).String()},
			wsfev1.Opcional{Id: "1802", Valor: g.text("1802", `[A-Z][a-zñ ]{1,60}`)})
	}
	return o
}

// usedGoods draws the seller's data for a purchase of used goods, including a country if
// the document is a foreign one.
func (g *generator) usedGoods(d *wsfev1.FECAEADetRequest) *wsfev1.Opcionales {
	o := opcionales("91", g.text("91", `[A-Z][a-zñ ]{1,90}`), "93", g.text("93", `[A-Z][a-zñ 0-9]{1,90}`))
	if slices.Contains([]int32{30, 91, 94}, d.DocTipo) {
		o.Opcional = append(o.Opcional, wsfev1.Opcional{Id: "92", Valor: pick(g, "92", "200", "203", "438", "101", "998")})
	}
	return o
}
