package caddymodule_test

import (
	"strings"
	"testing"
)

// TestCredentialsOfRequestsAreNotKept, however wrong the request is.
func TestCredentialsOfRequestsAreNotKept(t *testing.T) {
	v := openVault(t, "", answering(200, approval))
	escaped := markers{strings.ReplaceAll(v.token, "/", `\/`), strings.ReplaceAll(v.sign, "+", `\u002b`)}
	requests := requestsWithCredentials()
	for name, body := range requests {
		for _, m := range []markers{v.markers, escaped} {
			operation := "FECAESolicitar"
			if name == "another CAEA" {
				operation = "FECAEASinMovimientoInformar"
			}
			if got := v.post(operation, m.in(body)); got.header.Get("Wsfev1-Record") == "" {
				t.Errorf("%s: %d without a record: %s", name, got.status, got.body)
			}
		}
	}
	if n := len(v.records()); n < 40 {
		t.Errorf("only %d records", n)
	}
	// The same in other places of a request, where they have no business.
	r := v.request(t.Context(), "FECAESolicitar", v.in(requests["right"]))
	r.Header.Set("Authorization", "Bearer "+v.token)
	v.do(r)
	v.load(strings.Replace(v.options, "audit sqlite", "max_body 1MiB\n audit sqlite", 1))
	v.post("FECAESolicitar", v.in(requests["right"]))
	v.search(t)
}

// TestNoPieceOfACredentialInAPathIsRecorded: a Sign has slashes, and steps between them that
// are as short as names. Caddy's own access log has the address, as it has that of any site.
func TestNoPieceOfACredentialInAPathIsRecorded(t *testing.T) {
	s := start(t, "respond ok")
	long := strings.Repeat("Q0FFU29saWNpdGFy/", 12)
	for path, want := range map[string]string{
		"FECAESolicitr": "POST /api/wsfev1/FECAESolicitr",
		"FECAESolicitar/aG9sYQ/" + strings.Repeat("x", 33) + "/Z2VoZWlt": "POST hmac-sha256:",
		long: "POST hmac-sha256:",
	} {
		s.post(path, "{}")
		kept := s.last().Detail
		if !strings.HasPrefix(kept, want) || len(kept) > len(want)+32 {
			t.Errorf("%s is recorded as %s", path, kept)
		}
	}
}
