package rules

import (
	"slices"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// alquilerRules are about RG 4004-E, the renting of a dwelling: 17 is whether an agent
// invoices, 1801 and 1802 are CUIT and name of each owner. FECAEARegInformativo has its codes
// in another order than FECAESolicitar.
var alquilerRules = slices.Concat(
	[]rule{{
		codes: codes{cae.exc(10123)}, types: ofClass(wsfev1.ClassB, wsfev1.ClassC), with: withOpcionales, invoice: rentalGoesAlone,
		es: "Con los datos de la RG 4004-E solo se informan los opcionales 17, 1801 y 1802.",
		en: "Data of RG 4004-E come with an Opcional other than 17, 1801 and 1802.",
	}, {
		codes: codes{caea.exc(1517)}, types: ofClass(wsfev1.ClassB), from: rentalsInCAEA, with: withOpcionales, invoice: rentalGoesAlone,
		es: "Con los datos de la RG 4004-E solo se informan los opcionales 17, 1801 y 1802.",
		en: "Data of RG 4004-E come with an Opcional other than 17, 1801 and 1802.",
	}},
	rental(10124, 1518, rule{
		invoice: valorOf(opcionalRental, "1 o 2", func(valor string) bool { return valor == "1" || valor == "2" }),
		es:      "El opcional 17 debe ser 1, por intermediario, o 2, facturación directa.",
		en:      "Opcional 17 is not 1 or 2.",
	}),
	rental(10125, 1522, rule{
		invoice: valorOf(opcionalOwner, "11 dígitos", func(valor string) bool { return areDigits(valor, 11) }),
		es:      "La CUIT del locador (opcional 1801) debe tener 11 dígitos, sin guiones.",
		en:      "Opcional 1801, the CUIT of an owner, is not 11 digits.",
	}),
	rental(10126, 1523, rule{
		es: "La CUIT del locador (opcional 1801) no está registrada.",
		en: "The CUIT of an owner is not in the tax register.",
	}),
	rental(10127, 1520, rule{
		invoice: valorOf(opcionalOwnerName, "hasta 100 caracteres", func(valor string) bool { return isText(valor, 100) }),
		es:      "El nombre del locador (opcional 1802) lleva de 1 a 100 caracteres, no todos en blanco.",
		en:      "Opcional 1802, the name of an owner, is blank or longer than 100 characters.",
	}),
	rental(10128, 1519, rule{
		invoice: ownersAreNotRepeated,
		es:      "La CUIT del locador (opcional 1801) está repetida.",
		en:      "The CUIT of an owner is given more than once.",
	}),
	rental(10129, 1521, rule{
		invoice: agentNamesTheOwners,
		es:      "Un intermediario (opcional 17 con valor 1) debe informar CUIT (1801) y nombre (1802) de los locadores.",
		en:      "An agent, Opcional 17 with 1, gives no 1801 or no 1802.",
	}),
	rental(10130, 1525, rule{
		invoice: ownersHaveNames,
		es:      "Informe tantas CUIT (1801) como nombres (1802) de locadores.",
		en:      "There are not as many 1801 as 1802.",
	}),
	rental(10131, 1524, rule{
		invoice: ownersAreNotTheIssuer,
		es:      "La CUIT del locador (opcional 1801) es la del emisor: informe solo a los demás.",
		en:      "The CUIT of an owner is that of the issuer.",
	}),
	rental(10132, 1526, rule{
		invoice: ownersNeedARental,
		es:      "Los locadores (opcionales 1801 y 1802) se informan junto al opcional 17.",
		en:      "Opcional 1801 or 1802 is given without Opcional 17.",
	}),
)

// rentalsInCAEA is the first day on which rentals are reported under a CAEA.
const rentalsInCAEA wsfev1.Date = "20260601"

// rental makes the rules of one sentence about rentals in both operations.
func rental(inCAE, inCAEA int32, r rule) []rule {
	r.with = withOpcionales
	reported := r
	r.codes = codes{cae.exc(inCAE)}
	reported.codes, reported.from = codes{caea.exc(inCAEA)}, rentalsInCAEA
	return []rule{r, reported}
}

// The data of a rental.
const opcionalRental, opcionalOwner, opcionalOwnerName = "17", "1801", "1802"

// isOfRental reports whether an Id is one of RG 4004-E. Ids of another regulation that excludes
// others break 10123 and 10112 alike.
func isOfRental(id string) bool {
	return id == opcionalRental || id == opcionalOwner || id == opcionalOwnerName
}

func rentalGoesAlone(c *invoiceCheck) {
	for i := range c.opcionales() {
		if isOfRental(c.opcionales()[i].Id) {
			c.othersAreNot(isOfRental, "17, 1801 o 1802")
			return
		}
	}
}

// givesOwner reports whether an item is the CUIT of an owner. A text that is no CUIT
// is rule 10125's.
func givesOwner(o *wsfev1.Opcional) bool { return o.Id == opcionalOwner && areDigits(o.Valor, 11) }

func ownersAreNotRepeated(c *invoiceCheck) {
	list := c.opcionales()
	eachRepeat(len(list), func(i int) (string, bool) { return list[i].Valor, givesOwner(&list[i]) }, func(i int) {
		c.wrongItem(opcionalList, i, "Valor", list[i].Valor, "")
	})
}

// lacksOwners reports whether an agent invoices without a CUIT or a name of the owners.
func (c *invoiceCheck) lacksOwners() bool {
	if kind, _ := c.opcional(opcionalRental); kind != "1" {
		return false
	}
	_, cuit := c.opcional(opcionalOwner)
	_, name := c.opcional(opcionalOwnerName)
	return !cuit || !name
}

func agentNamesTheOwners(c *invoiceCheck) {
	if c.lacksOwners() {
		f := c.find(c.pointer(opcionalList))
		f.Expected = "los opcionales 1801 y 1802"
		f.Text = "El opcional 17 es 1, por intermediario: informe CUIT (1801) y nombre (1802) de cada locador"
	}
}

// ownersHaveNames leaves an agent without either to rule 10129.
func ownersHaveNames(c *invoiceCheck) {
	if cuits, names := c.countOpcional(opcionalOwner), c.countOpcional(opcionalOwnerName); cuits != names && !c.lacksOwners() {
		f := c.find(c.pointer(opcionalList))
		f.Text = "Se informaron " + strconv.Itoa(cuits) + " CUIT (1801) y " + count(names, "nombre", "nombres") + " (1802) de locadores: van de a pares"
	}
}

func ownersAreNotTheIssuer(c *invoiceCheck) {
	for i := range c.opcionales() {
		o := &c.opcionales()[i]
		if !givesOwner(o) {
			continue
		}
		if n, err := strconv.ParseInt(o.Valor, 10, 64); err == nil && wsfev1.CUIT(n) == c.Issuer {
			c.wrongItem(opcionalList, i, "Valor", o.Valor, "")
		}
	}
}

// ownersNeedARental leaves an Opcional 17 that is neither 1 nor 2 to rule 10124.
func ownersNeedARental(c *invoiceCheck) {
	if _, sent := c.opcional(opcionalRental); !sent {
		c.opcionalIsNotFor(opcionalOwner, opcionalOwnerName)
	}
}
