package documents

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// found writes what a file was split into: the line and the text of each document.
func found(t interface{ Fatal(...any) }, d *Reader) (all []string) {
	for {
		doc, err := d.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(string(doc.Body))
		if doc.tooLarge {
			text = "too large"
		}
		all = append(all, fmt.Sprintf("%d %s", doc.Line, text))
	}
}

// TestAFileIsSplitIntoItsDocuments, and text that is not JSON does not hide a document.
func TestAFileIsSplitIntoItsDocuments(t *testing.T) {
	for file, want := range map[string][]string{
		"":                                {},
		" \t\r\n\n":                       {},
		`{"a":1}`:                         {`1 {"a":1}`},
		"\n\n{}\n":                        {"3 {}"},
		"{}\r\n{}\r\n":                    {"1 {}", "2 {}"},
		"1\n\"a\"\nnull\n[]":              {"1 1", `2 "a"`, "3 null", "4 []"},
		"{\n\n\"a\": [\n{}\n]}\n{}":       {"1 {\n\n\"a\": [\n{}\n]}", "6 {}"},
		"{} {}\n":                         {"1 {} {}"},
		"{\n} x\n{}":                      {"1 {\n} x", "3 {}"},
		"{\"}\": \"{\\\"{\"\n}\n{}":       {"1 {\"}\": \"{\\\"{\"\n}", "3 {}"},
		"{\"a\":\"\\\\\"}\n{}":            {`1 {"a":"\\"}`, "2 {}"},
		"}\n]\n{}":                        {"1 }", "2 ]", "3 {}"},
		"x y\n{}":                         {"1 x y", "2 {}"},
		"{\"a\":\"b\n{\"c\":1}\n{}":       {`1 {"a":"b`, `2 {"c":1}`, "3 {}"},
		"{\"a\":1,\"b\"\n{\"c\":1}\n":     {`1 {"a":1,"b"`, `2 {"c":1}`},
		"{\"a\":{}\n{\"c\":1}\n":          {`1 {"a":{}`, `2 {"c":1}`},
		"{\"a\":{\n{\"c\":1}\n":           {`1 {"a":{`, `2 {"c":1}`},
		"{\"a\":\n{\"c\":1}\n}\n{}":       {"1 {\"a\":\n{\"c\":1}\n}", "4 {}"},
		"[\n{\"a\":1}\n,\n{\"b\":2}\n]":   {"1 [\n{\"a\":1}\n,\n{\"b\":2}\n]"},
		"{\n \"a\": 1\n {\"b\":2}\n}\n{}": {"1 {\n \"a\": 1\n {\"b\":2}\n}", "5 {}"},
		"{\n\"a\": \"x\n}\n \"y\"\n":      {"1 {\n\"a\": \"x\n}\n \"y\""},
		"12345678901234567890123\n{}":     {"1 too large", "2 {}"},
		"{\n\"a\":1,\n\"b\":2,\n\"c\":3,\n\"d\":4}\n{}":    {"1 too large", "6 {}"},
		"{\n12345678901234567890123\n}\n{}":                {"1 too large", "3 }", "4 {}"},
		"{\"a\":1\n{12345678901234567890123\n}\n{}":        {"1 too large", "3 }", "4 {}"},
		"1234567890123456789012345":                        {"1 too large"},
		"{\"a\":1,\n\"bbbbbbbbbbbb\":2,\n\"c\":3\n}\n{}":   {"1 too large", "5 {}"},
		"{\"a\":1\n{}\"x\n}\n{}":                           {"1 {\"a\":1\n{}\"x\n}", "4 {}"},
		strings.Repeat(" ", 30) + "\n{}":                   {"1 too large", "2 {}"},
		"[[\n" + strings.Repeat("1,\n", 9) + "1\n]]\n{}\n": {"1 too large", "13 {}"},
	} {
		limit := 40
		if slices.Contains(want, "1 too large") {
			limit = 20
		}
		if got := found(t, NewReader(strings.NewReader(file), limit)); !slices.Equal(got, want) {
			t.Errorf("%q is split into %q, want %q", file, got, want)
		}
	}
}

// TestAFileOfRightDocumentsIsSplitRight, however each is written.
func TestAFileOfRightDocumentsIsSplitRight(t *testing.T) {
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		text := rapid.Map(rapid.SampledFrom([]string{"", "a", `\"`, `\\`, "{", "}]", ":", "ñ", `\n{`}), func(s string) string { return `"` + s + `"` })
		scalar := rapid.OneOf(text, rapid.SampledFrom([]string{"0", "-1.5e3", "true", "null"}))
		if depth == 0 {
			return scalar
		}
		object := rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(values []string) string {
			members := make([]string, len(values))
			for i, v := range values {
				members[i] = fmt.Sprintf(`"{m%d":%s`, i, v)
			}
			return "{" + strings.Join(members, ",") + "}"
		})
		list := rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(values []string) string { return "[" + strings.Join(values, ",") + "]" })
		return rapid.OneOf(scalar, object, list)
	}
	rapid.Check(t, func(t *rapid.T) {
		var file strings.Builder
		var want []string
		for range rapid.IntRange(0, 5).Draw(t, "documents") {
			file.WriteString(rapid.SampledFrom([]string{"", "\n", " \r\n\n"}).Draw(t, "between"))
			Document := jsontext.Value(value(3).Draw(t, "document"))
			if rapid.Bool().Draw(t, "pretty") {
				if err := Document.Indent(jsontext.WithIndent(rapid.SampledFrom([]string{"", "  ", "\t"}).Draw(t, "indent"))); err != nil {
					t.Fatal(err)
				}
			}
			want = append(want, fmt.Sprintf("%d %s", strings.Count(file.String(), "\n")+1, Document))
			file.WriteString(string(Document) + "\n")
		}
		if got := found(t, NewReader(strings.NewReader(file.String()), MaxDocument)); !slices.Equal(got, want) {
			t.Fatalf("%q is split into %q, want %q", file.String(), got, want)
		}
	})
}

// TestAFileThatBreaksOffGivesWhatCameBefore, and then the error with its line.
func TestAFileThatBreaksOffGivesWhatCameBefore(t *testing.T) {
	broken := errors.New("the disk is gone")
	d := NewReader(io.MultiReader(strings.NewReader("{}\n{\n"), iotest.ErrReader(broken)), MaxDocument)
	if doc, err := d.Next(); err != nil || string(doc.Body) != "{}\n" {
		t.Errorf("%q, %v", doc.Body, err)
	}
	if _, err := d.Next(); !errors.Is(err, broken) || d.line != 2 {
		t.Errorf("%v after line %d", err, d.line)
	}
}

// TestLongLinesAreReadWhole: lines longer than inputBuffer.
func TestLongLinesAreReadWhole(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 3*inputBuffer) + `"}`
	got := found(t, NewReader(iotest.HalfReader(strings.NewReader(long+"\n{}\n"+long)), MaxDocument))
	if want := []string{"1 " + long, "2 {}", "3 " + long}; !slices.Equal(got, want) {
		t.Errorf("%d documents", len(got))
	}
}
