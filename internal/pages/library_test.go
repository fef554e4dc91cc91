package pages_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// judge is the example of library.md; it writes the refusal, if any.
func judge(body []byte, now func() time.Time) error {
	verdict, err := rules.Judge("FECAESolicitar", body, rules.Options{Now: now})
	if err != nil {
		return err // there is no such operation or contract
	}
	for _, f := range verdict.Findings {
		fmt.Println(f.Code, f.Pointer, f.Explanation())
	}
	if verdict.Refused {
		return json.NewEncoder(os.Stdout).Encode(verdict.Refusal())
	}
	return nil
}

// Example judges the README's invoice, right and two cents off.
func Example() {
	readme, err := os.ReadFile(root + "/README.md")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, rest, _ := strings.Cut(string(readme), "INVOICE='")
	invoice, _, _ := strings.Cut(rest, "'\n")
	now := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, wsfev1.Argentina) }
	fmt.Println(judge([]byte(invoice), now))
	fmt.Println(judge([]byte(strings.Replace(invoice, "121.00", "121.02", 1)), now))
	// Output:
	// <nil>
	// 10048 /FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal ImpTotal es 121,02, pero ImpNeto 100,00 + ImpIVA 21,00 suman 121,00; diferencia 0,02, tolerancia 0,0121
	// {"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":1,"Resultado":"R","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261120","Resultado":"R","Observaciones":{"Obs":[{"Code":10048,"Msg":"ImpTotal es 121,02, pero ImpNeto 100,00 + ImpIVA 21,00 suman 121,00; diferencia 0,02, tolerancia 0,0121 (/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal)"}]},"CAE":"","CAEFchVto":""}]}}
	// <nil>
}

// TestTheExampleOfTheLibraryIsRun: library.md has the text of judge.
func TestTheExampleOfTheLibraryIsRun(t *testing.T) {
	page, source := read(t, root+"/docs/library.md"), read(t, "library_test.go")
	_, rest, _ := strings.Cut(page, "```go\n")
	example, _, found := strings.Cut(rest, "```")
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(example, "\n"), "\n", "\n\t") + "\n"
	if !found || !strings.Contains(source, indented) {
		t.Errorf("library.md does not have the example that is run here:\n%s", indented)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
