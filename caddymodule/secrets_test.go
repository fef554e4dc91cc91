package caddymodule_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// vault is a gateway that writes down as much as it can: log level DEBUG and the
// access log into its folder, besides the trail.
type vault struct {
	*site
	markers
	folder, options string
	upstream        *stub
}

// openVault starts a gateway in front of next, or of an upstream that answers with
// handle.
func openVault(t *testing.T, next string, handle http.HandlerFunc) *vault {
	t.Helper()
	v := &vault{markers: newMarkers(), folder: t.TempDir(), upstream: newStub(t, handle)}
	v.site = start(t, "respond ok")
	v.store = filepath.Join(v.folder, "audit.db")
	if next == "" {
		next = proxyTo(v.upstream.URL)
	}
	v.options = strings.Replace(v.config("audit sqlite "+v.store,
		"log {\n"+logTo(filepath.Join(v.folder, "access.log"))+" }\n "+next),
		"{\n", "{\n log {\n"+logTo(filepath.Join(v.folder, "default.log"))+" level DEBUG\n }\n", 1)
	v.load(v.options)
	return v
}

// logTo is the output of a log; one that rolls its file leaves a goroutine behind.
func logTo(file string) string { return " output file " + file + " {\n roll_disabled\n }\n" }

// search looks for the markers wherever the gateway leaves something.
func (v *vault) search(t *testing.T) {
	t.Helper()
	v.absentFrom(t, "/metrics", v.scrape())
	for _, arguments := range [][]string{{"search", "--format", "json", "--limit", "1000"}, {"search"}, {"show", "0"}, {"show", "0", "--format", "json"}} {
		out, errs, err := auditCommand(append(arguments, "--store", "sqlite:"+v.store)...)
		if err != nil {
			t.Errorf("%v: %v", arguments, err)
		}
		v.absentFrom(t, strings.Join(arguments, " "), []byte(out+errs))
	}
	v.absentFromFolder(t, v.folder) // the -wal is still there
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	if seen := v.absentFromFolder(t, v.folder); seen < 10_000 {
		t.Errorf("only %d bytes were looked through", seen)
	}
	for _, file := range []string{"audit.db", "default.log", "access.log"} {
		if info, err := os.Stat(filepath.Join(v.folder, file)); err != nil || info.Size() == 0 {
			t.Errorf("nothing in %s: %v", file, err)
		}
	}
}

// requestsWithCredentials are requests with $T for a Token and $S for a Sign, right
// ones and all kinds of wrong ones.
func requestsWithCredentials() map[string]string {
	right := strings.NewReplacer(token, "$T", sign, "$S").Replace(invoice(1))
	wrongTotal := strings.Replace(right, "121.00", "7.00", 1)
	return map[string]string{
		"right":                           right,
		"Token is a list":                 `{"Auth":{"Token":["$T"],"Sign":{"S":"$S"},"Cuit":20111111112}}`,
		"Cuit is the Token":               `{"Auth":{"Token":"x","Sign":"$S","Cuit":"$T"}}`,
		"wrong case":                      `{"Auth":{"token":"$T","SIGN":"$S","Cuit":20111111112}}`,
		"wrong case of Auth":              `{"auth":{"Token":"$T","Sign":"$S","Cuit":20111111112}}`,
		"unknown members of Auth":         `{"Auth":{"Tokn":"$T","More":{"Deep":["$S"]},"Cuit":20111111112}}`,
		"credentials without Auth":        `{"Token":"$T","Sign":"$S","Cuit":20111111112}`,
		"credentials in unknown members":  `{"Auth":{"Token":"$T","Sign":"$S","Cuit":20111111112},"Ticket":"$T","Deep":{"X":["a $S z"]}}`,
		"credentials as names":            `{"Auth":{"$T":"Token","$S":"Sign","Cuit":20111111112}}`,
		"credentials as names elsewhere":  `{"Auth":{"Token":"$T","Sign":"$S","Cuit":20111111112},"$T":{"$S":1}}`,
		"unknown credentials as names":    `{"$T":{"$S":1}}`,
		"credentials as names, cut off":   `{"Auth":{"Token":"x","$T":{"$S":`,
		"Auth is a text":                  `{"Auth":"$T$S"}`,
		"Auth is a list":                  `{"Auth":["$T","$S"]}`,
		"twice":                           `{"Auth":{"Token":"$T","Token":"$S","Sign":"$S","Cuit":20111111112}}`,
		"cut off":                         `{"Auth":{"Token":"$T","Sign":"$S`,
		"more after the end":              right + `{"Token":"$T"}`,
		"not JSON":                        `Token=$T&Sign=$S`,
		"XML":                             `<Auth><Token>$T</Token><Sign>$S</Sign></Auth>`,
		"a text alone":                    `"$T"`,
		"found by a rule":                 wrongTotal,
		"found by a rule, in other texts": strings.Replace(wrongTotal, `"MonId":"PES"`, `"MonId":"$T","CbteFch":"$S"`, 1),
		"under other names":               `{"auth_token":"$T","Firma":{"valor":"$S"},"Auth":{"Cuit":20111111112}}`,
		"as a text within another":        fmt.Sprintf(`{"body":%q}`, right),
		"XML within":                      `{"soap":"<Auth><Token>$T</Token><Sign>$S</Sign></Auth>"}`,
		"wrong case, and once more":       `{"Auth":{"token":"$T","SIGN":"$S","Cuit":20111111112},"x":"$T","FeCAEReq":"$S"}`,
		"list, and once more":             `{"Auth":{"Token":["$T"],"Sign":["$S"],"Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CbteTipo":"$S"}},"x":"$T"}`,
		"another CAEA":                    `{"Auth":{"Token":"$T","Sign":"$S","Cuit":20111111112},"PtoVta":3,"CAEA":"$T"}`,
	}
}

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
