package xmlscan_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/hostile"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/xmlscan"
)

// TestNothingThatIsExportedPanics whatever it is given.
func TestNothingThatIsExportedPanics(t *testing.T) {
	caller := &hostile.Caller{}
	var called []string
	for name, function := range map[string]any{
		"AppendText": xmlscan.AppendText, "Decode": xmlscan.Decode, "Representable": xmlscan.Representable, "IsName": xmlscan.IsName, "NewLines": xmlscan.NewLines, "NewPlaces": xmlscan.NewPlaces, "IsSpace": xmlscan.IsSpace, "TrimSpace": xmlscan.TrimSpace,
	} {
		caller.Function(t, name, function)
		called = append(called, name)
	}
	places := xmlscan.NewPlaces([]byte("\xFF"), xmlscan.UTF16BE)
	lines := xmlscan.NewLines([]byte("a\n\xFF"))
	for _, receiver := range []any{new(xmlscan.Scanner), &places, &lines, xmlscan.Attr{}, xmlscan.Encoding(255), &xmlscan.Error{}, (*xmlscan.Error)(nil)} {
		called = append(called, caller.Methods(t, receiver)...)
	}
	hostile.Missing(t, called)
}

// TestTimeGrowsWithTheDocument reads what scanners get slow on, in one size and in eight times it.
// Eight times as long is right; a scanner that looks back takes sixty-four times.
func TestTimeGrowsWithTheDocument(t *testing.T) {
	for name, piece := range map[string]string{
		"elements": `<a/>`, "text": `aaaa`, "entities": `&amp;&#65;`, "comments": `<!---->`, "sections": `<![CDATA[]]>`, "instructions": `<?a?>`,
		"brackets": `]] `, "attributes": `<a ` + numbered(` b%d=""`, xmlscan.MaxAttributes) + `/>`,
		"namespaces": `<a ` + numbered(` xmlns:b%d="c"`, xmlscan.MaxNamespaces/2) + `><b5:a/></a>`,
		"prefixes":   `<x:a b="1" x:c="2"/>`, "depth": strings.Repeat("<a>", 60) + strings.Repeat("</a>", 60), "returns": "\r\n", "characters": "ñ",
	} {
		size := testrun.Whole(t, 48<<10, 256<<10)
		small := processorTime(t, piece, size)
		if large := processorTime(t, piece, 8*size); large > 24*max(small, 100_000) {
			t.Errorf("%s: %d ns, and %d ns for eight times as much", name, small, large)
		}
	}
}

// processorTime returns the least of the times that reading a document takes, in nanoseconds.
func processorTime(t *testing.T, piece string, size int) int64 {
	t.Helper()
	document := []byte(`<a xmlns:x="urn:a">` + strings.Repeat(piece, size/len(piece)) + `</a>`)
	least := int64(1 << 62)
	var s xmlscan.Scanner
	var buffer []byte
	for range 5 {
		began := testrun.ProcessorTime()
		s.Reset(document, known)
		for {
			kind, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if kind == xmlscan.EOF {
				break
			}
			if kind == xmlscan.Text {
				buffer = s.Text(buffer[:0])[:0]
			}
		}
		least = min(least, int64(testrun.ProcessorTime()-began))
	}
	return least
}
