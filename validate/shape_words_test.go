package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
)

// TestMessagesOfShapeAreAsTheyWereRead holds them against the file that a person has read aloud.
func TestMessagesOfShapeAreAsTheyWereRead(t *testing.T) {
	var b strings.Builder
	for _, change := range []string{
		`ImpTotal="121.00"`, `ImpTotal="121,00"`, `ImpTotal="1.210,00"`, `ImpTotal="ciento"`, `ImpTotal=true`, `ImpTotal=[]`,
		`ImpTotal="` + strings.Repeat("1", 30) + `"`,
		`Concepto="1"`, `Concepto=1.5`, `Concepto=99999999999`, `CbteFch=20261120`, `MonId={}`, `Iva=[]`, `Iva={"AlicIva":{"Id":5}}`,
		`Iva={"AlicIva":[7]}`, `imptotal=1`, `Nuevo=1`,
	} {
		operation, body := validatetest.Changed(t, change, "factura-b", []string{change})
		describe(&b, operation, change, body)
	}
	const auth = `"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}`
	for _, body := range []string{
		``, `[]`, `null`, `{"Auth":`, `{` + auth + `}{}`, "\xef\xbb\xbf{" + auth + `}`, `{` + auth + `,` + auth + `}`, `{}`, `{"Auth":{"Token":1234567,"Sign":"s"}}`,
	} {
		describe(&b, "FECompTotXRequest", body, []byte(body))
	}
	validatetest.Golden(t, "shape.golden", b.String())
}

// describe writes the findings in a body.
func describe(b *strings.Builder, operation, title string, body []byte) {
	fmt.Fprintf(b, "%q\n", title)
	op := validate.ARCA.Operation(operation)
	_, found := validate.Decode(op, body, validate.ARCA)
	for _, f := range found {
		fmt.Fprintf(b, "  %s %s: %s\n", f.Code, f.Pointer, f.Explanation())
	}
}

// TestAMessageOfShapeRepeatsNoCredential, not even one that is a figure.
func TestAMessageOfShapeRepeatsNoCredential(t *testing.T) {
	_, found := validate.Decode(validatetest.Operation(t, "FECompTotXRequest"), []byte(`{"Auth":{"Token":1234567,"Sign":7654321,"Cuit":"1"}}`), validate.ARCA)
	if len(found) != 3 {
		t.Fatalf("%v", found)
	}
	for _, f := range found {
		if text := f.Explanation(); strings.Contains(text, "1234567") || strings.Contains(text, "7654321") {
			t.Error(text)
		}
	}
}
