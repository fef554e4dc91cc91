package tryit_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestExamplesShowWhatThePageDoes without a script: one finds nothing, the other a wrong total.
func TestExamplesShowWhatThePageDoes(t *testing.T) {
	for name, c := range map[string]*console{"no gateway": newConsole(t), "two": newConsole(t, book(t, false, nil), book(t, true, nil))} {
		// 23:30 of the 20th in Argentina is the 21st in UTC.
		c.Now = func() time.Time { return time.Date(2026, 11, 20, 23, 30, 0, 0, wsfev1.Argentina).UTC() }
		for _, address := range examplesOn(t, c) {
			shown := c.do(httptest.NewRequest(http.MethodGet, address, nil)).Body.String()
			document := boxOf(t, shown)
			if !strings.Contains(document, `"CbteFch": "20261120"`) || strings.Contains(document, "Token") {
				t.Errorf("%s: %s has\n%s", name, address, document)
			}
			f, _ := c.judge(t, document)
			wrong := strings.Contains(address, "wrong")
			if want := map[bool]string{true: "10048", false: ""}[wrong]; f.codes() != want {
				t.Errorf("%s: %s finds %q, want %q", name, address, f.codes(), want)
			}
			if strings.Contains(shown, "/rules/10048") != wrong || strings.Contains(shown, "Sin hallazgos: la pasarela") == wrong {
				t.Errorf("%s: %s shows\n%s", name, address, shown)
			}
		}
	}
}

// TestAnExampleHasTheMembersOfItsContract: the contract base lacks one, and the service remarks upon that.
func TestAnExampleHasTheMembersOfItsContract(t *testing.T) {
	base := book(t, false, nil)
	base.Contract = validate.Base
	c := newConsole(t, base)
	document := boxOf(t, c.do(httptest.NewRequest(http.MethodGet, "/consola/try?example=1", nil)).Body.String())
	if f, _ := c.judge(t, document); f.Class != "open" || f.codes() != "10245" {
		t.Errorf("%+v", f)
	}
}

// TestAnUnknownExampleIsNone.
func TestAnUnknownExampleIsNone(t *testing.T) {
	c := newConsole(t)
	w := c.do(httptest.NewRequest(http.MethodGet, "/consola/try?example=%3Cscript%3E", nil))
	if w.Code != http.StatusOK || boxOf(t, w.Body.String()) != "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestAnExampleIsOfTheGatewayThatWasChosen.
func TestAnExampleIsOfTheGatewayThatWasChosen(t *testing.T) {
	c := newConsole(t, []*intake.Book{book(t, false, nil), book(t, true, nil)}...)
	w := c.do(httptest.NewRequest(http.MethodGet, "/consola/try?example=wrong&gateway=2", nil))
	if body := w.Body.String(); !strings.Contains(body, "con observaciones") || !strings.Contains(body, `href="/consola/try?example=1&amp;gateway=2"`) {
		t.Error(body)
	}
}

// examplesOn returns the addresses of the examples that the page offers.
func examplesOn(t *testing.T, c *console) (addresses []string) {
	t.Helper()
	w := c.do(httptest.NewRequest(http.MethodGet, "/consola/try", nil))
	for _, found := range regexp.MustCompile(`href="([^"]*example=[^"]*)"`).FindAllStringSubmatch(w.Body.String(), -1) {
		addresses = append(addresses, html.UnescapeString(found[1]))
	}
	if len(addresses) != 2 || !strings.Contains(w.Body.String(), "Cargar un ejemplo") {
		t.Fatalf("the page offers %v", addresses)
	}
	return addresses
}

// boxOf returns what stands in the box of the page.
func boxOf(t *testing.T, page string) string {
	t.Helper()
	_, after, _ := strings.Cut(page, `<textarea id="document"`)
	_, after, opened := strings.Cut(after, ">")
	text, _, closed := strings.Cut(after, "</textarea>")
	if !opened || !closed {
		t.Fatal("no box on the page: " + page)
	}
	return html.UnescapeString(text)
}
