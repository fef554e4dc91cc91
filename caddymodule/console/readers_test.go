package console_test

import (
	"net/http"
	"strings"
	"testing"
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
