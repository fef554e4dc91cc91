package learned

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// builtIn is a built-in table: its rows, and a test for the accepted codes, which may be more.
type builtIn struct {
	rows  []string
	knows func(code string) bool
}

// builtInCodes are the built-in tables that requests are held against, by the operation that asks
// for them.
var builtInCodes = func() map[string]builtIn {
	t := wsfev1.Tables()
	numbered := func(rows []string, has func(int32) bool) builtIn {
		return builtIn{rows, func(code string) bool {
			n, err := strconv.ParseInt(code, 10, 32)
			return err == nil && has(int32(n))
		}}
	}
	return map[string]builtIn{
		rules.TiposCbte:     numbered(numbersOf(t.Cbte), func(id int32) bool { return wsfev1.ClassOf(id) != "" }),
		rules.TiposConcepto: numbered(numbersOf(t.Concepto), func(id int32) bool { return id >= 1 && id <= 3 }),
		rules.TiposDoc:      numbered(numbersOf(t.Doc), wsfev1.IsDocTipo),
		rules.TiposTributos: numbered(numbersOf(t.Tributo), func(id int32) bool { return id == int32(int16(id)) && wsfev1.IsTributo(int16(id)) }),
		rules.TiposIva:      numbered(codesOf(t.Iva), func(id int32) bool { _, known := wsfev1.IvaRate(id); return known }),
		rules.TiposMonedas:  {codesOf(t.Moneda), wsfev1.IsMoneda},
		rules.TiposOpcional: {codesOf(t.Opcional), wsfev1.IsOpcional},
		rules.TiposPaises: numbered(idsOf(t.Pais, func(r wsfev1.PaisTipo) string { return strconv.Itoa(int(r.Id)) }),
			wsfev1.IsPais),
		rules.CondicionesIVA: numbered(idsOf(t.CondicionIvaReceptor, func(r wsfev1.CondicionIvaReceptor) string { return strconv.Itoa(int(r.Id)) }),
			wsfev1.IsCondicionIVAReceptor),
	}
}()

func idsOf[Row any](rows []Row, id func(Row) string) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = id(row)
	}
	return ids
}

func numbersOf(rows []wsfev1.TipoRow) []string {
	return idsOf(rows, func(r wsfev1.TipoRow) string { return strconv.Itoa(int(r.Id)) })
}

func codesOf(rows []wsfev1.CodigoRow) []string {
	return idsOf(rows, func(r wsfev1.CodigoRow) string { return r.Id })
}

// listedIn returns the codes of an answer about a table, nil for one without.
func listedIn(asked, typed any) *listedCodes {
	var codes, classes []string
	partial := false
	switch answer := typed.(type) {
	case *wsfev1.FEParamGetTiposCbteAnswer:
		if answer.ResultGet != nil {
			codes = numbersOf(answer.ResultGet.CbteTipo)
		}
	case *wsfev1.FEParamGetTiposConceptoAnswer:
		if answer.ResultGet != nil {
			codes = numbersOf(answer.ResultGet.ConceptoTipo)
		}
	case *wsfev1.FEParamGetTiposDocAnswer:
		if answer.ResultGet != nil {
			codes = numbersOf(answer.ResultGet.DocTipo)
		}
	case *wsfev1.FEParamGetTiposTributosAnswer:
		if answer.ResultGet != nil {
			codes = numbersOf(answer.ResultGet.TributoTipo)
		}
	case *wsfev1.FEParamGetTiposIvaAnswer:
		if answer.ResultGet != nil {
			codes = codesOf(answer.ResultGet.IvaTipo)
		}
	case *wsfev1.FEParamGetTiposMonedasAnswer:
		if answer.ResultGet != nil {
			codes = codesOf(answer.ResultGet.Moneda)
		}
	case *wsfev1.FEParamGetTiposOpcionalAnswer:
		if answer.ResultGet != nil {
			codes = codesOf(answer.ResultGet.OpcionalTipo)
		}
	case *wsfev1.FEParamGetTiposPaisesAnswer:
		if answer.ResultGet != nil {
			codes = idsOf(answer.ResultGet.PaisTipo, func(r wsfev1.PaisTipo) string { return strconv.Itoa(int(r.Id)) })
		}
	case *wsfev1.FEParamGetCondicionIvaReceptorAnswer:
		if answer.ResultGet != nil {
			codes, classes = conditionsOf(answer.ResultGet.CondicionIvaReceptor)
		}
		request, ok := asked.(*wsfev1.FEParamGetCondicionIvaReceptorRequest)
		partial = ok && request.ClaseCmp != ""
	}
	if len(codes) == 0 {
		return nil
	}
	return &listedCodes{setOf(codes), setOf(classes), partial}
}

// conditionsOf returns the conditions of receivers, alone and with each of their classes.
func conditionsOf(rows []wsfev1.CondicionIvaReceptor) (codes, classes []string) {
	for _, row := range rows {
		codes = append(codes, strconv.Itoa(int(row.Id)))
		for class := range strings.SplitSeq(row.Cmp_Clase, "/") {
			if class == "M" { // the name of the class until 2025
				class = string(wsfev1.ClassALEY)
			}
			if slices.Contains([]wsfev1.Class{wsfev1.ClassA, wsfev1.ClassB, wsfev1.ClassC, wsfev1.ClassALEY, wsfev1.Class49}, wsfev1.Class(class)) {
				classes = append(classes, inClass(row.Id, class))
			}
		}
	}
	return codes, classes
}

// setOf returns the set of codes, so many at most. A code is short: a longer one is none.
func setOf(codes []string) map[string]struct{} {
	set := make(map[string]struct{}, min(len(codes), maxListed))
	for _, code := range codes {
		if code = strings.TrimSpace(code); code != "" && len(code) <= 16 && len(set) < maxListed {
			set[code] = struct{}{}
		}
	}
	return set
}
