package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

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
	*caddytest.Stub
	mu   sync.Mutex        // guards what follows, while a request is under way
	seen map[string]string // the name, by whom
	path string
	head *http.Request
}

// forget begins anew.
func (m *manyReaders) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen, m.path, m.head = map[string]string{}, "", nil
}

// noted returns what was read since, and the last request.
func (m *manyReaders) noted() (seen map[string]string, head *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen, m.head
}

func newManyReaders(t *testing.T) *manyReaders {
	m := &manyReaders{}
	m.Stub = caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
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
		caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
	})
	return m
}

// sendLine sends a request on a connection of its own. HOST in the line is the site's address.
func sendLine(t *testing.T, s *caddytest.Site, line, header, body string) caddytest.Response {
	t.Helper()
	conn, reader := connect(t, s)
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
func (m *manyReaders) exchange(t *testing.T, s *caddytest.Site, line, header string) caddytest.Response {
	t.Helper()
	m.forget()
	before := caddytest.SizeOf(t, s.Store)
	got := sendLine(t, s, line, header, caeaBody)
	m.mu.Lock()
	defer m.mu.Unlock()
	added := caddytest.RecordsSince(t, s.Store, before)
	for name, reader := range m.seen {
		intended := slices.ContainsFunc(added, func(r *audit.Record) bool {
			return r.Kind == audit.KindIntent && r.Operation == name
		})
		if op := wsfev1.OperationByName(name); op.Effect == wsfev1.EffectChanges && !intended {
			t.Errorf("%s %q: who reads %s carries out %s, of which there is no intent (the service got %s %v)",
				line, header, reader, name, m.path, m.head.Header)
		}
	}
	return got
}
