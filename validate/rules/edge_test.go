package rules_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// edgeCase is a line of testdata/rules: a valid request, the changes to it, and the
// codes that are then found.
type edgeCase struct {
	where    string
	rule     int32
	breaks   bool
	template string
	changes  []string
	also     []string
	now      time.Time
	settings rules.Settings
	contract validate.Contract
	// action is the action of the rule's finding, no text for either.
	action validate.Action
}

// readEdgeCases reads the files of testdata/rules. README.txt there describes the format.
func readEdgeCases(t *testing.T) []edgeCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "rules", "*.rules"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var cases []edgeCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rule int32
		for i, line := range strings.Split(string(text), "\n") {
			where := fmt.Sprintf("%s:%d", file, i+1)
			words := strings.Fields(line)
			switch {
			case len(words) == 0 || words[0] == "#":
			case words[0] == "rule" && len(words) == 2:
				code, err := strconv.ParseInt(words[1], 10, 32)
				if err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				rule = int32(code)
			case rule != 0 && len(words) > 1 && (words[0] == "breaks" || words[0] == "passes"):
				c := edgeCase{where: where, rule: rule, breaks: words[0] == "breaks", template: words[1], now: validatetest.Noon}
				for _, word := range words[2:] {
					c.add(t, word)
				}
				cases = append(cases, c)
			default:
				t.Fatalf("%s: %q is no line of a case", where, line)
			}
		}
	}
	return cases
}

func (c *edgeCase) add(t *testing.T, word string) {
	t.Helper()
	name, value, _ := strings.Cut(word, "=")
	switch {
	case strings.HasPrefix(word, "@"):
		day, err := time.ParseInLocation("2006-01-02", word[1:], validatetest.Noon.Location())
		if err != nil {
			t.Fatalf("%s: %v", c.where, err)
		}
		c.now = day.Add(12 * time.Hour)
	case word == "homo" || word == "anywhere":
		c.settings.Environment = rules.Environment(word)
	case name == "lists":
		c.settings.Tables = listedTables(value)
	case word == "base":
		c.contract = validate.Base
	case word == "refuses":
		c.action = validate.ActionRefuse
	case word == "observes":
		c.action = validate.ActionObserve
	case name == "rate":
		at, figure, _ := strings.Cut(value, "=")
		c.settings.Rates = officialRates{at: wsfev1.MustAmount(figure)}
	case name == "also":
		c.also = strings.Split(value, ",")
	case name == "enforce" || name == "observe" || name == "off":
		code, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			t.Fatalf("%s: %v", c.where, err)
		}
		if c.settings.Levels == nil {
			c.settings.Levels = map[int32]validate.Level{}
		}
		c.settings.Levels[int32(code)] = validate.Level(name)
	default:
		c.changes = append(c.changes, word)
	}
}

// codesOf lists the codes of findings, each once, ascending as text.
func codesOf(found []validate.Finding) []string {
	codes := make([]string, 0, len(found))
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestEveryRuleOfTheEdgeIsBrokenAndKept: each line breaks exactly the rule that it
// stands under, or just keeps it. Every rule that is decided at the edge has lines of
// both kinds.
func TestEveryRuleOfTheEdgeIsBrokenAndKept(t *testing.T) {
	broken, kept := map[int32]int{}, map[int32]int{}
	for _, c := range readEdgeCases(t) {
		operation, body := validatetest.Changed(t, c.where, c.template, c.changes)
		found := judgeUnder(t, c.contract, c.where, operation, body, c.settings, c.now)
		want := slices.Clone(c.also)
		if c.breaks {
			want = append(want, strconv.Itoa(int(c.rule)))
			broken[c.rule]++
		} else {
			kept[c.rule]++
		}
		if refuses := slices.ContainsFunc(found, func(f validate.Finding) bool {
			return f.Number() == c.rule && f.Action == validate.ActionRefuse
		}); c.action != "" && refuses != (c.action == validate.ActionRefuse) {
			t.Errorf("%s: rule %d refuses: %t", c.where, c.rule, refuses)
		}
		for _, f := range found {
			if strings.HasPrefix(f.Message(), f.Code) {
				t.Errorf("%s: Msg repeats the code: %s", c.where, f.Message())
			}
		}
		slices.Sort(want)
		if got := codesOf(found); !slices.Equal(got, want) {
			t.Errorf("%s: rule %d: found %v, want %v\n%s", c.where, c.rule, got, want, strings.Join(lines(found), "\n"))
		}
	}
	for _, rule := range rules.Catalogue() {
		if rule.DecidedAt == rules.Edge && (broken[rule.Code] == 0 || kept[rule.Code] == 0) {
			t.Errorf("rule %d is decided at the edge: %d lines break it, %d keep it", rule.Code, broken[rule.Code], kept[rule.Code])
		}
		delete(broken, rule.Code)
		delete(kept, rule.Code)
	}
	for code := range broken {
		t.Errorf("there is no rule %d to break", code)
	}
}

// judgeBody reads a body that must be of right shape and judges it.
func judgeBody(t testing.TB, where, name string, body []byte, settings rules.Settings, now time.Time) []validate.Finding {
	t.Helper()
	return judgeUnder(t, validate.ARCA, where, name, body, settings, now)
}

func decoded(t testing.TB, where, name string, body []byte) *validate.Request {
	t.Helper()
	req, shape := validate.Decode(validatetest.Operation(t, name), body, validate.ARCA)
	if len(shape) > 0 {
		t.Fatalf("%s: %v in %s", where, validatetest.Brief(shape), body)
	}
	return req
}

func judgeUnder(t testing.TB, contract validate.Contract, where, name string, body []byte, settings rules.Settings, now time.Time) []validate.Finding {
	t.Helper()
	req, shape := validate.Decode(validatetest.Operation(t, name), body, contract)
	if len(shape) > 0 {
		t.Fatalf("%s: %v in %s", where, validatetest.Brief(shape), body)
	}
	return rulesUnder(t, settings).Judge(req, now)
}

// TestTheValidRequestsAreValid: the requests that the lines begin with have no finding, not
// even something to remark.
func TestTheValidRequestsAreValid(t *testing.T) {
	files, err := fs.Glob(validatetest.Valid, "valid/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no requests: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".json")
		operation, body := validatetest.Changed(t, file, name, nil)
		if found := judgeBody(t, file, operation, body, rules.Settings{}, validatetest.Noon); len(found) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(lines(found), "\n"))
		}
	}
}
