package tryit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
)

const detail = "/FeCAEReq/FeDetReq/FECAEDetRequest/"

// use has a figure written into a document, as the script does, and returns the document after it.
func (c *console) use(t testing.TB, document, key string) (found, string) {
	t.Helper()
	f, _ := c.judge(t, document, "use="+strings.NewReplacer(" ", "%20").Replace(key))
	units := utf16.Encode([]rune(document))
	for _, e := range slices.Backward(f.Edits) {
		units = append(append(append([]uint16(nil), units[:e.From]...), utf16.Encode([]rune(e.Text))...), units[e.To:]...)
	}
	return f, string(utf16.Decode(units))
}

// offered returns the keys of the offers about a document.
func (f *found) offered() (keys []string) {
	for _, one := range f.Findings {
		if one.Use != "" {
			keys = append(keys, one.Use)
		}
	}
	return keys
}

// TestAFigureIsWrittenWithoutJavaScript: the page has the document with the figure, without its ticket, and the
// new verdict.
func TestAFigureIsWrittenWithoutJavaScript(t *testing.T) {
	c, document := newConsole(t), wrong()
	page := c.post(t, map[string]string{"document": document}).Body.String()
	key := "10048 " + detail + "0/ImpTotal"
	for _, shown := range []string{"ImpTotal: 121,00 en lugar de 150,00", `<button type="submit" form="trial" name="use" value="` + key + `">Usar este valor</button>`} {
		if !strings.Contains(page, shown) {
			t.Errorf("the page lacks %q", shown)
		}
	}
	if strings.Contains(page, `value="all"`) {
		t.Error("all of one value are offered")
	}
	bare := strings.NewReplacer(`"Token":"`+fixture.Token+"\",\n", "", `"Sign":"`+fixture.Sign+"\",\n", "").Replace(document)
	if box := boxOf(t, page); box != bare {
		t.Errorf("the box has\n%s", box)
	}
	page = c.post(t, map[string]string{"document": strings.ReplaceAll(boxOf(t, page), "\n", "\r\n"), "use": key}).Body.String()
	if box := boxOf(t, page); box != strings.Replace(bare, "150.00", "121.00", 1) {
		t.Errorf("the box has\n%s", box)
	}
	for _, shown := range []string{"Se escribió ImpTotal: 121,00 en lugar de 150,00.", "Sin hallazgos: la pasarela lo enviaría", "Desde aquí no se envía"} {
		if !strings.Contains(page, shown) {
			t.Errorf("the page lacks %q", shown)
		}
	}
}

// TestAnOfferThatIsGoneWritesNothing: the reader has changed the document meanwhile.
func TestAnOfferThatIsGoneWritesNothing(t *testing.T) {
	c := newConsole(t)
	for _, key := range []string{"10048 " + detail + "1/ImpTotal", "10048 /Auth/Cuit", "x", "10048 " + detail + "0/MonId"} {
		f, after := c.use(t, wrong(), key)
		if after != wrong() || f.codes() != "10048" || strings.Join(f.Used, "") != "Ese valor ya no se ofrece, porque el pedido cambió. No se escribió nada." {
			t.Errorf("%s: %+v\n%s", key, f, after)
		}
	}
	if f, after := c.use(t, fixture.Invoice(1), "all"); after != fixture.Invoice(1) || f.Class != "good" {
		t.Errorf("a right one: %+v", f)
	}
}

// TestOffersAreFiguresAlone: an expected code or document is not offered, and a member that is missing is.
func TestOffersAreFiguresAlone(t *testing.T) {
	c := newConsole(t)
	final := strings.Replace(fixture.Invoice(1), `"DocNro":0`, `"DocNro":5`, 1)
	if f, _ := c.judge(t, final); f.Class != "bad" || len(f.offered()) > 0 {
		t.Errorf("a document is offered: %+v", f)
	}
	count := strings.Replace(fixture.Invoice(1), `"CantReg":1`, `"CantReg":7`, 1)
	if _, after := c.use(t, count, "10002 /FeCAEReq/FeCabReq/CantReg"); after != fixture.Invoice(1) {
		t.Errorf("the count became\n%s", after)
	}
	lacking := strings.Replace(fixture.Invoice(1), `"ImpIVA":21.00,`, "", 1)
	f, _ := c.judge(t, lacking)
	for _, one := range f.Findings {
		if !strings.HasSuffix(one.Use, "/ImpIVA") {
			continue
		}
		if one.Offer != "ImpIVA: 21,00, que no se envió" {
			t.Errorf("offered is %q", one.Offer)
		}
		if f, after := c.use(t, lacking, one.Use); f.Class != "good" || !strings.Contains(after, `"Importe":21.00}]},"ImpIVA":21.00}`) {
			t.Errorf("%s: %+v\n%s", one.Use, f, after)
		}
		return
	}
	t.Errorf("nothing is offered: %+v", f)
}

