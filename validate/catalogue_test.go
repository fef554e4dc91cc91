package validate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds text against a file of testdata; -update writes it anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s; look at the change and run with -update\n got %s\nwant %s", path, got, want)
	}
}

func TestCodesAreUniqueAndAscending(t *testing.T) {
	last := int32(0)
	for _, rule := range rules.Catalogue() {
		if rule.Code <= last {
			t.Errorf("%d comes after %d", rule.Code, last)
		}
		last = rule.Code
	}
}

func TestEveryRuleSaysWhatItIs(t *testing.T) {
	source := regexp.MustCompile(`^domain\.md §\d+(\.\d+)*$`)
	for _, rule := range rules.Catalogue() {
		if !strings.HasSuffix(rule.Spanish, ".") || !strings.HasSuffix(rule.English, ".") || rule.Spanish == rule.English {
			t.Errorf("%d: Spanish %q, English %q", rule.Code, rule.Spanish, rule.English)
		}
		if !source.MatchString(rule.Source) {
			t.Errorf("%d: source %q", rule.Code, rule.Source)
		}
		for _, severity := range rule.Severities {
			if !slices.Contains([]validate.Severity{validate.ERR, validate.SEQ, validate.EXC, validate.OBS}, severity) {
				t.Errorf("%d: severity %q", rule.Code, severity)
			}
		}
		if len(rule.Severities) == 0 {
			t.Errorf("%d has no severity", rule.Code)
		}
		for _, name := range rule.Operations {
			if wsfev1.OperationByName(name) == nil {
				t.Errorf("%d: no operation %s", rule.Code, name)
			}
		}
		if len(rule.Operations) == 0 {
			t.Errorf("%d is about no operation", rule.Code)
		}
	}
}

func TestTheCatalogueIsAsReviewed(t *testing.T) {
	var b strings.Builder
	for _, r := range rules.Catalogue() {
		fmt.Fprintf(&b, "%d %v %s %s %s", r.Code, r.Severities, r.DecidedAt, r.Default, strings.Join(r.Operations, " "))
		if r.From != "" || r.Until != "" {
			fmt.Fprintf(&b, " from %q until %q", r.From, r.Until)
		}
		fmt.Fprintf(&b, " (%s)\n  %s\n  %s\n", r.Source, r.Spanish, r.English)
	}
	golden(t, "catalogue.golden", b.String())
}

func TestTheCatalogueThatIsReturnedIsACopy(t *testing.T) {
	rules.Catalogue()[0].Code = 1
	if rules.Catalogue()[0].Code == 1 {
		t.Error("a caller can change the catalogue")
	}
}

func TestTheCodesOfShape(t *testing.T) {
	words := []string{
		"syntax", "bom", "utf8", "trailing", "depth", "items", "kind", "unknown", "case", "duplicate", "missing", "fraction",
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

func TestAMessageTellsItsCodeItsValuesAndItsPlace(t *testing.T) {
	for _, c := range []struct {
		finding validate.Finding
		want    string
	}{
		{validate.Finding{Code: "10052", Text: "Falta.", Pointer: "/a/0/b"}, "10052: Falta. (/a/0/b)"},
		{
			validate.Finding{Code: "10030", Text: "Es otro.", Pointer: "/a", Expected: "1", Got: "4"},
			"10030: Es otro. Se esperaba 1. Se recibió 4. (/a)",
		},
		{
			// What was expected and got stands in the text of such a finding.
			validate.Finding{
				Code: "10048", Text: "ImpTotal 122.00 ≠ 121.00 (suma)", Pointer: "/a",
				Expected: "121.00", Got: "122.00", Difference: "1", Tolerance: "0.01",
			},
			"10048: ImpTotal 122.00 ≠ 121.00 (suma); diferencia 1, tolerancia 0.01 (/a)",
		},
	} {
		if got := c.finding.Message(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A Msg of the service has 255 characters: the code and the place are kept whole.
func TestALongMessageIsCutInItsMiddle(t *testing.T) {
	f := validate.Finding{Code: "10048", Text: strings.Repeat("ñ", 300), Pointer: "/a/0/b"}
	got := f.Message()
	if n := utf8.RuneCountInString(got); n != 255 || !strings.HasPrefix(got, "10048: ñ") || !strings.HasSuffix(got, "ñ… (/a/0/b)") {
		t.Errorf("%d characters: %q", n, got)
	}
}
