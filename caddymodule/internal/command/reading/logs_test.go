package reading_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// firstCells returns the first cell of each line of a table, without the head.
func firstCells(out string) string {
	var cells []string
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if i > 0 {
			cells = append(cells, strings.Fields(line)[0])
		}
	}
	return strings.Join(cells, " ")
}

// TestSearchGoesOverAllLogs, newest first, each record with its address.
func TestSearchGoesOverAllLogs(t *testing.T) {
	s := caddytest.TwoNodes(t)
	for flags, want := range map[string]string{
		"":                                  "north/2 south/1 south/0 north/1 north/0",
		"--limit 2":                         "north/2 south/1",
		"--nro 1":                           "north/0",
		"--kind settlement":                 "south/1",
		"--since 2026-11-20T12:00:02-03:00": "north/2 south/1 south/0",
		"--log south":                       "1 0",
		"--log north --limit 1 --before 2":  "1",
		"--log north --outcome open":        "",
	} {
		out, _, err := s.Run("search", strings.Fields(flags)...)
		if got := firstCells(out); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", flags, got, err, want)
		}
	}
	out, _, err := s.Run("search", "--limit", "1")
	if err != nil || !regexp.MustCompile(`^RECORD +TIME +OPERATION .*\nnorth/2 +2026-11-20 12:00:04\.000-03:00 +FECompConsultar `).MatchString(out) {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = s.Run("search", "--log", "north", "--limit", "1")
	if err != nil || !strings.HasPrefix(out, "INDEX ") {
		t.Errorf("one log: %v\n%s", err, out)
	}
}

// TestOpenIsWhatNoGatewayHasSettled.
func TestOpenIsWhatNoGatewayHasSettled(t *testing.T) {
	s := caddytest.TwoNodes(t)
	if out, errs, err := s.Run("search", "--outcome", "open"); err != nil || out != "" || errs != "no exchange matches\n" {
		t.Errorf("%q %q %v", out, errs, err)
	}
	if out, errs, err := s.Run("search", "--outcome", "open", "--log", "north"); err != nil || out != "" || errs != "no exchange matches\n" {
		t.Errorf("of one log: %q %q %v", out, errs, err)
	}
	out, _, err := s.Run("show", "north/1")
	for _, want := range []string{"record     north/1 (intent)", "record     south/1 (settlement)", "intent     north/1", "outcome    recovered"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v, no %q in\n%s", err, want, out)
		}
	}
	s.Write("south", caddytest.LostIntent(9, 3))
	if out, _, err := s.Run("search", "--outcome", "open"); err != nil || firstCells(out) != "south/2" {
		t.Errorf("%v\n%s", err, out)
	}
	if out, _, err := s.Run("search", "--outcome", "open", "--log", "south", "--limit", "1"); err != nil || firstCells(out) != "2" {
		t.Errorf("of one log: %v\n%s", err, out)
	}
	if out, _, err := s.Run("search", "--outcome", "open", "--log", "south", "--before", "2"); err != nil || out != "" {
		t.Errorf("the page before: %v\n%s", err, out)
	}
}

// TestPagesAreOfOneLog: an index means nothing in several.
func TestPagesAreOfOneLog(t *testing.T) {
	s := caddytest.TwoNodes(t)
	out, _, err := s.Run("search", "--before", "2")
	if err == nil || out != "" || !strings.Contains(err.Error(), "--before 2 is an index of one log") || !strings.Contains(err.Error(), "--log: north, south") {
		t.Errorf("%v\n%s", err, out)
	}
	_, errs, err := s.Run("search", "--limit", "2")
	if err != nil || errs != "2 shown, there may be older ones: raise --limit, or go on in one log with --log and --before\n" {
		t.Errorf("%v %q", err, errs)
	}
	_, errs, err = s.Run("search", "--limit", "2", "--log", "north")
	if err != nil || !strings.Contains(errs, "go on with --before 1\n") {
		t.Errorf("%v %q", err, errs)
	}
}

// TestSearchOfSeveralLogsPrintsAddressesAsJSON, and of one it does not.
func TestSearchOfSeveralLogsPrintsAddressesAsJSON(t *testing.T) {
	s := caddytest.TwoNodes(t)
	out, _, err := s.Run("search", "--format", "json", "--limit", "2")
	lines := strings.Split(out, "\n")
	if err != nil || !strings.HasPrefix(lines[0], `{"record":"north/2","log":"north","index":2,`) || !strings.HasPrefix(lines[1], `{"record":"south/1","log":"south","index":1,`) {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = s.Run("search", "--format", "json", "--log", "south", "--limit", "1")
	if err != nil || !strings.HasPrefix(out, `{"log":"south","index":1,`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCountsAreOfAllLogs, each exchange once: north's second one was settled by south.
func TestCountsAreOfAllLogs(t *testing.T) {
	s := caddytest.TwoNodes(t)
	for flags, want := range map[string]string{"": `total +4`, "--by outcome": `total +4`, "--log north": `total +3`, "--outcome open": `no exchange matches`, "--operation FECompConsultar": `total +3`} {
		out, errs, err := s.Run("stats", strings.Fields(flags)...)
		if err != nil || !regexp.MustCompile(want+`\b`).MatchString(out+errs) {
			t.Errorf("%s: %v\n%s%s", flags, err, out, errs)
		}
	}
}

// TestOutagesAreThoseOfAllGateways, newest first.
func TestOutagesAreThoseOfAllGateways(t *testing.T) {
	s := caddytest.Share(t, "north", "south")
	for i, log := range []string{"south", "north", "south"} {
		r := caddytest.Consultation(i, 1)
		r.Kind, r.Outcome, r.Detail, r.Operation, r.Vouchers, r.Request, r.Answer = audit.KindOutage, "outage_began", "{}", "", nil, nil, nil
		s.Write(log, r)
	}
	out, _, err := s.Run("outages")
	if err != nil || firstCells(out) != "south/1 north/0 south/0" {
		t.Errorf("%v\n%s", err, out)
	}
	if out, _, err = s.Run("outages", "--log", "north"); err != nil || firstCells(out) != "north/0" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWhatIsOfOneLogAsksForIt, with the names of all.
func TestWhatIsOfOneLogAsksForIt(t *testing.T) {
	s := caddytest.TwoNodes(t)
	for _, command := range []string{"checkpoint", "show 0", "prove 0", "export --output " + filepath.Join(t.TempDir(), "export")} {
		words := strings.Fields(command)
		_, _, err := s.Run(words[0], words[1:]...)
		if err == nil || !strings.Contains(err.Error(), "--log: north, south") {
			t.Errorf("%s: %v", command, err)
		}
		if out, errs, err := s.Run(words[0], append(words[1:], "--log", "south")...); err != nil {
			t.Errorf("%s: %v %s %s", command, err, out, errs)
		}
	}
	if out, _, err := s.Run("prove", "south/1"); err != nil || !strings.Contains(out, "\nindex 1\n") {
		t.Errorf("prove by address: %v\n%s", err, out)
	}
	if _, _, err := s.Run("search", "--log", "east"); err == nil || !strings.Contains(err.Error(), "it has north, south") {
		t.Errorf("%v", err)
	}
}
