package command_test

import (
	"strings"
	"testing"
)

// TestANearCommandOrFlagIsSuggested, for every command, and nothing where none is near.
func TestANearCommandOrFlagIsSuggested(t *testing.T) {
	for line, want := range map[string]string{
		"audit serach":             "; did you mean search?",
		"adit search":              "; did you mean audit?",
		"ledger exprot":            "; did you mean export?",
		"audit hold lst":           "; did you mean list?",
		"audit checkproof":         "; did you mean check-proof?",
		"audit SEARCH":             "; did you mean search?",
		"audit search --cuti 1":    "unknown flag: --cuti; did you mean --cuit?",
		"audit search --pto_vta 1": "unknown flag: --pto_vta; did you mean --pto-vta?",
		"audit search --lgo x":     "unknown flag: --lgo; did you mean --log?",
		"audit purge --dryrun":     "unknown flag: --dryrun; did you mean --dry-run?",
		"audit hold add --cuti 1":  "unknown flag: --cuti; did you mean --cuit?",
		"rules --fromat json":      "unknown flag: --fromat; did you mean --format?",
		"ledger export --outpt x":  "unknown flag: --outpt; did you mean --output?",
		"ticket --cuti 1":          "unknown flag: --cuti; did you mean --cuit?",
		"migrate --stroe x":        "unknown flag: --stroe; did you mean --store?",
		"check --formt json -":     "unknown flag: --formt; did you mean --format?",
		"audit xyz":                `unknown command "xyz" for "fielato wsfev1 audit"`,
		"audit search --xyz":       "unknown flag: --xyz",
		"audit search -x":          "unknown shorthand flag: 'x' in -x",
	} {
		got := words(line)
		if got.err == nil || got.status() != 2 || !strings.HasSuffix(got.err.Error(), want) {
			t.Errorf("%s: status %d, %v; want 2, %q", line, got.status(), got.err, want)
		}
	}
}

// TestTheExitStatusMeansTheSameForAllCommands: 2 for wrong use, 1 for what failed.
func TestTheExitStatusMeansTheSameForAllCommands(t *testing.T) {
	store := " --store sqlite:" + trailOf(t, exchange())
	nowhere := " --store sqlite:" + t.TempDir() + "/none.db"
	for status, lines := range [][]string{
		0: {
			"audit search" + store, "audit search --outcome refused" + store, "audit stats" + store, "audit show 0" + store,
			"audit outages" + store, "audit verify" + store, "audit checkpoint" + store, "audit", "rules 10048", "ledger", "openapi",
		},
		1: {
			"audit search" + nowhere, "audit show 99" + store, "audit show elsewhere/0" + store, "audit prove 99" + store,
			"audit search --log elsewhere" + store, "audit export --output ." + nowhere, "audit hold list" + nowhere,
			"ledger import --ledger sqlite:none.db none.jsonl",
		},
		2: {
			"audit search --outcome good" + store, "audit search --nro 0" + store, "audit search --since yesterday" + store,
			"audit search --cae= " + store, "audit search more" + store, "audit search --store mongodb:x", "audit search --nope",
			"audit show" + store, "audit show first" + store, "audit stats --by month" + store, "audit stats --kind access" + store,
			"audit tail --interval 0s" + store, "audit outages --since soon" + store, "audit prove" + store, "audit prove first" + store,
			"audit evidence --nro 1" + store, "audit purge" + store, "audit purge --before 2016 --yes" + store,
			"audit purge --acknowledge --compact --yes" + store, "audit hold add --cuit 7" + store, "audit hold add more" + store,
			"audit hold nope", "audit nope", "audit export" + store, "audit copy", "audit checkpoint more" + store, "audit new-key a b",
			"audit search --format xml" + store, "audit verify --format xml" + store, "rules 1", "rules x", "rules --operation x",
			"ledger nope", "ledger reset --ledger= --yes", "ledger export --ledger x", "migrate", "ticket", "openapi more", "nope",
			"audit verify" + nowhere, "check none.json", "check",
		},
	} {
		for _, line := range lines {
			if got := words(line); got.status() != status {
				t.Errorf("%s: status %d, want %d: %v", line, got.status(), status, got.err)
			}
		}
	}
}

// TestEveryHelpNamesTheExitStatuses.
func TestEveryHelpNamesTheExitStatuses(t *testing.T) {
	for _, line := range []string{
		"", "audit search", "audit show", "audit tail", "audit stats", "audit outages", "audit evidence", "audit export", "audit verify",
		"audit checkpoint", "audit consistency", "audit copy", "audit prove", "audit check-proof", "audit new-key", "audit purge",
		"audit hold add", "audit hold remove", "audit hold list", "rules", "check", "ledger export", "ledger import", "ledger reset",
		"migrate", "ticket", "openapi",
	} {
		out := words(line + " --help").out
		if strings.Count(out, "\nExit status:\n  0  ") != 1 || !strings.Contains(out, "\n  2  ") {
			t.Errorf("%s --help:\n%s", line, out)
		}
	}
}
