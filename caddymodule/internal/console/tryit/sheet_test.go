package tryit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
)

// rows is the answer to the script about a part of a file.
type rows struct {
	Rows []struct {
		Line                                             int
		Voucher, Issuer, Class, Codes, Text, Result, CSV string
	}
	Head, Problem        string
	Clean, Observed, Bad int
	Cut                  bool
}

func (c *console) lines(t testing.TB, query, text string) (r rows) {
	t.Helper()
	w := c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge-lines?"+query, strings.NewReader(text)))
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return r
}

const names = "Cuit;PtoVta;CbteTipo;Concepto;DocTipo;DocNro;CbteDesde;CbteHasta;CbteFch;ImpTotal;ImpTotConc;ImpNeto;ImpOpEx;ImpTrib;ImpIVA;MonId;MonCotiz;CondicionIVAReceptorId;Iva21Base;Iva21Importe"

// TestTheTemplateIsRight: what it has by way of example has no findings.
func TestTheTemplateIsRight(t *testing.T) {
	c := newConsole(t)
	template := c.do(httptest.NewRequest(http.MethodGet, "/consola/try/template.csv", nil))
	r := c.lines(t, "kind=csv&first=1", template.Body.String())
	if len(r.Rows) != 1 || r.Clean != 1 || r.Rows[0].Voucher != "Factura B 0001-00000001" || r.Rows[0].Line != 2 {
		t.Errorf("%+v", r)
	}
}

// TestARowIsJudgedAsItsRequest, however a spreadsheet writes it.
func TestARowIsJudgedAsItsRequest(t *testing.T) {
	c := newConsole(t)
	const right = "20111111112;1;6;1;99;0;1;1;20261120;121;0;100;0;0;21;PES;1;5;100;21"
	for name, test := range map[string]struct{ text, codes string }{
		"right":                {names + "\n" + right, ""},
		"a total":              {names + "\n" + strings.Replace(right, ";121;", ";150;", 1), "10048"},
		"decimal commas":       {names + "\n" + strings.NewReplacer(";121;", ";121,00;", ";21", ";21,00").Replace(right), ""},
		"commas between":       {strings.ReplaceAll(names+"\n"+right, ";", ","), ""},
		"tabs between":         {strings.ReplaceAll(names+"\n"+right, ";", "\t"), ""},
		"a day with lines":     {names + "\n" + strings.Replace(right, "20261120", "2026-11-20", 1), ""},
		"a day with strokes":   {names + "\n" + strings.Replace(right, "20261120", "20/11/2026", 1), ""},
		"a day too old":        {names + "\n" + strings.Replace(right, "20261120", "01/10/2026", 1), "10016"},
		"a mark, CRLF, quotes": {"\ufeff" + strings.ReplaceAll(names, "Cuit", `"Cuit"`) + "\r\n" + right + "\r\n", ""},
		"lower case":           {strings.ToLower(names) + "\n" + right, ""},
		"no number":            {names + "\n" + strings.Replace(right, ";121;", ";caro;", 1), "shape.kind"},
		"an exponent":          {names + "\n" + strings.Replace(right, ";121;", ";1e9;", 1), "shape.kind"},
		"a rate":               {strings.ReplaceAll(names, "Iva21", "Iva10.5") + "\n" + strings.NewReplacer(";121;", ";110.5;", ";21;", ";10.5;").Replace(right[:len(right)-2]+"10,50"), ""},
		"an Opcional":          {names + ";Opcional9999\n" + right + ";x", "10053"},
		"a CbteAsoc":           {names + ";CbteAsocTipo;CbteAsocPtoVta;CbteAsocNro\n" + right + ";6;1;1", "10040"},
		"a Tributo":            {names + ";TributoId;TributoBaseImp;TributoAlic;TributoImporte\n" + right + ";99;1;1;1", "10024"},
		"an empty cell":        {names + "\n" + strings.Replace(right, ";5;100", ";;100", 1), "10245"},
	} {
		r := c.lines(t, "kind=csv&first=1", test.text)
		if len(r.Rows) != 1 || !strings.HasPrefix(r.Rows[0].Codes, test.codes) || test.codes == "" && r.Clean != 1 {
			t.Errorf("%s: %+v, want %q", name, r, test.codes)
		}
	}
	noNumber := "Cuit;PtoVta;CbteTipo;CbteDesde;CbteHasta\n20111111112;1;6;00000001;1"
	if r := c.lines(t, "kind=csv&first=1", noNumber); len(r.Rows) != 1 || r.Rows[0].Voucher != "Factura B" {
		t.Errorf("a number that cannot be read: %+v", r.Rows)
	}
	reported := strings.Replace(names, "Cuit;", "CAEA;Cuit;", 1) + "\n36227000000017;" + right
	if r := c.lines(t, "kind=csv&first=1", reported); len(r.Rows) != 1 || r.Rows[0].Voucher == "" || strings.Contains(r.Rows[0].Codes, "shape") || r.Clean == 1 {
		t.Errorf("under a CAEA: %+v", r)
	}
}

