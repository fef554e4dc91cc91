package catalogue_test

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/console/catalogue"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// newConsole returns a site with the pages about rules, on a day, whose trail must not be read.
func newConsole(t *testing.T, day wsfev1.Date, shelf *rulebook.Shelf) *site.Site {
	t.Helper()
	now, _ := day.Time()
	s := &site.Site{
		Base: "/consola", Logger: zap.NewNop(), Now: func() time.Time { return now.Add(12 * time.Hour) },
		Open: func(context.Context, func([]site.Source) error) error {
			t.Error("the trail was opened")
			return errors.New("no trail")
		},
		Shelf: func() *rulebook.Shelf { return shelf },
	}
	s.Prepare()
	catalogue.Add(s)
	return s
}

func get(s *site.Site, address string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/consola"+address, nil))
	return w
}

// codesOn returns the codes that a page lists.
func codesOn(page string) (codes []string) {
	for _, found := range regexp.MustCompile(`<a href="/consola/rules/(\d+)[?"]`).FindAllStringSubmatch(page, -1) {
		codes = append(codes, found[1])
	}
	return codes
}

// TestASearchFindsRules by what a person writes.
func TestASearchFindsRules(t *testing.T) {
	s := newConsole(t, "20261120", nil)
	for query, want := range map[string][]string{
		"10048":                {"10048"},
		"IMPTOTAL componen":    {"10048"},
		"RG 5616 condicioniva": {"10246"},
		"1024":                 {"10240", "10241", "10242", "10246"},
		"nothing of the kind":  nil,
		"<script>alert(1)":     nil,
	} {
		w := get(s, "/rules?q="+url.QueryEscape(query))
		found := codesOn(w.Body.String())
		for _, code := range want {
			if !slices.Contains(found, code) {
				t.Errorf("%q found %v, not %s", query, found, code)
			}
		}
		if want == nil && len(found) > 0 || w.Code != http.StatusOK || strings.Contains(w.Body.String(), "<script>alert") {
			t.Errorf("%q: %d, %v", query, w.Code, found)
		}
	}
	if w := get(s, "/rules?q=%ff%fe"); w.Code != http.StatusOK {
		t.Errorf("no UTF-8: %d", w.Code)
	}
	if w := get(s, "/rules?q="+strings.Repeat("a+", 1<<16)); w.Code != http.StatusOK || w.Body.Len() > 150_000 {
		t.Errorf("a long search: %d, %d bytes", w.Code, w.Body.Len())
	}
}

// TestAllRulesAreReached from page to page, each once, and each has a page of its own.
func TestAllRulesAreReached(t *testing.T) {
	s, seen := newConsole(t, "20261120", nil), map[string]bool{}
	next := regexp.MustCompile(`<a href="/consola([^"]+)" rel="next"`)
	for address := "/rules"; address != ""; {
		page := get(s, address).Body.String()
		for _, code := range codesOn(page) {
			if seen[code] {
				t.Errorf("%s is there twice", code)
			}
			seen[code] = true
		}
		address = ""
		if found := next.FindStringSubmatch(page); found != nil {
			address = strings.ReplaceAll(found[1], "&amp;", "&")
		}
	}
	if len(seen) != len(rules.Catalogue()) {
		t.Errorf("%d of %d rules", len(seen), len(rules.Catalogue()))
	}
	for code := range seen {
		if w := get(s, "/rules/"+code); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "/consola/search?finding="+code+`&amp;list=exchanges"`) {
			t.Errorf("the page of %s: %d", code, w.Code)
		}
	}
	for _, none := range []string{"0", "99999", "-1", "x", "99999999999999", "%3Cscript%3E"} {
		if w := get(s, "/rules/"+none); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("%s: %d", none, w.Code)
		}
	}
}

// TestTheLevelInForceIsShown, and where it was set.
func TestTheLevelInForceIsShown(t *testing.T) {
	shelf := &rulebook.Shelf{Books: []*intake.Book{
		{Contract: validate.ARCA, Named: map[string]validate.Level{"10048": validate.Off}},
		{Contract: validate.ARCA, Observe: true, Settings: rules.Settings{AbsoluteTolerance: wsfev1.MustAmount("0.05")}},
		{Contract: validate.Base},
	}}
	s := newConsole(t, "20261120", shelf)
	for address, want := range map[string][]string{
		"/rules/10048":             {"no se valida (off)", "la configuración, para esta regla", "observa (observe)", "la pasarela, que solo anota", "el valor de fábrica"},
		"/rules/10048?gateway=2":   {"0,05 en la moneda"},
		"/rules/10048?gateway=1":   {"0,01 en la moneda"},
		"/rules/10246":             {"la interfaz original, que no tiene el campo", "rige recién el 01/12/2026"},
		"/rules/600":               {"solo el servicio", "padrón"},
		"/rules?q=10048":           {"no se valida", "rule 10048 off"},
		"/rules?q=10048&gateway=2": {"observa", "la pasarela, que solo anota", "absolute_tolerance 0.05"},
		"/rules?level=off":         {">10048</a>"},
		"/rules?level=x":           {"Ninguna regla coincide"},
	} {
		page := get(s, address).Body.String()
		for _, said := range want {
			if !strings.Contains(page, said) {
				t.Errorf("%s lacks %q", address, said)
			}
		}
	}
	if w := get(s, "/rules?gateway=9"); w.Code != http.StatusBadRequest {
		t.Errorf("a gateway that is not there: %d", w.Code)
	}
	if page := get(newConsole(t, "20261201", nil), "/rules/10246").Body.String(); !strings.Contains(page, "desde el 01/12/2026") {
		t.Error("on its first day the rule is not in force")
	}
}

