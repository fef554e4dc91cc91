package tryit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/tryit"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// console is a site with the page to try requests, on 2026-11-20, whose trail must not be read.
type console struct {
	*site.Site
	log *observer.ObservedLogs
}

func newConsole(t testing.TB, books ...*intake.Book) *console {
	t.Helper()
	core, log := observer.New(zapcore.DebugLevel)
	c := &console{&site.Site{
		Base: "/consola", Logger: zap.New(core),
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, wsfev1.Argentina) },
		Open: func(context.Context, func([]site.Source) error) error {
			t.Error("the trail was opened")
			return errors.New("no trail")
		},
	}, log}
	if len(books) > 0 {
		c.Shelf = func() *rulebook.Shelf { return &rulebook.Shelf{Books: books} }
	}
	c.Prepare()
	tryit.Add(c.Site)
	return c
}

func (c *console) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	c.ServeHTTP(w, r)
	return w
}

// found is the answer to the script about one request.
type found struct {
	Class, Heading, Operation, Rest, Status, Answer string
	About                                           []string
	Findings                                        []struct {
		Code, Class, Text, Place, Offer, Use string
		Line                                 int
	}
	Used  []string
	Edits []struct {
		From, To int
		Text     string
	}
	More    int
	Passes  bool
	Problem string `json:"problem"`
}

// judge asks as the script does.
func (c *console) judge(t testing.TB, document string, choice ...string) (found, *httptest.ResponseRecorder) {
	t.Helper()
	w := c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge?"+strings.Join(choice, "&"), strings.NewReader(document)))
	var f found
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return f, w
}

func (f *found) codes() string {
	var codes []string
	for _, each := range f.Findings {
		codes = append(codes, each.Code)
	}
	return strings.Join(codes, " ")
}

// post sends the form, as a browser without JavaScript does.
func (c *console) post(t testing.TB, fields map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/consola/try", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return c.do(r)
}

// wrong is an invoice that rule 10048 refuses, with a member a line.
func wrong() string {
	return strings.ReplaceAll(strings.Replace(fixture.Invoice(1), "121.00", "150.00", 1), ",", ",\n")
}

// lacking is an invoice without CondicionIVAReceptorId.
func lacking() string {
	return strings.Replace(fixture.Invoice(1), `"CondicionIVAReceptorId":5,`, "", 1)
}

// book returns the book of a gateway.
func book(t testing.TB, observe bool, named map[int32]validate.Level) *intake.Book {
	t.Helper()
	settings := rules.Settings{Levels: named}
	made, err := rules.NewRules(settings)
	if err != nil {
		t.Fatal(err)
	}
	b := &intake.Book{Contract: validate.ARCA, Observe: observe, Settings: settings, Rules: made, Named: map[string]validate.Level{}}
	for code, level := range named {
		b.Named[wsfev1.AmountOf(int64(code), 0).String()] = level
	}
	return b.ForReader(made)
}

// TestFindingsCome as the reader types, at their members, with the answer that the client would get.
func TestFindingsCome(t *testing.T) {
	c := newConsole(t)
	f, w := c.judge(t, wrong())
	before, _, _ := strings.Cut(wrong(), `"ImpTotal"`)
	if f.Class != "bad" || f.codes() != "10048" || f.Findings[0].Line != strings.Count(before, "\n")+1 || !strings.HasSuffix(f.Findings[0].Place, "/ImpTotal") {
		t.Errorf("%+v", f)
	}
	if f.Status != "HTTP 200 OK" || !strings.Contains(f.Answer, `"Resultado": "R"`) || !strings.Contains(f.Answer, `"Msg": "ImpTotal es 150,00`) {
		t.Errorf("answered with %s %s", f.Status, f.Answer)
	}
	if w.Header().Get("Content-Type") != "application/json" {
		t.Error(w.Header())
	}
	if f, _ := c.judge(t, fixture.Invoice(1)); f.Class != "good" || f.Status != "" || f.Operation != "FECAESolicitar" {
		t.Errorf("a right one: %+v", f)
	}
	if f, _ := c.judge(t, " \n"); f.Class != "" || f.Heading == "" {
		t.Errorf("nothing: %+v", f)
	}
	if f, _ := c.judge(t, `{"Auth":{"Cuit":20111111112},"X":1}`); f.Operation != "FECAESolicitar" {
		t.Errorf("of no operation: %+v", f)
	}
}

// TestTheDateDecides which rules hold.
func TestTheDateDecides(t *testing.T) {
	c := newConsole(t)
	for day, want := range map[string]string{"": "10245", "2026-11-20": "10245", "2026-11-30": "10245", "2026-12-01": "10246"} {
		f, _ := c.judge(t, lacking(), "date="+day)
		if f.codes() != want || (f.Class == "bad") != (want == "10246") {
			t.Errorf("%s: %s, %s, want %s", day, f.Class, f.codes(), want)
		}
	}
}

