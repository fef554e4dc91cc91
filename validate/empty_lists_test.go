package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1/soap"
)

// emptyLists are the lists of an invoice, what else is changed so that the list matters, and the
// codes that refuse it empty in each operation.
var emptyLists = []struct {
	list, item string
	changes    []string
	cae, caea  string
	// needed: the amounts ask for the list, so that it is refused where it is left out too.
	needed bool
}{
	{list: "Iva", item: "AlicIva", needed: true, cae: "10018 10070", caea: "715 1427"},
	{list: "Iva", item: "AlicIva", changes: []string{"ImpIVA=0", "ImpTotal=100"}, needed: true, cae: "10018 10070", caea: "715 1427"},
	{list: "Iva", item: "AlicIva", changes: []string{"ImpIVA=0", "ImpNeto=0", "ImpOpEx=121"}, cae: "10018", caea: "715"},
	{list: "Tributos", item: "Tributo", cae: "10024", caea: "1423"},
	{list: "Tributos", item: "Tributo", changes: []string{"ImpTrib=1", "ImpTotal=122"}, needed: true, cae: "10024", caea: "1423"},
	{list: "CbtesAsoc", item: "CbteAsoc", cae: "10062", caea: "800"},
	{list: "CbtesAsoc", item: "CbteAsoc", changes: []string{"#CbteTipo=8"}, cae: "10062", caea: "800"},
	{list: "Opcionales", item: "Opcional", cae: "10052", caea: "1103"},
	{list: "Actividades", item: "Actividad", cae: "10218", caea: "16000"},
	{list: "Compradores", item: "Comprador", changes: []string{"DocTipo=80", "DocNro=30500010912", "CondicionIVAReceptorId=4"}, cae: "10133", caea: "1432"},
}

// TestAnEmptyListCountsAsSent in every form in which it may be written, and one that is null does not.
func TestAnEmptyListCountsAsSent(t *testing.T) {
	judge := newRules(t)
	for _, test := range emptyLists {
		for _, operation := range []struct{ template, codes string }{{"factura-b", test.cae}, {"caea-factura-b", test.caea}} {
			where := fmt.Sprintf("%s of %s %v", test.list, operation.template, test.changes)
			codes := func(req *validate.Request) string {
				var found []string
				for _, f := range judge.Judge(req, validatetest.Noon) {
					if f.Action == validate.ActionRefuse || f.Code == "1427" {
						found = append(found, f.Code)
					}
				}
				return strings.Join(slices.Compact(found), " ")
			}
			var absent string
			for _, form := range []string{"null", "{}", `{"` + test.item + `":[]}`, `{"` + test.item + `":null}`} {
				name, body := validatetest.Changed(t, where, operation.template, append(slices.Clone(test.changes), test.list+"="+form))
				op := validatetest.Operation(t, name)
				req, shape := validate.Decode(op, body, validate.ARCA)
				if len(shape) > 0 {
					t.Fatalf("%s: %v", where, validatetest.Brief(shape))
				}
				got := codes(req)
				if form == "null" {
					absent = got
				} else if got != operation.codes {
					t.Errorf("%s as %s: %q, want %q", where, form, got, operation.codes)
				}
				for _, version := range []soap.Version{soap.V11, soap.V12} {
					wire, err := soap.AppendRequest(nil, version, op, req.Body)
					if err != nil {
						t.Fatal(err)
					}
					for _, spelling := range spellings(string(wire), test.list) {
						read, shape := decodeSOAP(t, op, []byte(spelling))
						if found := codes(read); len(shape) > 0 || found != got {
							t.Errorf("%s as %s, in SOAP: %v %q, want %q in %s", where, form, validatetest.Brief(shape), found, got, spelling)
						}
					}
				}
			}
			if absent == operation.codes && !test.needed {
				t.Errorf("%s: null is refused as an empty list is: %q", where, absent)
			}
		}
	}
}

// spellings are other ways to write an empty element of a message.
func spellings(message, list string) []string {
	all := []string{message}
	for _, empty := range []string{"<" + list + "></" + list + ">", "<" + list + "/>"} {
		if strings.Contains(message, empty) {
			for _, other := range []string{"<" + list + "/>", "<" + list + "></" + list + ">", "<" + list + "> \n </" + list + ">", "<" + list + "><!-- none --></" + list + ">"} {
				all = append(all, strings.Replace(message, empty, other, 1))
			}
		}
	}
	return all
}
