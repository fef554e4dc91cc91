package mask_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/console/mask"
)

// TestTheSignersDocumentIsHidden: Opcional 62 has it. The other values stay.
func TestTheSignersDocumentIsHidden(t *testing.T) {
	for _, body := range []string{
		`{"Opcionales":{"Opcional":[{"Id":"2101","Valor":"2850590940090418135201"},{"Id":"62","Valor":"20222222223"},{"Id":"7","Valor":"01"}]},"Msg":"20-22222222-3"}`,
		`{"Opcionales":{"Opcional":[{"Valor":"2850590940090418135201","Id":"2101"},{"Valor":"20222222223","Id":62}]}}`,
	} {
		m := mask.New(20111111112)
		m.Collect([]byte(body))
		shown, ok := m.JSON([]byte(body))
		if !ok || string(shown) != strings.NewReplacer("20222222223", mask.Hidden, "20-22222222-3", mask.Hidden).Replace(body) {
			t.Errorf("%v %s", ok, shown)
		}
	}
	const message = `<a><Opcional><Id>2101</Id><Valor>2850590940090418135201</Valor></Opcional><Opcional><Valor>20222222223</Valor><Id>62</Id></Opcional></a>`
	m := mask.New(20111111112)
	m.CollectXML([]byte(message), "")
	if shown, ok := m.XML([]byte(message), ""); !ok || shown != strings.Replace(message, "20222222223", mask.Hidden, 1) {
		t.Errorf("%v %s", ok, shown)
	}
}