// TestTheLevelsAreThoseOfTheGateway, and the page says so.
func TestTheLevelsAreThoseOfTheGateway(t *testing.T) {
	c := newConsole(t, book(t, false, map[int32]validate.Level{10048: validate.Off}), book(t, true, nil))
	for gateway, want := range map[string]string{"": "good", "1": "good", "2": "open"} {
		if f, _ := c.judge(t, wrong(), "gateway="+gateway); f.Class != want {
			t.Errorf("gateway %q: %+v, want %s", gateway, f, want)
		}
	}
	page := c.do(httptest.NewRequest(http.MethodGet, "/consola/try", nil)).Body.String()
	for _, said := range []string{"rule 10048 off", "mode observe", "contract arca", `name="gateway"`, "La pasarela rechaza lo que no cumple", "Regla 10048: no se valida", ">1: rechaza<", ">2: solo anota<"} {
		if !strings.Contains(page, said) {
			t.Errorf("the page lacks %q", said)
		}
	}
	if page := newConsole(t).do(httptest.NewRequest(http.MethodGet, "/consola/try", nil)).Body.String(); !strings.Contains(page, "niveles son los de fábrica") {
		t.Error("without a gateway the page does not say whose levels these are")
	}
}

// TestAReaderLearnsNotWhomElseAGatewayServes: the rules alone judge the issuer of another reader.
func TestAReaderLearnsNotWhomElseAGatewayServes(t *testing.T) {
	const served, dropped, others, strangers wsfev1.CUIT = 20111111112, 27000000006, 30500010912, 30712345671
	b := book(t, false, nil)
	b.Allows = func(cuit wsfev1.CUIT) bool { return cuit == served || cuit == others }
	c := newConsole(t, b)
	refused := func() (all []wsfev1.CUIT) {
		for _, cuit := range []wsfev1.CUIT{served, dropped, others, strangers} {
			request := fmt.Sprintf(`{"Auth":{"Token":"t","Sign":"s","Cuit":%d},"PtoVta":1,"CbteTipo":6}`, cuit)
			f, _ := c.judge(t, request, "operation=FECompUltimoAutorizado")
			switch {
			case f.codes() == "http.cuit":
				all = append(all, cuit)
			case f.Class != "good":
				t.Errorf("%s: %+v", cuit, f)
			}
		}
		return all
	}
	if got := refused(); !slices.Equal(got, []wsfev1.CUIT{dropped, strangers}) {
		t.Errorf("for a reader of all issuers these are refused: %v", got)
	}
	table, err := clients.NewTable([]clients.Row{{Role: clients.RoleReader, Name: "desk", User: []string{"ana"}, Cuits: []string{served.String(), dropped.String()}}})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := table.Reader(&clients.Identity{User: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	c.ReaderScope = func(*http.Request) (site.Scope, error) { return site.ScopeOf(reader), nil }
	if got := refused(); !slices.Equal(got, []wsfev1.CUIT{dropped}) {
		t.Errorf("for a reader of two issuers these are refused: %v", got)
	}
}

// TestTheFormWorksWithoutJavaScript.
func TestTheFormWorksWithoutJavaScript(t *testing.T) {
	c := newConsole(t)
	w := c.post(t, map[string]string{"document": wrong(), "operation": "", "date": "2026-11-20"})
	if body := w.Body.String(); !strings.Contains(body, `<dd class="number">121,00</dd>`) || strings.Contains(body, `number">121.00`) {
		t.Errorf("the figures of a finding are not in Spanish:\n%s", body)
	}
	for _, shown := range []string{`<a href="/consola/rules/10048">10048</a>`, "ImpTotal es 150,00", "HTTP 200 OK", "&#34;Msg&#34;: &#34;ImpTotal"} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), shown) {
			t.Errorf("%d, the page lacks %q", w.Code, shown)
		}
	}
	w = c.post(t, map[string]string{"document": "", "file": fixture.Invoice(1) + "\n" + strings.ReplaceAll(wrong(), "\n", "")})
	if page := w.Body.String(); !strings.Contains(page, "Validados: 2. Sin hallazgos: 1.") || !strings.Contains(page, ">10048</td>") {
		t.Errorf("a file of lines: %s", page)
	}
	w = c.post(t, map[string]string{"file": fixture.Invoice(1) + "\n" + strings.ReplaceAll(wrong(), "\n", ""), "as": "csv"})
	if file := w.Body.String(); !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") || !strings.Contains(file, "\r\n2;Factura B 0001-00000001;") || !strings.Contains(file, ";10048;") {
		t.Errorf("as a file: %v %s", w.Header(), file)
	}
}

// TestAnotherSitesFormIsRefused.
func TestAnotherSitesFormIsRefused(t *testing.T) {
	for _, address := range []string{"/try", "/try/judge", "/try/judge-lines?first=1"} {
		r := httptest.NewRequest(http.MethodPost, "/consola"+address, strings.NewReader(wrong()))
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w := httptest.NewRecorder()
		if newConsole(t).ServeHTTP(w, r); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "10048") {
			t.Errorf("%s: %d", address, w.Code)
		}
	}
}

// TestWrongChoicesAreRefused in words.
func TestWrongChoicesAreRefused(t *testing.T) {
	c := newConsole(t)
	for _, choice := range []string{"operation=FEX", "operation=" + url.QueryEscape("<script>"), "date=x", "date=9999-99-99", "date=-1", "gateway=2", "gateway=x"} {
		if f, w := c.judge(t, wrong(), choice); w.Code != http.StatusBadRequest || f.Problem == "" || strings.Contains(w.Body.String(), "script") {
			t.Errorf("%s: %d %s", choice, w.Code, w.Body)
		}
	}
}
