package command_test

import (
	"slices"
	"strings"
	"testing"
)

// completed returns what a shell is offered after a command line.
func completed(t *testing.T, line ...string) []string {
	t.Helper()
	got := complete(line...)
	offered := strings.Split(strings.TrimSpace(got.out), "\n")
	if got.err != nil || !strings.HasPrefix(offered[len(offered)-1], ":") {
		t.Fatalf("%v: %v\n%s", line, got.err, got.out)
	}
	return offered[:len(offered)-1]
}

// TestFlagsOfFewWordsAreCompleted from the lists that check them.
func TestFlagsOfFewWordsAreCompleted(t *testing.T) {
	for line, want := range map[string][]string{
		"audit search --operation":        {"FECAESolicitar", "FEDummy", "FEParamGetCotizacion"},
		"audit search --outcome":          {"approved", "unknown", "open", "refused"},
		"audit search --kind":             {"access", "exchange", "intent", "outage", "outcome", "settlement"},
		"audit search --certainty":        {"answered", "not_sent", "unknown"},
		"audit search --decision":         {"forward", "refuse"},
		"audit search --resultado":        {"A", "R", "P"},
		"audit search --format":           {"table", "json"},
		"audit stats --by":                {"operation", "outcome", "day", "hour"},
		"audit stats --outcome":           {"approved"},
		"audit tail --format":             {"table", "json"},
		"audit outages --format":          {"table", "json"},
		"audit show --format":             {"table", "json"},
		"audit verify --format":           {"table", "json"},
		"audit check-proof --format":      {"table", "json"},
		"rules --operation":               {"FECAESolicitar"},
		"rules --format":                  {"table", "json"},
		"rules":                           {"10048", "10016"},
		"check --operation":               {"FECAESolicitar"},
		"check --contract":                {"base", "arca"},
		"check --format":                  {"text", "json"},
		"check --rule":                    {"10048="},
		"convert --operation":             {"FECAEAConsultar"},
		"convert --to":                    {"json", "soap11", "soap12"},
		"ticket --format":                 {"json", "env", "text"},
		"login":                           {"homo", "prod"},
		"login --service":                 {"wsfe"},
		"login --format":                  {"text", "json"},
		"certificate check --environment": {"homo", "prod"},
	} {
		offered := completed(t, append(strings.Fields(line), "")...)
		for _, word := range want {
			if !slices.Contains(offered, word) {
				t.Errorf("%s offers %v, not %s", line, offered, word)
			}
		}
	}
	if offered := completed(t, "check", "--rule", "10048="); !slices.Equal(offered, []string{"10048=enforce", "10048=observe", "10048=off"}) {
		t.Errorf("levels: %v", offered)
	}
}

// TestEveryWordOfferedIsTaken.
func TestEveryWordOfferedIsTaken(t *testing.T) {
	store := "--store=sqlite:" + trailOf(t, exchange())
	for _, flag := range []string{"operation", "outcome", "kind", "certainty", "decision", "resultado", "format"} {
		for _, word := range completed(t, "audit", "search", "--"+flag, "") {
			if got := run("audit", "search", store, "--"+flag, word); got.err != nil {
				t.Errorf("--%s %s: %v", flag, word, got.err)
			}
		}
	}
}

// TestLogsAreCompleted from a store that is a file.
func TestLogsAreCompleted(t *testing.T) {
	path := trailOf(t, exchange())
	for _, command := range []string{"search", "verify", "show", "purge"} {
		if offered := completed(t, "audit", command, "--store", "sqlite:"+path, "--log", ""); !slices.Equal(offered, []string{logName}) {
			t.Errorf("%s: %v", command, offered)
		}
	}
	t.Setenv("FIELATO_STORE", "sqlite:"+path)
	if offered := completed(t, "audit", "stats", "--log", ""); !slices.Equal(offered, []string{logName}) {
		t.Errorf("of the variable: %v", offered)
	}
	t.Setenv("FIELATO_STORE", "sqlite:"+path+".none")
	if offered := completed(t, "audit", "stats", "--log", ""); len(offered) != 0 {
		t.Errorf("of no store: %v", offered)
	}
}
