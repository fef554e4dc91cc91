package wsfev1

import "github.com/fielato/fielato/internal/idset"

// The look-ups answer whether the service knows an identifier. They are built
// once from the reference tables and from the identifiers that the service
// accepts although the last dump of its tables, of February 2026, does not list
// them. Those are not among the rows of Tables: their texts are not known.
var (
	docTipos   = idset.OfRows(reference.Doc, func(r TipoRow) int32 { return r.Id }).With(30, 31)
	tributos   = idset.OfRows(reference.Tributo, func(r TipoRow) int32 { return r.Id })
	paises     = idset.OfRows(reference.Pais, func(r PaisTipo) int32 { return r.Id })
	opcionales = idset.OfRows(reference.Opcional, opcionalNumber).With(2901, 2902)
	monedas    = monedasOf(reference.Moneda)

	condiciones = idset.OfRows(reference.CondicionIvaReceptor, func(r CondicionIvaReceptor) int32 { return r.Id })
	// condicionesByClass is the matrix of docs/sources.md#iva-condition.
	condicionesByClass = conditionsByClass(&reference)
)

// ivaRates are the rates in percent by AlicIva.Id (docs/sources.md#tables). The others
// are amounts that were not sent.
var ivaRates = [...]Amount{
	3: MustAmount("0"), 4: MustAmount("10.5"), 5: MustAmount("21"),
	6: MustAmount("27"), 8: MustAmount("5"), 9: MustAmount("2.5"),
}

// IsDocTipo reports whether DocTipo is known (docs/sources.md#tables). Known are also 31
// (Fondo Común de Inversiones), which the service has since 2026-07-02, and 30
// (certificado de migración), which is for type 49 alone (docs/sources.md#receiver): the date
// of the one and the type of the other are for the rules to check.
func IsDocTipo(id int32) bool { return docTipos.Has(id) }

// IsMoneda reports whether MonId is known (docs/sources.md#tables). Identifiers have
// three characters and keep their leading zeros; case counts.
func IsMoneda(id string) bool {
	_, ok := monedas[id]
	return ok
}

// IsTributo reports whether Tributo.Id is known (docs/sources.md#tables).
func IsTributo(id int16) bool { return tributos.Has(int32(id)) }

// IsOpcional reports whether Opcional.Id is known (docs/sources.md#tables). Known are also
// 2901 and 2902, which the service has since 2026-09-01: the date is for the
// rules to check. An identifier with a leading zero is not known.
func IsOpcional(id string) bool {
	n, ok := smallNumber(id)
	return ok && opcionales.Has(n)
}

// IsPais reports whether the country is in the table (docs/sources.md#tables).
func IsPais(id int32) bool { return paises.Has(id) }

// IvaRate returns the rate of AlicIva.Id in percent, 10.5 for 10.5 %, and whether
// the Id is known (docs/sources.md#tables).
func IvaRate(id int32) (percent Amount, known bool) {
	if id < 0 || int(id) >= len(ivaRates) {
		return Amount{}, false
	}
	percent = ivaRates[id]
	return percent, percent.Sent()
}

// IsCondicionIVAReceptor reports whether CondicionIVAReceptorId is known
// (docs/sources.md#tables).
func IsCondicionIVAReceptor(id int32) bool { return condiciones.Has(id) }

// AdmitsCondicionIVAReceptor reports whether vouchers of a class may name a
// receiver of this IVA condition (docs/sources.md#iva-condition). Classes A and ALEY admit the
// same; a class that is none of the five admits nothing.
func AdmitsCondicionIVAReceptor(class Class, id int32) bool {
	if i := classIndex(class); i >= 0 {
		return condicionesByClass[i].Has(id)
	}
	return false
}

// classIndex numbers the classes; a switch costs less than a map here.
func classIndex(class Class) int {
	switch class {
	case ClassA:
		return 0
	case ClassB:
		return 1
	case ClassC:
		return 2
	case ClassALEY:
		return 3
	case Class49:
		return 4
	}
	return -1
}

func conditionsByClass(t *ReferenceTables) (matrix [5]idset.Set) {
	for i, row := range t.CondicionIvaReceptor {
		for _, class := range t.conditionClasses[i] {
			c := classIndex(class)
			if c < 0 {
				panic("wsfev1: table condicion: no class " + string(class))
			}
			matrix[c] = matrix[c].With(row.Id)
		}
	}
	return matrix
}

func monedasOf(rows []CodigoRow) map[string]struct{} {
	m := make(map[string]struct{}, len(rows))
	for _, row := range rows {
		m[row.Id] = struct{}{}
	}
	return m
}

func opcionalNumber(row CodigoRow) int32 {
	n, ok := smallNumber(row.Id)
	if !ok {
		panic("wsfev1: table opcional: identifier " + row.Id)
	}
	return n
}

// smallNumber reads a number of one to four digits without a leading zero: the
// one spelling of an identifier.
func smallNumber(text string) (int32, bool) {
	if len(text) > 4 || text == "" || text[0] == '0' {
		return 0, false
	}
	n, ok := digits(text, len(text))
	return int32(n), ok
}
