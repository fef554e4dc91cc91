package reading_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
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
		return &audit.Record{Kind: audit.KindExchange, Time: at(when), Operation: operation, Outcome: audit.Outcome(outcome), Certainty: audit.Answered}
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
		"stats --by day,day":          `day is there twice`,
		"stats --by finding,":         `--by "": use hour`,
		"stats --format xml":          `--format "xml": use table, json or csv`,
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

// breaking are exchanges of clients that break a rule which refuses from a day on, and others.
func breaking(t *testing.T) *caddytest.Site {
	t.Helper()
	begin := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	exchange := func(minute int, identity, address string, codes ...string) *audit.Record {
		r := &audit.Record{
			Kind: audit.KindExchange, Time: begin.Add(time.Duration(minute) * time.Minute), Operation: "FECAESolicitar", Outcome: "observed",
			Certainty: audit.Answered, ClientIdentity: identity, ClientAddress: address, Cuit: 20111111112,
		}
		for _, code := range codes {
			r.Findings = append(r.Findings, audit.Finding{Code: code, Severity: "OBS", Action: "observe"})
		}
		return r
	}
	return caddytest.KeptTrail(t,
		exchange(0, "erp", "10.0.0.1", "10245"),
		exchange(1, "erp", "10.0.0.2", "10245", "10245", "10217"),
		exchange(2, "", "10.0.0.3", "10245"),
		exchange(3, "=cmd|' /C calc'!A0", "10.0.0.4", "10245"),
		exchange(4, "erp", "10.0.0.1"),
		exchange(5, "a\x1b[31mb", "10.0.0.5", "10217"),
		exchange(6, "\uff1dcmd", "10.0.0.6", "10999"),
	)
}

// TestStatsTellWhoBreaksWhat: by finding and client, with the newest exchange of each.
func TestStatsTellWhoBreaksWhat(t *testing.T) {
	s := breaking(t)
	run := func(arguments ...string) string {
		t.Helper()
		out, errs, err := caddytest.AuditCommand(append([]string{"stats", "--store", "sqlite:" + s.Store}, arguments...)...)
		if err != nil || errs != "" {
			t.Fatalf("%v: %v %s", arguments, err, errs)
		}
		return regexp.MustCompile(` +`).ReplaceAllString(out, " ")
	}
	for arguments, want := range map[string]string{
		"--by finding,client --finding 10245": "FINDING CLIENT COUNT LAST SEEN OUTCOMES\n" +
			"10245 erp 2 2026-11-20 12:01:00-03:00 observed 2\n10217 erp 1 2026-11-20 12:01:00-03:00 observed 1\n" +
			"10245 10.0.0.3 1 2026-11-20 12:02:00-03:00 observed 1\n10245 =cmd|' /C calc'!A0 1 2026-11-20 12:03:00-03:00 observed 1\n" +
			"total exchanges 4\n",
		"--by finding": "FINDING COUNT LAST SEEN OUTCOMES\n10245 4 2026-11-20 12:03:00-03:00 observed 4\n10217 2 2026-11-20 12:05:00-03:00 observed 2\n10999 1 2026-11-20 12:06:00-03:00 observed 1\ntotal exchanges 6\n",
		"--by finding,client --finding 10245 --format csv": "finding,client,count,last_seen\n10245,erp,2,2026-11-20T12:01:00-03:00\n10217,erp,1,2026-11-20T12:01:00-03:00\n" +
			"10245,10.0.0.3,1,2026-11-20T12:02:00-03:00\n10245,'=cmd|' /C calc'!A0,1,2026-11-20T12:03:00-03:00\n",
		"--by operation --format csv":              "operation,count\nFECAESolicitar,7\n",
		"--by day,cuit --format csv":               "day,cuit,count,last_seen\n2026-11-20,20111111112,7,2026-11-20T12:06:00-03:00\n",
		"--by client --finding 10999 --format csv": "client,count,last_seen\n'\uff1dcmd,1,2026-11-20T12:06:00-03:00\n",
		"--by client,outcome --finding 10245 --identity erp --format json": `{"key":"erp, observed","by":{"client":"erp","outcome":"observed"},"count":2,` +
			`"last_seen":"2026-11-20T15:01:00Z","operations":{"FECAESolicitar":2},"outcomes":{"observed":2}}` + "\n",
	} {
		if got := run(strings.Fields(arguments)...); got != want {
			t.Errorf("%s\n got %q\nwant %q", arguments, got, want)
		}
	}
	if out := run("--by", "client"); strings.Contains(out, "\x1b") {
		t.Errorf("a client's name commands the terminal: %q", out)
	}
}
