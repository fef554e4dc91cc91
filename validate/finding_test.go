package validate_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fielato/fielato/validate"
)

func TestARequestIsRefusedByWhatIsMadeOfItsFindings(t *testing.T) {
	for _, severity := range []validate.Severity{validate.Shape, validate.ERR, validate.SEQ, validate.EXC, validate.OBS} {
		if got, want := severity.Rejects(), severity != validate.OBS; got != want {
			t.Errorf("%s rejects: %v, want %v", severity, got, want)
		}
		observed := validate.Finding{Severity: severity, Action: validate.ActionObserve}
		if got, want := validate.Refuses([]validate.Finding{observed}), severity == validate.Shape; got != want {
			t.Errorf("%s that is observed refuses: %v, want %v", severity, got, want)
		}
		refused := validate.Finding{Severity: severity, Action: validate.ActionRefuse}
		if !validate.Refuses([]validate.Finding{observed, refused}) {
			t.Errorf("%s that refuses does not", severity)
		}
	}
	if validate.Refuses(nil) {
		t.Error("no finding refuses")
	}
}

func TestTheCodesOfShape(t *testing.T) {
	words := []string{
		"syntax", "bom", "utf8", "character", "trailing", "depth", "items", "kind", "unknown", "case", "duplicate", "missing", "fraction",
		"range", "too_many",
	}
	var want []string
	for _, prefix := range []string{"shape.", "answer."} {
		for _, word := range words {
			want = append(want, prefix+word)
		}
	}
	if got := validate.ShapeCodes(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestAFindingOfShapeHasNoNumber(t *testing.T) {
	for code, want := range map[string]int32{"10048": 10048, "shape.kind": 0, "": 0, "99999999999": 0} {
		if got := (validate.Finding{Code: code}).Number(); got != want {
			t.Errorf("%q has the number %d, want %d", code, got, want)
		}
	}
}

// The code stands beside it, and clients print both.
func TestAMessageTellsItsValuesAndItsPlace(t *testing.T) {
	for _, c := range []struct {
		finding validate.Finding
		want    string
	}{
		{validate.Finding{Code: "10052", Text: "Falta.", Pointer: "/a/0/b"}, "Falta. (/a/0/b)"},
		{
			validate.Finding{Code: "10030", Text: "Es otro.", Pointer: "/a", Expected: "1", Got: "4"},
			"Es otro. Se esperaba 1. Se recibió 4. (/a)",
		},
		{
			// A text without a full stop has its values in it.
			validate.Finding{Code: "10030", Text: "Concepto es 4: informe 1", Pointer: "/a", Expected: "1", Got: "4"},
			"Concepto es 4: informe 1 (/a)",
		},
		{
			// What was expected and got stands in the text of such a finding.
			validate.Finding{
				Code: "10048", Text: "ImpTotal es 122,00, pero sus componentes suman 121,00", Pointer: "/a",
				Expected: "121.00", Got: "122.00", Difference: "1", Tolerance: "0.01",
			},
			"ImpTotal es 122,00, pero sus componentes suman 121,00; diferencia 1,00, tolerancia 0,01 (/a)",
		},
	} {
		if got := c.finding.Message(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A Msg of the service has 255 characters: the place is kept whole.
func TestALongMessageIsCutInItsMiddle(t *testing.T) {
	f := validate.Finding{Code: "10048", Text: strings.Repeat("ñ", 300), Pointer: "/a/0/b"}
	got := f.Message()
	if n := utf8.RuneCountInString(got); n != 255 || !strings.HasPrefix(got, "ñ") || !strings.HasSuffix(got, "ñ… (/a/0/b)") {
		t.Errorf("%d characters: %q", n, got)
	}
}
