package rules

import "github.com/fielato/fielato/wsfev1"

// idOnce is the Id of an item that may come but once. An Id that is none is rule
// 10053's; repeated references are rule 10190's.
func idOnce(o *wsfev1.Opcional) (id string, once bool) {
	switch o.Id {
	case opcionalReferencia, opcionalOwner, opcionalOwnerName, opcionalPoliza, opcionalEndoso:
		return "", false
	}
	return o.Id, wsfev1.IsOpcional(o.Id)
}

func opcionalesAreNotRepeated(c *invoiceCheck) {
	list := c.opcionales()
	eachRepeat(len(list), func(i int) (string, bool) { return idOnce(&list[i]) }, func(i int) {
		c.wrongItem(opcionalList, i, "Id", list[i].Id, "").Text = "El opcional " + list[i].Id + " está repetido: " + repeatable
	})
}

// repeatable names the Ids that may come more than once.
const repeatable = "solo pueden repetirse 23, 1801, 1802, 2901 y 2902"

// regulationOf names the regulation of an Id, where a voucher may follow only one of them; the
// three Ids of RG 2863 count as one. The others, as RG 3668 and industrial promotion, are not
// among those that the service names.
func regulationOf(id string) string {
	switch id {
	case "10", opcionalPayerDocTipo, opcionalPayerDocNro:
		return "RG 3368"
	case "11":
		return "RG 2820"
	case "12":
		return "RG 3687"
	case "13", "14", "15":
		return "RG 2863"
	case opcionalRental, opcionalOwner, opcionalOwnerName:
		return "RG 4004-E"
	}
	return ""
}

func opcionalesAreOfOneRegulation(c *invoiceCheck) {
	first := ""
	for i := range c.opcionales() {
		regulation := regulationOf(c.opcionales()[i].Id)
		switch {
		case regulation == "" || regulation == first:
		case first == "":
			first = regulation
		default:
			c.find(c.item(opcionalList, i, "Id")).Text = "Se informan opcionales de la " + first + " y de la " + regulation +
				": deje los de una sola"
			return
		}
	}
}

// goesWithEverything reports whether an Id is no datum of a regulation, or is placed by a
// rule of its own: 10169 for FCE, 10273 and 10275 for policies, 10053 for a text that is
// no Id.
func goesWithEverything(id string) bool {
	switch id {
	case opcionalReferencia, "2101", "2102", "22", "27", opcionalPoliza, opcionalEndoso:
		return true
	}
	return !wsfev1.IsOpcional(id)
}
