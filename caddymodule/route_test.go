package caddymodule_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// caeaBody is a right body of both FECAEASolicitar, which changes something, and
// FECAEAConsultar, which does not.
const caeaBody = "{" + authText + `,"Periodo":202611,"Orden":2}`

// readers are the ways in which services find the operation in a request.
var readers = map[string]func(r *http.Request) []string{
	"the first prefix":       func(r *http.Request) []string { return []string{afterFirst(r.RequestURI)} },
	"the last prefix":        func(r *http.Request) []string { return []string{afterLast(r.RequestURI)} },
	"the first, decoded":     func(r *http.Request) []string { return []string{afterFirst(decoded(r.RequestURI))} },
	"the last, decoded":      func(r *http.Request) []string { return []string{afterLast(decoded(r.RequestURI))} },
	"decoded twice":          func(r *http.Request) []string { return []string{afterFirst(decoded(decoded(r.RequestURI)))} },
	"decoded by the library": func(r *http.Request) []string { return []string{afterFirst(r.URL.Path), afterLast(r.URL.Path)} },
	"cleaned":                func(r *http.Request) []string { return []string{afterFirst(path.Clean(decoded(r.RequestURI)))} },
	"the last segment":       func(r *http.Request) []string { return []string{path.Base(decoded(r.RequestURI))} },
	"letters of any case":    func(r *http.Request) []string { return []string{afterFirst(strings.ToLower(r.RequestURI))} },
	"backslashes as slashes": func(r *http.Request) []string {
		return []string{afterFirst(strings.ReplaceAll(decoded(r.RequestURI), `\`, "/"))}
	},
	"any segment":               func(r *http.Request) []string { return strings.FieldsFunc(decoded(r.RequestURI), isDelimiter) },
	"the value of any header":   func(r *http.Request) []string { return wordsOf(r.Header) },
	"the value of any trailer":  func(r *http.Request) []string { return wordsOf(r.Trailer) },
	"the parameters":            func(r *http.Request) []string { return strings.FieldsFunc(decoded(r.URL.RawQuery), isDelimiter) },
	"the first that is encoded": func(r *http.Request) []string { return []string{afterFirst(r.URL.EscapedPath())} },
}

func isDelimiter(r rune) bool { return strings.ContainsRune(`/\;?#&=%,:" `+"\x00\t\r\n", r) }

func decoded(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

func afterFirst(text string) string {
	_, rest, _ := strings.Cut(text, wsfev1.PathPrefix)
	return beginning(rest)
}

func afterLast(text string) string {
	return beginning(text[max(0, strings.LastIndex(text, wsfev1.PathPrefix)+len(wsfev1.PathPrefix)):])
}

func beginning(text string) string {
	if at := strings.IndexFunc(text, isDelimiter); at >= 0 {
		return text[:at]
	}
	return text
}

func wordsOf(header http.Header) (words []string) {
	for name, values := range header {
		for _, value := range values {
			words = append(words, strings.FieldsFunc(name+" "+value+" "+decoded(value), isDelimiter)...)
		}
	}
	return words
}

// manyReaders is a service that notes each operation that somebody could read in a request.
type manyReaders struct {
	*stub
	mu   sync.Mutex        // guards seen
	seen map[string]string // the name, by whom
	path string
	head *http.Request
}

func newManyReaders(t *testing.T) *manyReaders {
	m := &manyReaders{}
	m.stub = newStub(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the trailers come after it
		m.mu.Lock()
		defer m.mu.Unlock()
		m.path, m.head = r.RequestURI, r
		for reader, read := range readers {
			for _, name := range read(r) {
				if op := namedLike(name); op != nil {
					m.seen[op.Name] = reader
				}
			}
		}
		answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
	})
	return m
}

// sendLine sends a request on a connection of its own. HOST in the line is the site's address.
func (s *site) sendLine(t *testing.T, line, header, body string) response {
	t.Helper()
	conn, reader := s.connect(t)
	defer conn.Close()
	host := conn.RemoteAddr().String()
	_, err := fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		strings.ReplaceAll(line, "HOST", host), host, len(body), header, body)
	if err != nil {
		t.Fatal(err)
	}
	return readRaw(t, reader)
}

// exchange sends a request line with headers, and fails the test if a service could read in it a
// change that the trail has no intent of.
func (m *manyReaders) exchange(t *testing.T, s *site, line, header string) response {
	t.Helper()
	m.mu.Lock()
	m.seen, m.path, m.head = map[string]string{}, "", nil
	m.mu.Unlock()
	before := len(s.records())
	got := s.sendLine(t, line, header, caeaBody)
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, reader := range m.seen {
		intended := slices.ContainsFunc(s.records()[before:], func(r *audit.Record) bool {
			return r.Kind == audit.KindIntent && r.Operation == name
		})
		if op := wsfev1.OperationByName(name); op.Effect == wsfev1.EffectChanges && !intended {
			t.Errorf("%s %q: who reads %s carries out %s, of which there is no intent (the service got %s %v)",
				line, header, reader, name, m.path, m.head.Header)
		}
	}
	return got
}

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
	for _, target := range []string{
		change + "/../FECAEAConsultar", query + "/../FECAEASolicitar", change + "%2f..%2fFECAEAConsultar", query + "/%2e%2e/FECAEASolicitar",
		"/FECAEASolicitar/.." + query, "http://HOST" + change + query, "http://x@HOST" + query + "/." + change, "//x" + query,
		query + "?op=FECAEASolicitar", query + "?", query + "?" + change, query + "#" + change, query + ";op=FECAEASolicitar", "*", "x" + query,
	} {
		all = append(all, target)
	}
	return all
}

// TestNoPathHidesAChange: whoever reads a request that has passed, in whatever way, finds the
// operation that the gateway has judged.
func TestNoPathHidesAChange(t *testing.T) {
	m := newManyReaders(t)
	s := start(t, proxyTo(m.URL))
	targets := shapes()
	if len(targets) < 60 {
		t.Fatalf("only %d shapes", len(targets))
	}
	for _, target := range targets {
		if got := m.exchange(t, s, "POST "+target, ""); got.status < 400 || m.head != nil {
			t.Errorf("%s has passed: %d %s", target, got.status, got.body)
		}
	}
	for _, base := range []string{"", "/base", "/Base/v1.2/~a_b-c", "/api", "/wsfev1", "http:", "http://HOST", "http://user@HOST/base"} {
		for _, name := range []string{"FECAEAConsultar", "FECAEASolicitar"} {
			target := base + wsfev1.PathPrefix + name
			want := strings.NewReplacer("http://user@HOST", "", "http://HOST", "", "http:", "").Replace(target)
			if got := m.exchange(t, s, "POST "+target, ""); got.status != 200 || m.path != want || m.seen[name] == "" {
				t.Errorf("%s: %d %s, the service got %q", target, got.status, got.body, m.path)
			}
		}
	}
}

// TestUnknownPathsAreRefusedInTheErrorBody, and are recorded.
func TestUnknownPathsAreRefusedInTheErrorBody(t *testing.T) {
	s := start(t, "respond ok")
	for _, target := range []string{
		"/api/wsfev1/FECAEASolicitar/api/wsfev1/FECAEAConsultar", "/a;b/api/wsfev1/FECAEAConsultar", "/a%20b/api/wsfev1/FECAEAConsultar",
		"//api/wsfev1/FECAEAConsultar", "/../api/wsfev1/FECAEAConsultar", "/FEDummy/api/wsfev1/FECAEAConsultar", "/API/wsfev1/api/wsfev1/FECAEAConsultar",
		"/api/wsfev1/FECAEAConsultar/", "/api/wsfev1/FECAEAConsultar;x", "/ñ/api/wsfev1/FECAEAConsultar",
	} {
		checkErrorBody(t, s.sendLine(t, "POST "+target, "", "{}"), 404, "http.operation")
		if r := s.last(); r.Outcome != "inadmissible" || r.Operation != "" || !strings.HasPrefix(r.Detail, "POST ") {
			t.Errorf("%s: recorded %s %s %s", target, r.Outcome, r.Operation, r.Detail)
		}
	}
}

// TestBuiltInServiceReadsThePathAsTheGatewayDoes.
func TestBuiltInServiceReadsThePathAsTheGatewayDoes(t *testing.T) {
	s := startAs(t, func(s *site) string {
		return quietly + serviceSite(strings.TrimPrefix(s.url, "http://"), filepath.Join(t.TempDir(), "ledger.db"), "")
	})
	for _, target := range shapes() {
		if got := s.sendLine(t, "POST "+target, "", caeaBody); got.status < 400 {
			t.Errorf("%s: %d %s", target, got.status, got.body)
		}
	}
	if got := s.sendLine(t, "POST /base/api/wsfev1/FECAEAConsultar", "", caeaBody); got.status != 200 || len(got.body) == 0 {
		t.Errorf("a right path: %d %s", got.status, got.body)
	}
}
