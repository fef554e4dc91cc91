package spanish

import (
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// TestCodesHaveWords that a person uses, and none where the table has none.
func TestCodesHaveWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Concept(1), "Productos"},
		{Concept(3), "Productos y servicios"},
		{Concept(9), ""},
		{DocumentType(80), "CUIT"},
		{DocumentType(55), ""},
		{VAT(5), "IVA 21 %"},
		{VAT(4), "IVA 10,5 %"},
		{VAT(1), ""},
		{Tribute(99), "Otro"},
		{Tribute(500), ""},
		{Currency("PES"), "Pesos Argentinos"},
		{Currency("XYZ"), ""},
		{Optional("5"), "Excepcion computo IVA Credito Fiscal"},
		{Optional("x"), ""},
		{Month(202611), "noviembre de 2026"},
		{Month(202613), ""},
		{Month(0), ""},
		{Percent(wsfev1.MustAmount("3.50")), "3,5 %"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
