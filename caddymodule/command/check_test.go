package command_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// wsfev1Command runs `wsfev1 …` as Caddy would, in this process.
func wsfev1Command(stdin string, arguments ...string) (out, errs string, err error) {
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	var stdout, stderr bytes.Buffer
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetArgs(arguments)
	err = root.Execute()
	return stdout.String(), stderr.String(), err
}

// files writes files into a folder of their own, which becomes the current one.
func files(t *testing.T, contents map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range contents {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// wrongTotal is an invoice that rule 10048 refuses.
func wrongTotal() string { return strings.Replace(caddytest.Invoice(1), "121.00", "150.00", 1) }

// pretty writes a document over many lines.
func pretty(t *testing.T, document string) string {
	t.Helper()
	value := jsontext.Value(document)
	if err := value.Indent(); err != nil {
		t.Fatal(err)
	}
	return string(value) + "\n"
}

const (
	totalFinding = `rechazado: 10048: ImpTotal es 150,00, .* diferencia 29,00, tolerancia [0-9,]+ ` +
		`\(/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal\)`
	noOperation = `ilegible: Los campos no dicen de qué operación es: indíquela con --operation\.`
)

// inspected is what check prints of files: the counts first, then a pattern for each
// line, in order.
type inspected map[string][]string

// by runs check with arguments, and wrongTotal as its input.
func (i inspected) by(t *testing.T) {
	t.Helper()
	for arguments, want := range i {
		out, errs, err := wsfev1Command("\n"+wrongTotal()+"\n", append([]string{"check"}, strings.Fields(arguments)...)...)
		pattern := "^" + strings.Join(want[1:], "\n") + "\n$"
		if len(want) == 1 {
			pattern = "^$"
		}
		if !regexp.MustCompile(pattern).MatchString(out) || errs != want[0]+"\n" {
			t.Errorf("%s printed\n%s%swant\n%s\n%s", arguments, out, errs, strings.Join(want[1:], "\n"), want[0])
		}
		if clean := strings.Contains(want[0], ", 0 refused, 0 unreadable"); clean != (err == nil) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// TestCheckPrintsALineForEachFinding of each document that has some, and the counts.
func TestCheckPrintsALineForEachFinding(t *testing.T) {
	files(t, map[string]string{
		"clean.json": caddytest.Invoice(1), "pretty.json": "\n" + pretty(t, caddytest.Invoice(1)), "wrong.json": wrongTotal(),
		"wrong-pretty.json": "\r\n\r\n" + pretty(t, wrongTotal()), "bom.json": "\ufeff" + caddytest.Invoice(1),
		"shape.json":  strings.Replace(caddytest.Invoice(1), `"Concepto":1,`, `"concepto":1,"More":[],`, 1),
		"lines.jsonl": caddytest.Invoice(1) + "\n\n" + wrongTotal() + "\r\n" + caddytest.Invoice(2),
	})
	const detail = `\(/FeCAEReq/FeDetReq/FECAEDetRequest/0/`
	inspected{
		"clean.json":             {"1 document, 0 refused, 0 unreadable"},
		"pretty.json":            {"1 document, 0 refused, 0 unreadable"},
		"wrong.json":             {"1 document, 1 refused, 0 unreadable", `wrong\.json:1: ` + totalFinding},
		"wrong-pretty.json":      {"1 document, 1 refused, 0 unreadable", `wrong-pretty\.json:3: ` + totalFinding},
		"clean.json pretty.json": {"2 documents, 0 refused, 0 unreadable"},
		"wrong.json pretty.json": {"2 documents, 1 refused, 0 unreadable", `wrong\.json:1: ` + totalFinding},
		"lines.jsonl":            {"3 documents, 1 refused, 0 unreadable", `lines\.jsonl:3: ` + totalFinding},
		"- wrong.json":           {"2 documents, 2 refused, 0 unreadable", `-:2: ` + totalFinding, `wrong\.json:1: ` + totalFinding},
		"bom.json":               {"1 document, 1 refused, 0 unreadable", `bom\.json:1: rechazado: shape\.bom: .*\.`},
		"shape.json": {
			"1 document, 1 refused, 0 unreadable", `shape\.json:1: rechazado: shape\.case: El campo se escribe Concepto: .* ` + detail + `concepto\)`,
			`shape\.json:1: rechazado: shape\.unknown: .* ` + detail + `More\)`,
		},
		"--operation FEDummy -": {"1 document, 1 refused, 0 unreadable", `-:2: rechazado: shape\.unknown: .*/Auth\)`, `-:2: rechazado: shape\.unknown: .*/FeCAEReq\)`},
	}.by(t)
}

// TestCheckGoesOnAfterWhatItCannotRead: a refused document does not hide an unreadable one.
func TestCheckGoesOnAfterWhatItCannotRead(t *testing.T) {
	cut := wrongTotal()[:150]
	files(t, map[string]string{
		"wrong.json": wrongTotal(), "empty.json": "", "blank.json": " \n\n", "text.json": "not JSON\n", "cut.json": cut,
		"array.json": "[" + caddytest.Invoice(1) + "]", "object.json": "{}", "names.json": `{"Auth":{},"X`, "comma.json": `{"Auth":{}"X":1}`,
		"mixed.jsonl": cut + "\n" + wrongTotal() + "\n" + `{"Auth":{"Token":"` + "\n" + wrongTotal() + "\n}\n" + wrongTotal(),
	})
	const (
		cutOff  = `rechazado: shape\.syntax: .* termina antes de tiempo\..*`
		notJSON = `rechazado: shape\.syntax: El documento no es JSON válido\.`
		none    = "1 document, 0 refused, 1 unreadable"
	)
	inspected{
		"empty.json":           {none, `empty\.json:1: ` + cutOff},
		"blank.json":           {none, `blank\.json:1: ` + cutOff},
		"cut.json":             {none, `cut\.json:1: ` + cutOff},
		"names.json":           {none, `names\.json:1: ` + cutOff},
		"text.json":            {none, `text\.json:1: ` + notJSON},
		"comma.json":           {none, `comma\.json:1: ` + notJSON},
		"array.json":           {none, `array\.json:1: ` + noOperation},
		"object.json":          {none, `object\.json:1: ` + noOperation},
		"none.json wrong.json": {"2 documents, 1 refused, 1 unreadable", `none\.json: ilegible: No se puede leer el archivo: no existe\.`, `wrong\.json:1: ` + totalFinding},
		". wrong.json":         {"2 documents, 1 refused, 1 unreadable", `\.: ilegible: No se puede leer el archivo: es una carpeta\.`, `wrong\.json:1: ` + totalFinding},
		"mixed.jsonl": {
			"6 documents, 3 refused, 3 unreadable", `mixed\.jsonl:1: rechazado: shape\.syntax: .*`, `mixed\.jsonl:2: ` + totalFinding,
			`mixed\.jsonl:3: rechazado: shape\.syntax: .*`, `mixed\.jsonl:4: ` + totalFinding,
			`mixed\.jsonl:5: ` + notJSON, `mixed\.jsonl:6: ` + totalFinding,
		},
	}.by(t)
}

// TestCheckTellsTheOperationFromTheMembers, without --operation.
func TestCheckTellsTheOperationFromTheMembers(t *testing.T) {
	for members, want := range map[string]string{
		`"FeCAEReq":{}`:                  "FECAESolicitar",
		`"fecaereq":{}`:                  "FECAESolicitar",
		`"FeCAEARegInfReq":[]`:           "FECAEARegInformativo",
		`"FeCompConsReq":1`:              "FECompConsultar",
		`"CbteTipo":6,"PtoVta":1`:        "FECompUltimoAutorizado",
		`"Periodo":202611,"Orden":1`:     "FECAEASolicitar",
		`"PtoVta":1,"CAEA":"x"`:          "FECAEASinMovimientoInformar",
		`"MonId":"DOL"`:                  "FEParamGetCotizacion",
		`"FeCAEReq":{"FeCompConsReq":0}`: "FECAESolicitar",
		`"X":1,"X":2,"FeCAEReq":{}`:      "FECAESolicitar",
		`"PtoVta":1`:                     "",
		`"X":{"FeCAEReq":{}}`:            "",
	} {
		out, _, _ := wsfev1Command("{"+caddytest.AuthText+","+members+"}", "check", "--format", "json", "-")
		if got := (caddytest.Response{Body: []byte(out)}).At(t, "/operation"); got != `"`+want+`"` {
			t.Errorf("%s: %s, want %s", members, got, want)
		}
	}
}

// TestCheckPrintsOneObjectForEachDocument, with all members.
func TestCheckPrintsOneObjectForEachDocument(t *testing.T) {
	files(t, map[string]string{
		"lines.jsonl": caddytest.Invoice(1) + "\n" + wrongTotal() + "\n" + strings.Replace(caddytest.Invoice(1), `"Auth"`, `"X":1,"Auth"`, 1) + "\n{}\n",
		"pretty.json": "\n" + pretty(t, caddytest.Invoice(1)),
	})
	out, errs, err := wsfev1Command("", "check", "--format", "json", "lines.jsonl", "none.json", "pretty.json")
	if err == nil || errs != "" {
		t.Errorf("%v, %q", err, errs)
	}
	const empty = `"expected":"","got":"","difference":"","tolerance":"","message":`
	want := []string{
		`{"file":"lines.jsonl","line":1,"operation":"FECAESolicitar","refused":false,"unreadable":false,"findings":[]}`,
		`{"file":"lines.jsonl","line":2,"operation":"FECAESolicitar","refused":true,"unreadable":false,"findings":[{"code":"10048","severity":"EXC",` +
			`"pointer":"/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal","expected":"121.00","got":"150.00","difference":"29",` +
			`"tolerance":"…","message":"10048: …","action":"refuse"}]}`,
		`{"file":"lines.jsonl","line":3,"operation":"FECAESolicitar","refused":true,"unreadable":false,"findings":[{"code":"shape.unknown",` +
			`"severity":"SHAPE","pointer":"/X",` + empty + `"shape.unknown: El campo no existe en el contrato: quítelo, o corrija su nombre. (/X)","action":"refuse"}]}`,
		`{"file":"lines.jsonl","line":4,"operation":"","refused":false,"unreadable":true,"findings":[{"code":"unreadable","severity":"SHAPE","pointer":"",` + empty +
			`"unreadable: Los campos no dicen de qué operación es: indíquela con --operation.","action":"none"}]}`,
		`{"file":"none.json","line":0,"operation":"","refused":false,"unreadable":true,"findings":[{"code":"unreadable","severity":"SHAPE","pointer":"",` + empty +
			`"unreadable: No se puede leer el archivo: …","action":"none"}]}`,
		`{"file":"pretty.json","line":2,"operation":"FECAESolicitar","refused":false,"unreadable":false,"findings":[]}`,
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for i, line := range lines {
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(want[i]), "…", `[^"]+`) + "$"
		if !regexp.MustCompile(pattern).MatchString(line) {
			t.Errorf("got  %s\nwant %s", line, want[i])
		}
	}
}

// TestCheckJudgesAsTheFlagsSay: levels, the day, the contract, the operation.
func TestCheckJudgesAsTheFlagsSay(t *testing.T) {
	// FECAEARegInformativo without CbteFchHsGen: missing since the first of August of 2026.
	report := fmt.Sprintf(`{%s,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":3,"CbteTipo":6},"FeDetReq":{"FECAEADetRequest":[`+
		`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20260801","ImpTotal":121.00,"ImpTotConc":0,`+
		`"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,`+
		`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]},"CAEA":"36227000000017"}]}}}`, caddytest.AuthText)
	const total = "rechazado: 10048: "
	for _, test := range []struct{ document, flags, has, lacks string }{
		{wrongTotal(), "", total, "observed"},
		{wrongTotal(), "--rule 10048=enforce", total, "observed"},
		{wrongTotal(), "--rule 10048=observe", "observado: 10048: ", "rechazado"},
		{wrongTotal(), "--rule 10048=off", "", "10048"},
		{wrongTotal(), "--rule 10048=off --rule 10051=observe", "", "10048"},
		{report, "--now 2026-07-31T23:59:59-03:00", "", "rechazado: 1440: "},
		{report, "--now 2026-08-01T02:59:59Z", "", "rechazado: 1440: "},
		{report, "--now 2026-08-01T00:00:00-03:00", "rechazado: 1440: ", "shape."},
		{caddytest.Invoice(1), "", "", ":"},
		{caddytest.Invoice(1), "--contract arca", "", ":"},
		{caddytest.Invoice(1), "--contract base", "rechazado: shape.unknown: El campo no existe en el contrato: quítelo, o corrija su nombre. (/FeCAEReq/FeDetReq/FECAEDetRequest/0/CondicionIVAReceptorId)", "Iva)"},
		{`{` + caddytest.AuthText + `}`, "--operation FECompTotXRequest", "", ":"},
		{`{}`, "--operation FEDummy", "", ":"},
		{`[]`, "--operation FEDummy", "rechazado: shape.kind: ", "ilegible"},
	} {
		out, errs, err := wsfev1Command(test.document, append([]string{"check", "-"}, strings.Fields(test.flags)...)...)
		if !strings.Contains(out, test.has) || strings.Contains(out, test.lacks) {
			t.Errorf("%s: printed %q, want %q and not %q", test.flags, out, test.has, test.lacks)
		}
		refused := strings.Contains(out, ": rechazado: ")
		if refused != (err != nil) || refused != strings.Contains(errs, "1 refused") {
			t.Errorf("%s: %v, %s", test.flags, err, errs)
		}
	}
}
