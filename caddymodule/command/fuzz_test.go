package command

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// documentSeeds returns documents of all kinds, with $T and $S for credentials.
func documentSeeds(t testing.TB) (all [][]byte) {
	requests := caddytest.RequestsWithCredentials()
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		all = append(all, []byte(requests[name]))
	}
	names, err := filepath.Glob("../../wsfev1/soap/testdata/*/*.xml")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("VE9LRU4tREUtUFJVRUJB"), []byte("$T"))
		all = append(all, bytes.ReplaceAll(text, []byte("RklSTUEtREUtUFJVRUJB"), []byte("$S")))
	}
	return append(all, []byte("POST /$T HTTP/1.1\n\n{}"))
}

// FuzzDocuments checks and converts any bytes: nothing panics, and no message has a credential.
func FuzzDocuments(f *testing.F) {
	for _, seed := range documentSeeds(f) {
		f.Add(seed, "", false)
		f.Add(seed, "FECAESolicitar", true)
	}
	judge, err := rules.NewRules(rules.Settings{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, operation string, answer bool) {
		checkDocument(t, judge, body, operation, answer)
	})
}

// credentialPlace is where $T and $S are credentials. Anywhere else nothing shows what they are,
// unless they stand here too.
var credentialPlace = regexp.MustCompile(`(?:Token|Sign)(?:>|":")\$[TS]`)

// checkDocument checks a document and converts it, there and back.
func checkDocument(t *testing.T, with *rules.Rules, body []byte, operation string, answer bool) {
	t.Helper()
	redactor, m := forms.NewRedactor(), caddytest.NewMarkers()
	body = credentialPlace.ReplaceAllFunc(body, func(found []byte) []byte { return []byte(m.In(string(found))) })
	printed := checkedText(t, with, redactor, body)
	c := forms.Converter{Operation: validate.ARCA.Operation(operation), Answer: answer, Redactor: redactor}
	c.Note = func(text string) { printed += text + "\n" }
	result, err := c.Convert(body, "")
	if err != nil {
		printed += err.Error()
	}
	m.AbsentFrom(t, "what is printed", []byte(printed))
	if err != nil {
		return
	}
	c.Operation, c.Answer = result.Operation, result.Answer && !result.XML
	if again, err := c.Convert(result.Indented().Printable(), ""); err != nil || again.XML == result.XML {
		t.Fatalf("%v: %q is converted to %q", err, body, result.Text)
	}
}

// TestMutantsOfDocuments are what FuzzDocuments would try first.
func TestMutantsOfDocuments(t *testing.T) {
	judge, err := rules.NewRules(rules.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(20261122, 3))
	pieces := []string{"<", ">", "/", "\"", "{", "}", ",", ":", "\x00", "\xFF", "&", "<!--", "-->", "<Auth>", "</Auth>", "]]>", "1e400", "null", " xsi:nil='true'"}
	for _, seed := range documentSeeds(t) {
		for range testrun.Size(t, 5, 60) {
			body := bytes.Clone(seed)
			for range 1 + random.IntN(3) {
				at := random.IntN(len(body))
				end := min(len(body), at+random.IntN(6))
				body = slices.Concat(body[:at], []byte(pieces[random.IntN(len(pieces))]), body[end:])
			}
			checkDocument(t, judge, body, "", random.IntN(8) == 0)
		}
	}
}

// checkedText returns what check prints about a file, in both formats.
func checkedText(t *testing.T, with *rules.Rules, redactor *mask.Redactor, body []byte) string {
	t.Helper()
	c := fileChecker{documents.Judge{
		Book: &intake.Book{Contract: validate.ARCA, Rules: with, Whole: true}, Redactor: redactor,
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
	}, bytes.NewReader(body)}
	var out strings.Builder
	err := c.file("-", func(result *checkedFile) error {
		return errors.Join(findingsPrinter{}.print(&out, result), printCheckLine(&out, result))
	})
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return out.String()
}

// TestDocumentsTakeLinearTime: ten times the bytes take some ten times the work.
func TestDocumentsTakeLinearTime(t *testing.T) {
	judge, err := rules.NewRules(rules.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	const open = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/">`
	for name, text := range map[string][2]string{
		"white space":       {"", " "},
		"lines":             {"", "\n<"},
		"unknown elements":  {open, "<x/>"},
		"comments":          {open, "<!-- \n -->"},
		"repeated elements": {open, "<Auth/>"},
		"items":             {open + "<FeCAEReq><FeDetReq>", "<FECAEDetRequest><ImpTotal>x</ImpTotal></FECAEDetRequest>"},
		"brackets":          {"{", `"a":[`},
	} {
		document := []byte(text[0] + strings.Repeat(text[1], (2<<20)/len(text[1])))
		begun := time.Now()
		checkedText(t, judge, forms.NewRedactor(), document)
		c := forms.Converter{Redactor: forms.NewRedactor(), Note: func(string) {}}
		_, _ = c.Convert(document, "")
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: 2 MiB took %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}
