package rules_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// listedTables are tables of the service that are at hand, written FEParamGetTiposCbte/99,…; the
// conditions of receivers with their classes: FEParamGetCondicionIvaReceptor/17/A.
type listedTables string

func (t listedTables) Lists(operation, id string) bool {
	return slices.ContainsFunc(strings.Split(string(t), ","), func(entry string) bool {
		return entry == operation+"/"+id || strings.HasPrefix(entry, operation+"/"+id+"/")
	})
}

func (t listedTables) Admits(class wsfev1.Class, condition int32) bool {
	return t.Lists("FEParamGetCondicionIvaReceptor", strconv.Itoa(int(condition))+"/"+string(class))
}

// TestWhatTheServiceListsIsNotRefused for being unknown: each code that is held against a table,
// refused without the table at hand and passed with it.
func TestWhatTheServiceListsIsNotRefused(t *testing.T) {
	for _, c := range []struct{ template, change, lists, code string }{
		{"factura-b", "#CbteTipo=99", "FEParamGetTiposCbte/99", "10007"},
		{"caea-factura-b", "#CbteTipo=99", "FEParamGetTiposCbte/99", "700"},
		{"ultimo", "/CbteTipo=99", "FEParamGetTiposCbte/99", "11001"},
		{"consulta", "/FeCompConsReq/CbteTipo=99", "FEParamGetTiposCbte/99", "10201"},
		{"factura-b", "Concepto=4", "FEParamGetTiposConcepto/4", "10030"},
		{"caea-factura-b", "Concepto=4", "FEParamGetTiposConcepto/4", "713"},
		{"factura-b", "DocTipo=77", "FEParamGetTiposDoc/77", "10015"},
		{"factura-c", "DocTipo=30", "FEParamGetTiposDoc/30", "10015"},
		{"caea-factura-b", "DocTipo=77 DocNro=5", "FEParamGetTiposDoc/77", "1404"},
		{"factura-b", "MonId=XYZ", "FEParamGetTiposMonedas/XYZ", "10037"},
		{"caea-factura-b", "MonId=XYZ", "FEParamGetTiposMonedas/XYZ", "1401"},
		{"cotizacion", "/MonId=XYZ", "FEParamGetTiposMonedas/XYZ", "12000"},
		{"factura-b", "Iva/AlicIva/0/Id=10", "FEParamGetTiposIva/10", "10019"},
		{"caea-factura-b", "Iva/AlicIva/0/Id=10", "FEParamGetTiposIva/10", "1000"},
		{"tributos-a", "Tributos/Tributo/0/Id=20", "FEParamGetTiposTributos/20", "10025"},
		{"caea-tributos-a", "Tributos/Tributo/0/Id=20", "FEParamGetTiposTributos/20", "900"},
		{"factura-b", `Opcionales={"Opcional":[{"Id":"77","Valor":"1"}]}`, "FEParamGetTiposOpcional/77", "10053"},
		{"caea-factura-b", `Opcionales={"Opcional":[{"Id":"77","Valor":"1"}]}`, "FEParamGetTiposOpcional/77", "1100"},
		{"factura-a", `Opcionales={"Opcional":[{"Id":"61","Valor":"77"}]}`, "FEParamGetTiposDoc/77", "10091"},
		{"caea-factura-a", `Opcionales={"Opcional":[{"Id":"61","Valor":"77"}]}`, "FEParamGetTiposDoc/77", "1509"},
		{"factura-b", `Opcionales={"Opcional":[{"Id":"10","Valor":"1"},{"Id":"1011","Valor":"77"},{"Id":"1012","Valor":"5"}]}`, "FEParamGetTiposDoc/77", "10098"},
		{"usados", `DocTipo=94 Opcionales={"Opcional":[{"Id":"91","Valor":"A"},{"Id":"92","Valor":"999"},{"Id":"93","Valor":"B"}]}`, "FEParamGetTiposPaises/999", "10080"},
		{"factura-b", "CondicionIVAReceptorId=17", "FEParamGetCondicionIvaReceptor/17/B", "10242"},
		{"caea-factura-b", "CondicionIVAReceptorId=17", "FEParamGetCondicionIvaReceptor/17/B", "823"},
		{"factura-b", "CondicionIVAReceptorId=1", "FEParamGetCondicionIvaReceptor/1/B", "10243"},
		{"caea-factura-b", "CondicionIVAReceptorId=1", "FEParamGetCondicionIvaReceptor/1/B", "824"},
	} {
		changes := strings.Fields(c.change)
		for i, change := range changes {
			if name, value, ok := strings.Cut(change, "MonId="); ok {
				changes[i] = name + `MonId="` + value + `"`
			}
		}
		operation, body := validatetest.Changed(t, c.change, c.template, changes)
		for tables, want := range map[string]bool{"": true, c.lists: false, "another" + c.lists: true} {
			found := judgeBody(t, c.change, operation, body, rules.Settings{Tables: listedTables(tables)}, validatetest.Noon)
			if got := slices.Contains(codesOf(found), c.code); got != want {
				t.Errorf("%s %s with %q: found %v, want %s: %t", c.template, c.change, tables, codesOf(found), c.code, want)
			}
			if !want && validate.Refuses(found) {
				t.Errorf("%s %s with %q is refused for another reason: %v", c.template, c.change, tables, lines(found))
			}
		}
	}
}