// TestCountsAreShown, and order the list.
func TestCountsAreShown(t *testing.T) {
	shelf := &rulebook.Shelf{Books: []*intake.Book{intake.Standard}, Counts: func(code int32) (c rulebook.Counts) {
		switch code {
		case 10048:
			return rulebook.Counts{Refused: 3, Observed: 4, Service: 9, Both: 5, GatewayAlone: 1, ServiceAlone: 2}
		case 600:
			return rulebook.Counts{Service: 77}
		}
		return c
	}}
	s := newConsole(t, "20261120", shelf)
	page := get(s, "/rules/10048").Body.String()
	for _, said := range []string{"comprobantes: 5 de 8", `hallazgos que rechazaron: <span class="number">3<`, ">4</span>", `respondió con el código: <span class="number">9<`, ">1</span>", ">2</span>"} {
		if !strings.Contains(page, said) {
			t.Errorf("the page lacks %q", said)
		}
	}
	list := get(s, "/rules?sort=found").Body.String()
	if codes := codesOn(list); len(codes) < 3 || codes[0] != "600" || codes[1] != "10048" || !strings.Contains(list, ">77</td>") || !strings.Contains(list, "5 de 8") {
		t.Errorf("the most frequent first: %v", codes)
	}
	if page := get(newConsole(t, "20261120", nil), "/rules").Body.String(); !strings.Contains(page, "No hay ninguna pasarela") {
		t.Error("without a gateway the page does not say that nothing counts")
	}
}

// TestARuleIsInTheReadersWords: one language, its decimal sign, and no path of a file.
func TestARuleIsInTheReadersWords(t *testing.T) {
	s := newConsole(t, "20261120", nil)
	for _, rule := range rules.Catalogue() {
		page := get(s, "/rules/"+strconv.Itoa(int(rule.Code))).Body.String()
		if rule.English != rule.Spanish && strings.Contains(page, html.EscapeString(rule.English)) {
			t.Errorf("%d says it in English too", rule.Code)
		}
		if !strings.Contains(page, `name="q" value=""`) {
			t.Errorf("%d fills the search box", rule.Code)
		}
		if strings.Contains(page, "docs/") || strings.Contains(page, ".md") {
			t.Errorf("%d names a file", rule.Code)
		}
	}
	page := get(s, "/rules/10048").Body.String()
	for _, said := range []string{"0,01 en la moneda", "la fracción 0,0001"} {
		if !strings.Contains(page, said) {
			t.Errorf("no %q in %s", said, page)
		}
	}
	if page := get(s, "/rules/10015").Body.String(); !strings.Contains(page, "sección «receiver numbers»") {
		t.Error(page)
	}
}

// TestTheListIsInTheOrderOfTheCodes, and one rule is no plural.
func TestTheListIsInTheOrderOfTheCodes(t *testing.T) {
	s := newConsole(t, "20261120", nil)
	var codes []int
	for _, code := range codesOn(get(s, "/rules").Body.String()) {
		number, _ := strconv.Atoi(code)
		codes = append(codes, number)
	}
	if len(codes) < 2 || !slices.IsSorted(codes) {
		t.Errorf("%v", codes)
	}
	if page := get(s, "/rules?q=10048").Body.String(); !strings.Contains(page, "Reglas: 1 ·") {
		t.Error(page)
	}
}

// TestWhichVouchersADayCountsForIsSaid, in both languages, unless the configuration names the rule.
func TestWhichVouchersADayCountsForIsSaid(t *testing.T) {
	s := newConsole(t, "20261120", &rulebook.Shelf{Books: []*intake.Book{
		{Contract: validate.ARCA}, {Contract: validate.ARCA, Named: map[string]validate.Level{"826": validate.Enforce}},
	}})
	for address, want := range map[string]bool{
		"/rules/826": true, "/rules/10246": true, "/rules/826?gateway=2": false, "/rules/10048": false, "/rules/1440": false,
	} {
		if said := strings.Contains(get(s, address).Body.String(), "los comprobantes de fecha anterior solo se observan"); said != want {
			t.Errorf("%s: said is %t", address, said)
		}
	}
}

// TestWhatToDoIsSaid about codes that the service alone decides, in the reader's language.
func TestWhatToDoIsSaid(t *testing.T) {
	s := newConsole(t, "20261120", nil)
	for _, code := range []string{"600", "602", "10000", "10005", "10154", "11002"} {
		if page := get(s, "/rules/"+code).Body.String(); !strings.Contains(page, "<p>Qué hacer: ") {
			t.Errorf("%s: nothing to do", code)
		}
		if page := get(s, "/rules/"+code+"?lang=en").Body.String(); strings.Contains(page, `<html lang="en"`) && !strings.Contains(page, "<p>What to do: ") {
			t.Errorf("%s: nothing to do in English", code)
		}
	}
}
