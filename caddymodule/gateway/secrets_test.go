package gateway_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/caddytest"
)

// TestCredentialsOfRequestsAreNotKept, however wrong the request is.
func TestCredentialsOfRequestsAreNotKept(t *testing.T) {
	v := caddytest.OpenVault(t, "", caddytest.Answering(200, caddytest.Approval))
	escaped := caddytest.Markers{Token: strings.ReplaceAll(v.Token, "/", `\/`), Sign: strings.ReplaceAll(v.Sign, "+", `\u002b`)}
	requests := caddytest.RequestsWithCredentials()
	for name, body := range requests {
		for _, m := range []caddytest.Markers{v.Markers, escaped} {
			operation := "FECAESolicitar"
			if name == "another CAEA" {
				operation = "FECAEASinMovimientoInformar"
			}
			if got := v.Post(operation, m.In(body)); got.Header.Get("Wsfev1-Record") == "" {
				t.Errorf("%s: %d without a record: %s", name, got.Status, got.Body)
			}
		}
	}
	if n := len(v.Records()); n < 40 {
		t.Errorf("only %d records", n)
	}
	// The same in other places of a request, where they have no business.
	r := v.Request(t.Context(), "FECAESolicitar", v.In(requests["right"]))
	r.Header.Set("Authorization", "Bearer "+v.Token)
	v.Do(r)
	v.Load(strings.Replace(v.Options, "audit sqlite", "max_body 1MiB\n audit sqlite", 1))
	v.Post("FECAESolicitar", v.In(requests["right"]))
	v.Search(t)
}

// TestNoPieceOfACredentialInAPathIsRecorded: a Sign has slashes, and steps between them that
// are as short as names. Caddy's own access log has the address, as it has that of any site.
func TestNoPieceOfACredentialInAPathIsRecorded(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	long := strings.Repeat("Q0FFU29saWNpdGFy/", 12)
	for path, want := range map[string]string{
		"FECAESolicitr": "POST /api/wsfev1/FECAESolicitr",
		"FECAESolicitar/aG9sYQ/" + strings.Repeat("x", 33) + "/Z2VoZWlt": "POST hmac-sha256:",
		long: "POST hmac-sha256:",
	} {
		s.Post(path, "{}")
		kept := s.Last().Detail
		if !strings.HasPrefix(kept, want) || len(kept) > len(want)+32 {
			t.Errorf("%s is recorded as %s", path, kept)
		}
	}
}
