package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/nearest"
)

func TestNames(t *testing.T) {
	names := []string{"search", "show", "stats", "FECAESolicitar", "FECAEASolicitar", "on", "off"}
	for word, want := range map[string][]string{
		"serach":                   {"search"}, // swapped
		"SEARCH":                   {"search"},
		"shw":                      {"show"},
		"stat":                     {"stats"},
		"FECAESolicitr":            {"FECAESolicitar"},
		"FECAESolicitarr":          {"FECAESolicitar"},
		"shxx":                     nil, // two letters of a short word
		"":                         nil,
		"elsewhere":                nil,
		"sérach":                   {"search"},
		strings.Repeat("s", 1<<20): nil,
	} {
		if got := nearest.Names(word, names); !slices.Equal(got, want) {
			t.Errorf("%.20s: %v, want %v", word, got, want)
		}
	}
	if got := nearest.Question("of", names); got != "; did you mean off or on?" {
		t.Error(got)
	}
	if got := nearest.Question("nothing", names); got != "" {
		t.Error(got)
	}
}
