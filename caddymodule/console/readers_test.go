package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestRowsOfTheGatewayBindTheConsole: a reader of another issuer finds no record, and who is no reader sees nothing.
func TestRowsOfTheGatewayBindTheConsole(t *testing.T) {
	p := serve(t, siteOf(guarded), "reader desk {\n user contadora\n cuits 30-50001091-2\n }")
	if got := p.open(http.MethodGet, "/consola/search", contadora); got.Status != http.StatusOK || !strings.Contains(string(got.Body), "Solo comprobantes de la CUIT 30-50001091-2.") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	p = serve(t, siteOf(guarded), "reader chief {\n user jefa\n cuits *\n }")
	if got := p.open(http.MethodGet, "/consola/search", contadora); got.Status != http.StatusForbidden || !strings.Contains(string(got.Body), "Usted no tiene permiso") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// TestReadersOfOneConsoleAreNotThoseOfAnother: who may see all at the console of the staff does not decide who may at the
// one of the customers, which has users of its own.
func TestReadersOfOneConsoleAreNotThoseOfAnother(t *testing.T) {
	staff := "http://" + caddytest.FreeAddress(t)
	all := strings.ReplaceAll(siteOf(guarded+" {\n readers *\n }"), "SITE", staff)
	p := serve(t, siteOf(guarded)+all, "reader chief {\n user jefa\n cuits *\n }")
	for console, want := range map[string]int{p.console: http.StatusForbidden, staff: http.StatusOK} {
		at := &edge{t, console, p.gateway}
		if got := at.open(http.MethodGet, "/consola/search", contadora); got.Status != want {
			t.Errorf("a user without a row at %s: %d, want %d", console, got.Status, want)
		}
	}
}
