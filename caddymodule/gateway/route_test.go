package gateway_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// caeaBody is a right body of both FECAEASolicitar, which changes something, and
// FECAEAConsultar, which does not.
var caeaBody = "{" + caddytest.AuthText + "," + caddytest.OpenFortnight() + "}"

// between is what may stand between two operations in a path, so that some see the one and some
// the other.
var between = []string{
	"", "/", "//", ";", ";x=", "?", "?x=", "%3f", "%3F", "%00", "%23", "#", "%2f", "%2F", "/..", "/.", "/%2e%2e", "/%2e", "/.%2e",
	`\`, "%5c", `\..`, "%252f", "%20", "%09", "%0d%0a", "%3b", ";/", "/;", "/..;", "/...", "&", "&x=", "%26", "+", ":", "@", "!", "~", "*", ",", "=", "$", "'", "(", "|", "%7c", "%c0%af", "%e2%81%84",
}

// shapes are request targets in which two operations can be read.
func shapes() (all []string) {
	const change, query = wsfev1.PathPrefix + "FECAEASolicitar", wsfev1.PathPrefix + "FECAEAConsultar"
	for _, separator := range between {
		all = append(all, change+separator+query, query+separator+change, change+separator+"/x"+query)
	}
	for _, prefix := range []string{
		"/API/WSFEV1/", "/Api/Wsfev1/", "/api/WSFEV1/", "/%61pi/wsfev1/", "/api%2fwsfev1%2f", "/api//wsfev1/", "/api/./wsfev1/", `/api\wsfev1\`,
		"/api/x/../wsfev1/", "//api/wsfev1/", "/wsfev1/", "/api/", "/", "/x/", "/api/wsfev1%2f", "/api/wsfev1//", "/api/wsfev1/./", "/api/wsfev1/x/../",
	} {
		all = append(all, prefix+"FECAEASolicitar"+query, query+prefix+"FECAEASolicitar", prefix+"FECAEASolicitar", prefix+"fecaeasolicitar"+query)
	}
	return append(all,
		change+"/../FECAEAConsultar", query+"/../FECAEASolicitar", change+"%2f..%2fFECAEAConsultar", query+"/%2e%2e/FECAEASolicitar",
		"/FECAEASolicitar/.."+query, "http://HOST"+change+query, "http://x@HOST"+query+"/."+change, "//x"+query,
		query+"?op=FECAEASolicitar", query+"?", query+"?"+change, query+"#"+change, query+";op=FECAEASolicitar", "*", "x"+query,
	)
}

// TestNoPathHidesAChange: a request that has passed, read in whatever way, is of the
// operation that the gateway has judged.
func TestNoPathHidesAChange(t *testing.T) {
	m := newManyReaders(t)
	s := caddytest.Start(t, caddytest.ProxyTo(m.URL))
	targets := shapes()
	if len(targets) < 60 {
		t.Fatalf("only %d shapes", len(targets))
	}
	for _, target := range targets {
		if got := m.exchange(t, s, "POST "+target, ""); got.Status < 400 || m.head != nil {
			t.Errorf("%s has passed: %d %s", target, got.Status, got.Body)
		}
	}
	for _, base := range []string{"", "/base", "/Base/v1.2/~a_b-c", "/api", "/wsfev1", "http:", "http://HOST", "http://user@HOST/base"} {
		for _, name := range []string{"FECAEAConsultar", "FECAEASolicitar"} {
			target := base + wsfev1.PathPrefix + name
			want := strings.NewReplacer("http://user@HOST", "", "http://HOST", "", "http:", "").Replace(target)
			if got := m.exchange(t, s, "POST "+target, ""); got.Status != 200 || m.path != want || m.seen[name] == "" {
				t.Errorf("%s: %d %s, the service got %q", target, got.Status, got.Body, m.path)
			}
		}
	}
}

// TestUnknownPathsAreRefusedInTheErrorBody, and are recorded.
func TestUnknownPathsAreRefusedInTheErrorBody(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	for _, target := range []string{
		"/api/wsfev1/FECAEASolicitar/api/wsfev1/FECAEAConsultar", "/a;b/api/wsfev1/FECAEAConsultar", "/a%20b/api/wsfev1/FECAEAConsultar",
		"//api/wsfev1/FECAEAConsultar", "/../api/wsfev1/FECAEAConsultar", "/FEDummy/api/wsfev1/FECAEAConsultar", "/API/wsfev1/api/wsfev1/FECAEAConsultar",
		"/api/wsfev1/FECAEAConsultar/", "/api/wsfev1/FECAEAConsultar;x", "/ñ/api/wsfev1/FECAEAConsultar",
	} {
		caddytest.CheckErrorBody(t, sendLine(t, s, "POST "+target, "", "{}"), 404, "http.operation")
		if r := s.Last(); r.Outcome != "inadmissible" || r.Operation != "" || !strings.HasPrefix(r.Detail, "POST ") {
			t.Errorf("%s: recorded %s %s %s", target, r.Outcome, r.Operation, r.Detail)
		}
	}
}

// TestNoHostHidesAChange: reverse_proxy repeats it in X-Forwarded-Host.
func TestNoHostHidesAChange(t *testing.T) {
	m := newManyReaders(t)
	s := startAs(t, func(s *caddytest.Site) string {
		return strings.Replace(s.Config(s.Audit(), caddytest.ProxyTo(m.URL)), s.URL+" {", "http://:"+caddytest.PortOf(s.URL)+" {", 1)
	})
	refused := 0
	for _, host := range []string{
		"[::1%25%2Fapi%2Fwsfev1%2FFECAEASolicitar]", "fecaeasolicitar", "x.FECAEASolicitar", "caf%C3%A9", "a;b", "a,b", "a'b", "a(b",
	} {
		got := m.exchange(t, s, "POST http://"+host+"/api/wsfev1/FECAEAConsultar", "")
		if got.Status != 400 || m.head != nil {
			t.Errorf("%s: %d %s", host, got.Status, got.Body)
		} else if got.Header.Get("Wsfev1-Outcome") != "" { // else the server itself has refused it
			caddytest.CheckErrorBody(t, got, 400, "http.host")
			refused++
		}
	}
	if refused < 5 {
		t.Errorf("only %d came to the gateway", refused)
	}
	for _, host := range []string{"a.example", "A-b_c.example:8080", "192.0.2.1", "[2001:db8::1]:80", "HOST"} {
		got := m.exchange(t, s, "POST http://"+host+"/api/wsfev1/FECAEAConsultar", "")
		if got.Status != 200 || host != "HOST" && m.head.Host != host {
			t.Errorf("%s: %d %s, %v", host, got.Status, got.Body, m.head)
		}
	}
}

// TestBuiltInServiceReadsThePathAsTheGatewayDoes.
func TestBuiltInServiceReadsThePathAsTheGatewayDoes(t *testing.T) {
	s := startAs(t, func(s *caddytest.Site) string {
		return caddytest.Quietly + caddytest.ServiceSite(strings.TrimPrefix(s.URL, "http://"), filepath.Join(t.TempDir(), "ledger.db"), "")
	})
	for _, target := range shapes() {
		if got := sendLine(t, s, "POST "+target, "", caeaBody); got.Status < 400 {
			t.Errorf("%s: %d %s", target, got.Status, got.Body)
		}
	}
	if got := sendLine(t, s, "POST /base/api/wsfev1/FECAEAConsultar", "", caeaBody); got.Status != 200 || len(got.Body) == 0 {
		t.Errorf("a right path: %d %s", got.Status, got.Body)
	}
}
