package validate_test

import (
	"fmt"

	"github.com/fielato/fielato/validate"
)

// Decode finds all that is wrong with the shape of a body at once, each with its place.
func ExampleDecode() {
	body := `{"Auth": {"Token": "token", "Sign": "sign", "cuit": 20267565393}, "PtoVta": "1", "CbteTipo": 6, "Nro": 7}`
	_, findings := validate.Decode(validate.ARCA.Operation("FECompUltimoAutorizado"), []byte(body), validate.ARCA)
	for _, f := range findings {
		fmt.Println(f.Code, f.Pointer, f.Explanation())
	}
	// Output:
	// shape.case /Auth/cuit El campo se escribe Cuit: los nombres distinguen mayúsculas y minúsculas
	// shape.kind /PtoVta PtoVta debe ser un número entero sin comillas: 1, no "1"
	// shape.unknown /Nro El campo no existe en el contrato: quítelo, o corrija su nombre.
}

// An operation that does not exist is a finding too.
func ExampleRefuses() {
	_, findings := validate.Decode(validate.Base.Operation("FECAEAConsultar"), []byte("{}"), validate.Base)
	fmt.Println(validate.Refuses(findings), findings[0].Text)
	// Output:
	// true La operación no existe en el contrato.
}
