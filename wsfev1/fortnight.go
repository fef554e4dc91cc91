package wsfev1

// Fortnight is the half of a month for which an advance code is given, from its
// first day to its last (docs/sources.md#caea).
type Fortnight struct{ From, To Date }

// caeaLead is how many days before a fortnight its code may be asked for.
const caeaLead = 5

// IsPeriodo reports whether a number is a month written yyyymm.
func IsPeriodo(periodo int32) bool {
	year, month := periodo/100, periodo%100
	return year >= 1000 && year <= 9999 && month >= 1 && month <= 12
}

// IsOrden reports whether a number names a half of a month: 1 its first 15 days,
// 2 the others.
func IsOrden(orden int16) bool { return orden == 1 || orden == 2 }

// FortnightOf returns a fortnight, and whether there is one that is so named.
func FortnightOf(periodo int32, orden int16) (Fortnight, bool) {
	if !IsPeriodo(periodo) || !IsOrden(orden) {
		return Fortnight{}, false
	}
	year, month := int(periodo/100), int(periodo%100)
	if orden == 1 {
		return Fortnight{dateText(year, month, 1), dateText(year, month, 15)}, true
	}
	return Fortnight{dateText(year, month, 16), dateText(year, month, daysIn(year, month))}, true
}

// Opens returns the first day on which the code of the fortnight may be asked for;
// the last one is its own last day.
func (f Fortnight) Opens() Date { return f.From.AddDays(-caeaLead) }
