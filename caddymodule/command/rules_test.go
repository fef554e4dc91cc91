package command_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// rulesOf runs `wsfev1 rules` and returns its lines.
func rulesOf(t *testing.T, arguments ...string) (lines []string, errs string) {
	t.Helper()
	out, errs, err := wsfev1Command("", append([]string{"rules"}, arguments...)...)
	if err != nil {
		t.Fatalf("rules %v: %v", arguments, err)
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n"), errs
}

func TestRulesThatAreNamedAreShownWhole(t *testing.T) {
	english := func(code int32) string {
		rule, _ := rules.RuleByCode(code)
		return rule.English
	}
	got, errs := rulesOf(t, "10048", "724", "10000", "10048")
	want := []string{
		"CODE   SEVERITY  DECIDED  DEFAULT  IN FORCE  BASIS             OPERATIONS                            SUMMARY",
		"724    OBS       edge     observe            manual            FECAEARegInformativo                  " + english(724),
		"10000  ERR       state    -                  manual            FECAESolicitar, FECAEARegInformativo  " + english(10000) + " What to do: the number at the beginning of the reason tells what is missing." + cureAfter(10000, "missing."),
		"10048  EXC       edge     enforce            manual, observed  FECAESolicitar                        " + english(10048),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if errs != "3 entries: 2 edge, 1 state\n" {
		t.Errorf("said %q", errs)
	}
	if lines, _ := rulesOf(t, "501"); !strings.HasSuffix(lines[1], "  FECAESolicitar +20  "+english(501)) {
		t.Errorf("a long list: %s", lines[1])
	}
	if _, errs := rulesOf(t, "10048"); errs != "1 entry: 1 edge, 0 state\n" {
		t.Errorf("said %q", errs)
	}
}

// TestTheTableOfRulesHasTheCatalogue in its order. Nothing is cut in a pipe.
func TestTheTableOfRulesHasTheCatalogue(t *testing.T) {
	lines, errs := rulesOf(t)
	catalogue := rules.Catalogue()
	if len(lines) != len(catalogue)+1 {
		t.Fatalf("%d lines for %d rules", len(lines), len(catalogue))
	}
	edge := 0
	for i, rule := range catalogue {
		row := columns(lines[0], lines[i+1])
		level := string(rule.Default)
		if rule.Partly != "" {
			level += "*"
		}
		if rule.DecidedAt == rules.Edge {
			edge++
		} else {
			level = "-"
		}
		if row["CODE"] != fmt.Sprint(rule.Code) || row["DECIDED"] != string(rule.DecidedAt) || row["DEFAULT"] != level {
			t.Errorf("row %q of rule %d", lines[i+1], rule.Code)
		}
		if n := strings.Count(row["SEVERITY"], "/") + 1; n != len(rule.Severities) || !strings.HasPrefix(row["SEVERITY"], string(rule.Severities[0])) {
			t.Errorf("row %q of severities %v", lines[i+1], rule.Severities)
		}
		days := ""
		if rule.From != "" || rule.Until != "" {
			days = string(rule.From + "-" + rule.Until)
		}
		if row["IN FORCE"] != days {
			t.Errorf("row %q of a rule from %q until %q", lines[i+1], rule.From, rule.Until)
		}
		if first, _, _ := strings.Cut(row["BASIS"], " +"); first != string(rule.Sources[0].Basis) {
			t.Errorf("row %q of %v", lines[i+1], rule.Sources)
		}
		name, more, _ := strings.Cut(row["OPERATIONS"], " +")
		if others, _ := strconv.Atoi(more); others != len(rule.Operations)-1 {
			t.Errorf("row %q of %v", lines[i+1], rule.Operations)
		}
		if !onlyBeginningOf(name, rule.Operations[0]) || !strings.HasPrefix(rule.English, strings.TrimSuffix(row["SUMMARY"], "…")) {
			t.Errorf("row %q of %v: %s", lines[i+1], rule.Operations, rule.English)
		}
		if strings.Contains(lines[i+1], "…") {
			t.Errorf("row %q is cut", lines[i+1])
		}
	}
	if want := fmt.Sprintf("%d entries: %d edge, %d state\n", len(catalogue), edge, len(catalogue)-edge); errs != want {
		t.Errorf("said %q, want %q", errs, want)
	}
}

// onlyBeginningOf reports whether a name that may be cut off stands for this operation
// and for no other.
func onlyBeginningOf(name, operation string) bool {
	beginning, cut := strings.CutSuffix(name, "…")
	if !cut {
		return name == operation
	}
	for _, other := range wsfev1.Operations {
		if strings.HasPrefix(other.Name, beginning) != (other.Name == operation) {
			return false
		}
	}
	return true
}

// columns cuts a row where the head has its names.
func columns(head, row string) map[string]string {
	names := []string{"CODE", "SEVERITY", "DECIDED", "DEFAULT", "IN FORCE", "BASIS", "OPERATIONS", "SUMMARY"}
	cells, text := map[string]string{}, []rune(row)
	for i, name := range names {
		end := len(text)
		if i+1 < len(names) {
			end = strings.Index(head, names[i+1])
		}
		cells[name] = strings.TrimSpace(string(text[strings.Index(head, name):end]))
	}
	return cells
}

func TestRulesAsJSONHaveAllMembers(t *testing.T) {
	lines, errs := rulesOf(t, "--format", "json", "10048", "10000")
	state, _ := rules.RuleByCode(10000)
	edge, _ := rules.RuleByCode(10048)
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	manual := "Manual del desarrollador WSFEv1 (RG 4291) v4.7, FECAESolicitar, controles de "
	auth := manual + "<Auth>, excluyentes (pág. 39), código 10000"
	report := "Manual del desarrollador WSFEv1 (RG 4291) v4.7, FECAEARegInformativo, controles de <Auth>, excluyentes (pág. 140), código 10000"
	total, seen := manual+"<FeDetReq>, excluyentes (pág. 41-73), código 10048", "docs/sources.md#observed-codes"
	want := []string{
		`{"code":10000,"operations":["FECAESolicitar","FECAEARegInformativo"],"severities":["ERR"],"from":"","until":"",` +
			`"decided_at":"state","default":"","partly":"","es":` + text(state.Spanish+" "+state.Cure) + `,"en":` + text(state.English+" "+state.CureEnglish) + `,"source":` + text(auth+"; "+report) +
			`,"sources":[{"basis":"manual","text":` + text(auth) + `,"exchanges":0},{"basis":"manual","text":` + text(report) + `,"exchanges":0}]}`,
		`{"code":10048,"operations":["FECAESolicitar"],"severities":["EXC"],"from":"","until":"",` +
			`"decided_at":"edge","default":"enforce","partly":"","es":` + text(edge.Spanish) + `,"en":` + text(edge.English) + `,"source":` + text(total+"; "+seen) +
			`,"sources":[{"basis":"manual","text":` + text(total) + `,"exchanges":0},{"basis":"observed","text":` + text(seen) + `,"exchanges":0}]}`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if errs != "2 entries: 1 edge, 1 state\n" {
		t.Errorf("said %q", errs)
	}
	if lines, _ := rulesOf(t, "--format", "json"); len(lines) != len(rules.Catalogue()) {
		t.Errorf("%d lines", len(lines))
	}
}

// TestRulesOfAnOperation are all that answer with its name, and no other.
func TestRulesOfAnOperation(t *testing.T) {
	lines, _ := rulesOf(t, "--format", "json", "--operation", "FECAEARegInformativo")
	want := 0
	for _, rule := range rules.Catalogue() {
		if slices.Contains(rule.Operations, "FECAEARegInformativo") {
			want++
		}
	}
	if len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	for _, line := range lines {
		_, operations, _ := strings.Cut(line, `"operations":[`)
		if operations, _, _ = strings.Cut(operations, "]"); !strings.Contains(operations, `"FECAEARegInformativo"`) {
			t.Errorf("%s", line)
		}
	}
	// A code that another operation answers with leaves the head alone.
	if lines, errs := rulesOf(t, "--operation", "FECAEARegInformativo", "10048"); len(lines) != 1 || errs != "0 entries: 0 edge, 0 state\n" {
		t.Errorf("%q, %q", lines, errs)
	}
}

func TestRulesSaysWhatToDo(t *testing.T) {
	for arguments, want := range map[string]string{
		"rules 1":                          "no rule has the code 1",
		"rules 10048 x":                    `"x" is not a code: give a number such as 10048`,
		"rules 99999999999":                `"99999999999" is not a code`,
		"rules --format xml":               `--format "xml": use table or json`,
		"rules --operation fecaesolicitar": `--operation "fecaesolicitar": no such operation; names are exact, such as FECAESolicitar`,
	} {
		out, _, err := wsfev1Command("", strings.Fields(arguments)...)
		if err == nil || out != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %s", arguments, out, err, want)
		}
	}
}

// cureAfter returns the rest of what to do about a code.
func cureAfter(code int32, text string) string {
	rule, _ := rules.RuleByCode(code)
	_, rest, _ := strings.Cut(rule.CureEnglish, text)
	return rest
}
