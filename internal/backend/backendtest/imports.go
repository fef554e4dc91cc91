package backendtest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// importGivesNoCodeTwice: a CAE already in the ledger must not come with another invoice, and
// no CAE may come twice in the file.
func importGivesNoCodeTwice(t *testing.T, open Open) {
	ledger := opened(t, open)
	line := func(ptoVta int, code string) string {
		return fmt.Sprintf(`{"kind":"invoice","Cuit":20267565393,"PtoVta":%d,"CbteTipo":6,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261106",`+
			`"EmisionTipo":"CAE","CodAutorizacion":"%s","FchVto":"20261116","FchProceso":"20261106103015",`+
			`"Detail":{"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261106"}}`+"\n", ptoVta, code)
	}
	load := func(lines ...string) error {
		text := `{"kind":"ledger","form":"fielato-ledger","version":1}` + "\n" + strings.Join(lines, "") + `{"kind":"end"}`
		_, err := backend.Import(t.Context(), ledger, bytes.NewReader([]byte(text)), nil)
		return err
	}
	if err := load(line(1, "86450000000001"), line(2, "86450000000002")); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"the ledger has it": load(line(3, "86450000000003"), line(4, "86450000000002")),
		"the file has it":   load(line(3, "86450000000003"), line(4, "86450000000003")),
	} {
		if !errors.Is(err, backend.ErrExists) || !strings.Contains(err.Error(), "line 3: CodAutorizacion ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := state(t, ledger, backend.Series{Cuit: 20267565393, PtoVta: 3, CbteTipo: 6}); got != (backend.SeriesState{}) {
		t.Errorf("something was imported: %+v", got)
	}
}