// TestASheetThatCannotBeReadSaysWhy.
func TestASheetThatCannotBeReadSaysWhy(t *testing.T) {
	c := newConsole(t)
	for text, want := range map[string]string{
		"Cuit;PtoVta;CbteTipo;ImpTota\n": ": 4 → ImpTotal",
		"Cuit;PtoVta\n1;1":               "CbteTipo",
		"":                               "no se puede leer",
		strings.Repeat("Cuit;", 1000):    "no se puede leer",
	} {
		if r := c.lines(t, "kind=csv&first=1", text); !strings.Contains(r.Problem, want) || len(r.Rows) > 0 {
			t.Errorf("%.40q: %+v, want %q", text, r, want)
		}
	}
	r := c.lines(t, "kind=csv&first=41", names+"\n1;2\n\n1;2;3\n")
	if len(r.Rows) != 2 || r.Rows[0].Line != 41 || r.Rows[1].Line != 43 || !strings.Contains(r.Rows[1].Text, "3 / 20") {
		t.Errorf("rows without cells: %+v", r)
	}
}

// TestAPartOfAFileKeepsItsNumbers, and has its bound.
func TestAPartOfAFileKeepsItsNumbers(t *testing.T) {
	c := newConsole(t)
	r := c.lines(t, "first=101", fixture.Invoice(1)+"\n{\n"+fixture.Invoice(2)+"\n")
	if got := fmt.Sprint(r.Clean, r.Bad); got != "2 1" || r.Rows[1].Line != 102 || r.Rows[2].Line != 103 {
		t.Errorf("%+v", r)
	}
	if r := c.lines(t, "first=1", strings.Repeat("{}\n", 600)); len(r.Rows) != 500 || !r.Cut {
		t.Errorf("%d rows, cut: %v", len(r.Rows), r.Cut)
	}
	if r := c.lines(t, "first=1", strings.Repeat("{}\n", 500)); len(r.Rows) != 500 || r.Cut {
		t.Errorf("%d rows, cut: %v", len(r.Rows), r.Cut)
	}
}

// TestTheFileHasNoFormulas.
func TestTheFileHasNoFormulas(t *testing.T) {
	c := newConsole(t)
	wrong := strings.Replace(strings.ReplaceAll(wrong(), "\n", ""), `"MonId"`, `"=HYPERLINK(\"x\")":1,"MonId"`, 1)
	r := c.lines(t, "first=1", wrong)
	for _, row := range append(r.Rows, c.lines(t, "first=1", `{"=1+1":1}`).Rows...) {
		for cell := range strings.SplitSeq(row.CSV, ",") {
			if cell = strings.Trim(cell, `"`); cell != "" && strings.ContainsAny(cell[:1], "=+-@") {
				t.Errorf("a formula: %q", row.CSV)
			}
		}
	}
}