// lot is a request of invoices with these figures: the amount of IVA, the sum of IVA, and the total.
func lot(figures ...[3]string) string {
	var items []string
	for i, f := range figures {
		one := fixture.Invoice(i + 1)
		one = one[strings.Index(one, `{"Concepto"`):strings.LastIndex(one, "]}}}")]
		one = strings.Replace(one, `"Importe":21.00`, `"Importe":`+f[0], 1)
		one = strings.Replace(one, `"ImpIVA":21.00`, `"ImpIVA":`+f[1], 1)
		items = append(items, strings.Replace(one, `"ImpTotal":121.00`, `"ImpTotal":`+f[2], 1))
	}
	return fmt.Sprintf(`{%s,"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[%s]}}}`,
		fixture.AuthText, len(figures), strings.Join(items, ","))
}

// TestAllValuesAreUsedInTheirOrder: items before their sum. A sum of wrong items would be wrong.
func TestAllValuesAreUsedInTheirOrder(t *testing.T) {
	c := newConsole(t)
	right := [3]string{"21.00", "21.00", "121.00"}
	document := lot([3]string{"20.00", "19.00", "150.00"}, right, [3]string{"21.00", "30", "121.00"})
	f, after := c.use(t, document, "all")
	if f.Class != "good" || after != lot(right, right, right) {
		t.Errorf("%+v\n%s", f, after)
	}
	if said := strings.Join(f.Used, "\n"); !strings.Contains(said, "Se escribió Comprobante 1 · AlicIva 1 · Importe: 21,00 en lugar de 20,00.") || !strings.Contains(said, "Comprobante 3 · ImpIVA: 21,00 en lugar de 30") {
		t.Errorf("told is\n%s", said)
	}
	page := c.post(t, map[string]string{"document": document, "use": "all"}).Body.String()
	if !strings.Contains(page, "Sin hallazgos") || strings.Contains(boxOf(t, page), "150.00") {
		t.Errorf("without a script:\n%s", page)
	}
}

// TestAFigureIsAllThatChanges, whatever is offered: and its finding is gone, or the page says that it stays.
func TestAFigureIsAllThatChanges(t *testing.T) {
	c := newConsole(t)
	rapid.Check(t, func(rt *rapid.T) {
		amount := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"21.00", "21", "20.999", "0", "10.50", "-21.00", "2.1e1", "99999999999.99", "21.0000001"}).Draw(t, "IVA")
		})
		var figures [][3]string
		for range rapid.IntRange(1, 3).Draw(rt, "invoices") {
			figures = append(figures, [3]string{amount.Draw(rt, "Importe"), amount.Draw(rt, "ImpIVA"), rapid.SampledFrom([]string{"121.00", "121", "150.1", "0.00"}).Draw(rt, "ImpTotal")})
		}
		document := lot(figures...)
		if rapid.Bool().Draw(rt, "blanks") {
			text := jsontext.Value(document)
			if err := text.Indent(jsontext.WithIndent("\t")); err != nil {
				rt.Fatal(err)
			}
			document = string(text)
		}
		before, _ := c.judge(t, document)
		keys := before.offered()
		if len(keys) == 0 {
			return
		}
		key := rapid.SampledFrom(keys).Draw(rt, "offer")
		f, after := c.use(t, document, key)
		code, pointer, _ := strings.Cut(key, " ")
		differ := differences(t, document, after)
		if len(differ) != 1 || differ[0] != pointer {
			rt.Fatalf("%s has changed %v of\n%s\n%s", key, differ, document, after)
		}
		stays := false
		for _, one := range f.Findings {
			stays = stays || one.Code == code && strings.HasSuffix(one.Place, pointer)
		}
		if said := strings.Contains(strings.Join(f.Used, " "), "Con eso no alcanza: el hallazgo "+code+" sigue."); said != stays {
			rt.Fatalf("%s: the finding stays: %v; told is %q", key, stays, f.Used)
		}
		if again, _ := c.judge(t, after); again.codes() != f.codes() {
			rt.Fatalf("%s: %q is found in the text, and %q was told", key, again.codes(), f.codes())
		}
	})
}

