package proof_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestAProofIsNoTest: "prueba" means the service for tests. The proof of a record has a word of its own.
func TestAProofIsNoTest(t *testing.T) {
	path, key := trailFile(t)
	page := serve(t, path, key).get("gateway-1/3").Body.String()
	wantAll(t, page, "<h1>Constancia: ", "Constancia <bdi>gateway-1/3")
	if found := regexp.MustCompile(`(?i)\bprueba.{9}`).FindString(strings.ReplaceAll(page, "De prueba, ", "")); found != "" {
		t.Errorf("the page says %q", found)
	}
}

// TestTheBuiltInServiceIsNamedInWords.
func TestTheBuiltInServiceIsNamedInWords(t *testing.T) {
	path, key := trailFile(t)
	wantAll(t, serve(t, path, key).get("gateway-1/0").Body.String(), ">servicio de prueba incorporado en la pasarela<")
}
