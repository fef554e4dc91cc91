package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestCheckKeepsToOneLine whatever documents and the names of files hold.
func TestCheckKeepsToOneLine(t *testing.T) {
	name := "a\nb\x1b[2J\u202e.json"
	if err := os.WriteFile(filepath.Join(t.TempDir(), name), nil, 0o600); err != nil {
		t.Skipf("no such name on this system: %v", err)
	}
	files(t, map[string]string{name: strings.Replace(caddytest.Invoice(1), `"Concepto"`, `"More\n\u001b[2J":1,"Concepto"`, 1)})
	out, _, _ := wsfev1Command("", "check", name)
	if want := `a\u000ab\u001b[2J\u202e.json:1: rechazado: shape.unknown: El campo no existe en el contrato: quítelo, o corrija su nombre. ` +
		`(/FeCAEReq/FeDetReq/FECAEDetRequest/0/More\u000a\u001b[2J)` + "\n"; out != want {
		t.Errorf("printed %q, want %q", out, want)
	}
}

// TestCheckPrintsNoCredentials, however wrong the document is.
func TestCheckPrintsNoCredentials(t *testing.T) {
	m := caddytest.NewMarkers()
	escaped := caddytest.Markers{Token: strings.ReplaceAll(m.Token, "/", `\/`), Sign: strings.ReplaceAll(m.Sign, "+", `\u002b`)}
	requests := caddytest.RequestsWithCredentials()
	requests["in a figure that a rule repeats"] = strings.Replace(requests["right"], `"MonId":"PES"`, `"MonId":"$S","FchVtoPago":"$T"`, 1)
	requests["misnamed"] = strings.Replace(requests["right"], `"Token"`, `"token"`, 1)
	printed := 0
	for name, request := range requests {
		for _, form := range []caddytest.Markers{m, escaped} {
			for _, flags := range []string{"", "--operation FECAESolicitar", "--format json", "--format json --operation FECAESolicitar"} {
				out, errs, err := wsfev1Command(form.In(request), append([]string{"check", "-"}, strings.Fields(flags)...)...)
				m.AbsentFrom(t, name+" "+flags, []byte(out+errs+fmt.Sprint(err)))
				printed += len(out)
			}
		}
	}
	if printed < 10_000 {
		t.Errorf("only %d bytes were looked through", printed)
	}
}