// differences returns the pointers of the scalars in which two documents differ, and "text" if they also differ
// between them.
func differences(t testing.TB, a, b string) (all []string) {
	t.Helper()
	left, right := scalars(t, a), scalars(t, b)
	if strings.Join(left.between, "\x00") != strings.Join(right.between, "\x00") {
		all = append(all, "text")
	}
	for i, one := range left.values {
		if one != right.values[i] {
			all = append(all, left.pointers[i])
		}
	}
	return all
}

type parsed struct{ pointers, values, between []string }

// scalars returns the scalars of a document, and the text between them.
func scalars(t testing.TB, text string) (p parsed) {
	t.Helper()
	d, done := jsontext.NewDecoder(strings.NewReader(text)), 0
	for {
		kind := d.PeekKind()
		if kind == 0 {
			break
		}
		if kind == '{' || kind == '[' || kind == '}' || kind == ']' {
			if _, err := d.ReadToken(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		end := int(d.InputOffset())
		p.pointers = append(p.pointers, string(d.StackPointer()))
		p.values = append(p.values, string(value))
		p.between = append(p.between, text[done:end-len(value)])
		done = end
	}
	p.between = append(p.between, text[done:])
	return p
}

// TestEditsCountAsScriptsDo: characters beyond 16 bits are two units.
func TestEditsCountAsScriptsDo(t *testing.T) {
	document := strings.Replace(wrong(), `"MonId"`, `"Opcionales":{"Opcional":[{"Id":"23","Valor":"😀ñ"}]},"MonId"`, 1)
	document = strings.Replace(document, `"ImpTotal":150.00,`, "", 1)
	document = strings.Replace(document, `"Iva":`, `"ImpTotal":150.00,"Iva":`, 1)
	_, after := newConsole(t).use(t, document, "10048 "+detail+"0/ImpTotal")
	if after != strings.Replace(document, "150.00", "121.00", 1) {
		t.Errorf("it became\n%s", after)
	}
}

// TestAnAnswerWithEditsHasNoCredentials: neither in JSON nor in the box of the page.
func TestAnAnswerWithEditsHasNoCredentials(t *testing.T) {
	c, m := newConsole(t), fixture.NewMarkers()
	offers := 0
	for name, request := range fixture.RequestsWithCredentials() {
		request = m.In(request)
		f, _ := c.judge(t, request)
		for _, key := range append(f.offered(), "all") {
			offers++
			body := strings.NewReader(request)
			w := c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge?use="+strings.ReplaceAll(key, " ", "%20"), body))
			m.AbsentFrom(t, name, w.Body.Bytes())
			m.AbsentFrom(t, name, c.post(t, map[string]string{"document": request, "use": key}).Body.Bytes())
		}
	}
	if offers < 30 {
		t.Errorf("only %d offers", offers)
	}
}

// TestALotOfFiguresIsQuick: as large as a lot may be.
func TestALotOfFiguresIsQuick(t *testing.T) {
	var figures [][3]string
	for i := range 250 {
		figures = append(figures, [3]string{"20.00", "19.00", strconv.Itoa(i + 500)})
	}
	f, after := newConsole(t).use(t, lot(figures...), "all")
	if f.Class != "good" || strings.Count(after, `"ImpTotal":121.00`) != 250 {
		t.Errorf("%s %q", f.Heading, f.Used)
	}
	if last := f.Used[len(f.Used)-1]; len(f.Used) != 11 || last != "Y 740 valores más." {
		t.Errorf("told is %q", f.Used)
	}
}
