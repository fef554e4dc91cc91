package rules

import "github.com/fielato/fielato/wsfev1"

// Tables are the service's own tables as far as they are at hand: its newest answers, from a cache.
// What they list is not refused for being unknown, whatever the built-in tables say. They must be
// safe for concurrent use and must not ask the service.
type Tables interface {
	// Lists reports whether an answer to an operation such as FEParamGetTiposCbte has an identifier,
	// written without leading zeros unless it is a text.
	Lists(operation, id string) bool
	// Admits reports whether an answer to FEParamGetCondicionIvaReceptor has a condition for a class.
	Admits(class wsfev1.Class, condition int32) bool
}

// The operations whose tables have identifiers of requests.
const (
	TiposCbte       = "FEParamGetTiposCbte"
	TiposConcepto   = "FEParamGetTiposConcepto"
	TiposDoc        = "FEParamGetTiposDoc"
	TiposIva        = "FEParamGetTiposIva"
	TiposMonedas    = "FEParamGetTiposMonedas"
	TiposOpcional   = "FEParamGetTiposOpcional"
	TiposTributos   = "FEParamGetTiposTributos"
	TiposPaises     = "FEParamGetTiposPaises"
	CondicionesIVA  = "FEParamGetCondicionIvaReceptor"
	maxListedLength = 16 // of an identifier: longer ones are nobody's
)

// listed reports whether a table that is at hand has an identifier. It is asked after the built-in
// table, which answers for almost all of them.
func (r *report) listed(operation, id string) bool {
	tables := r.rules.settings.Tables
	return tables != nil && len(id) <= maxListedLength && r.admit(tables.Lists(operation, id))
}

// admit notes that a table has admitted something.
func (r *report) admit(listed bool) bool {
	r.admitted = r.admitted || listed
	return listed
}

func (r *report) isIssuable(cbteTipo int32) bool {
	return issuable(cbteTipo) || r.listed(TiposCbte, number(cbteTipo))
}

func (r *report) isConcepto(id int32) bool {
	return isConcepto(id) || r.listed(TiposConcepto, number(id))
}

func (r *report) isDocTipo(id int32) bool {
	return wsfev1.IsDocTipo(id) || r.listed(TiposDoc, number(id))
}

func (r *report) isMoneda(id string) bool { return wsfev1.IsMoneda(id) || r.listed(TiposMonedas, id) }

func (r *report) isTributo(id int16) bool {
	return wsfev1.IsTributo(id) || r.listed(TiposTributos, number(id))
}

func (r *report) isOpcional(id string) bool {
	return wsfev1.IsOpcional(id) || r.listed(TiposOpcional, id)
}

func (r *report) isPais(id int32) bool { return wsfev1.IsPais(id) || r.listed(TiposPaises, number(id)) }

func (r *report) isIva(id int32) bool {
	_, known := wsfev1.IvaRate(id)
	return known || r.listed(TiposIva, number(id))
}

func (r *report) isCondition(id int32) bool {
	return wsfev1.IsCondicionIVAReceptor(id) || r.listed(CondicionesIVA, number(id))
}

func (r *report) admitsCondition(class wsfev1.Class, id int32) bool {
	if wsfev1.AdmitsCondicionIVAReceptor(class, id) {
		return true
	}
	tables := r.rules.settings.Tables
	return tables != nil && r.admit(tables.Admits(class, id))
}
