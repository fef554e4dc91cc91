package auditcmd_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/caddytest"
)

// quantity are exchanges over two days of Argentina's: the first is late on the 18th
// there, and early on the 19th elsewhere.
func quantity(t *testing.T) *caddytest.Site {
	t.Helper()
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	exchange := func(when, operation, outcome string) *audit.Record {
		return &audit.Record{Kind: audit.KindExchange, Time: at(when), Operation: operation, Outcome: outcome, Certainty: audit.Answered}
	}
	return caddytest.KeptTrail(t,
		exchange("2026-11-19T01:30:00Z", "FEDummy", "answered"),
		exchange("2026-11-19T12:10:00-03:00", "FECAESolicitar", "refused"),
		exchange("2026-11-19T12:20:00-03:00", "", "inadmissible"),
		&audit.Record{Kind: audit.KindIntent, Time: at("2026-11-19T13:00:00-03:00"), Operation: "FECAESolicitar"},
		&audit.Record{
			Kind: audit.KindOutcome, Intent: 3, Time: at("2026-11-19T13:00:00-03:00"), Operation: "FECAESolicitar",
			Outcome: "approved", Certainty: audit.Answered,
		},
		&audit.Record{Kind: audit.KindIntent, Time: at("2026-11-19T13:59:59-03:00"), Operation: "FECAESolicitar"},
	)
}

// TestStatsCountsExchanges and not records: an intent counts while it is open only.
func TestStatsCountsExchanges(t *testing.T) {
	s := quantity(t)
	for by, want := range map[string]string{
		"operation": "OPERATION COUNT OUTCOMES\nFECAESolicitar 3 B approved 1, open 1, refused 1\n" +
			"FEDummy 1 b answered 1\nunknown 1 b inadmissible 1\ntotal 5\n",
		"outcome": "OUTCOME COUNT OPERATIONS\nanswered 1 B FEDummy 1\napproved 1 B FECAESolicitar 1\n" +
			"inadmissible 1 B unknown 1\nopen 1 B FECAESolicitar 1\nrefused 1 B FECAESolicitar 1\ntotal 5\n",
		"day":  "DAY COUNT OUTCOMES\n2026-11-18 1 b answered 1\n2026-11-19 4 B approved 1, inadmissible 1, open 1, refused 1\ntotal 5\n",
		"hour": "HOUR COUNT OUTCOMES\n2026-11-18 22:00-03:00 1 b answered 1\n2026-11-19 12:00-03:00 2 B inadmissible 1, refused 1\n2026-11-19 13:00-03:00 2 B approved 1, open 1\ntotal 5\n",
	} {
		out, errs, err := caddytest.AuditCommand("stats", "--store", "sqlite:"+s.Store, "--by", by)
		if err != nil || errs != "" {
			t.Fatalf("--by %s: %v %s", by, err, errs)
		}
		out = strings.ReplaceAll(out, strings.Repeat("█", 30), "B") // the longest
		out = regexp.MustCompile(`█+`).ReplaceAllString(out, "b")
		out = regexp.MustCompile(` +`).ReplaceAllString(out, " ")
		if out = strings.ReplaceAll(out, " \n", "\n"); out != want {
			t.Errorf("--by %s\n got %s\nwant %s", by, out, want)
		}
	}
}

func TestStatsPrintsJSONLines(t *testing.T) {
	s := quantity(t)
	out, _, err := caddytest.AuditCommand("stats", "--store", "sqlite:"+s.Store, "--by", "day", "--format", "json", "--since", "2026-11-19")
	want := `{"key":"2026-11-19","count":4,"operations":{"FECAESolicitar":3,"unknown":1},` +
		`"outcomes":{"approved":1,"inadmissible":1,"open":1,"refused":1}}` + "\n"
	if err != nil || out != want {
		t.Errorf("%v\n got %s\nwant %s", err, out, want)
	}
	out, errs, err := caddytest.AuditCommand("stats", "--store", "sqlite:"+s.Store, "--until", "2000-01-01")
	if out != "" || errs != "no exchange matches\n" || err != nil {
		t.Errorf("nothing to count: %q, %q, %v", out, errs, err)
	}
}

// TestStatsAndTailSayWhatToDo.
func TestStatsAndTailSayWhatToDo(t *testing.T) {
	s := quantity(t)
	for flags, want := range map[string]string{
		"stats --by week":             `--by "week": use hour, day, operation or outcome`,
		"stats --format csv":          `--format "csv": use table or json`,
		"stats --since never":         `--since "never"`,
		"tail --format csv":           `--format "csv": use table or json`,
		"tail -n -1":                  "-n -1: give a number",
		"tail --interval 0s":          "--interval 0s: give a time",
		"tail --outcome open":         "use search",
		"tail --operation feDummy":    "names are exact",
		"stats --store mongodb:x":     "give sqlite:PATH",
		"tail --store sqlite:missing": "there is no trail",
	} {
		arguments := strings.Fields(flags)
		if !strings.Contains(flags, "--store") {
			arguments = append(arguments, "--store", "sqlite:"+s.Store)
		}
		if out, _, err := caddytest.AuditCommand(arguments...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %s, want %s", flags, err, out, want)
		}
	}
}
