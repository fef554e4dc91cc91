package rules_test

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// FuzzJudge judges everything that can be read. Nothing panics, and the findings can be
// sent to the client.
func FuzzJudge(f *testing.F) {
	files, err := fs.Glob(validatetest.Valid, "valid/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no requests: %v", err)
	}
	for _, file := range files {
		text, err := validatetest.Valid.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var valid struct {
			Operation string         `json:"operation"`
			Request   jsontext.Value `json:"request"`
		}
		if err := json.Unmarshal(text, &valid); err != nil {
			f.Fatal(err)
		}
		index := slices.IndexFunc(wsfev1.Operations, func(op *wsfev1.Operation) bool { return op.Name == valid.Operation })
		f.Add(byte(index), true, validatetest.Noon.Unix(), []byte(valid.Request))
		f.Add(byte(index), false, validatetest.Noon.AddDate(0, 0, 11).Unix(), []byte(valid.Request))
	}
	rules := newRules(f)
	f.Fuzz(func(t *testing.T, index byte, extended bool, now int64, text []byte) {
		contract := validate.Base
		if extended {
			contract = validate.ARCA
		}
		judgeAnything(t, rules, wsfev1.Operations[int(index)%len(wsfev1.Operations)], contract, text, time.Unix(now, 0))
	})
}

// judgeAnything reads, judges and refuses a body, and checks that each finding keeps the
// promises of a finding.
func judgeAnything(t rapid.TB, rules *rules.Rules, op *wsfev1.Operation, contract validate.Contract, text []byte, now time.Time) {
	t.Helper()
	req, shape := validate.Decode(op, text, contract)
	found := rules.Judge(req, now)
	answer := validate.Refusal(req, found, now)
	if _, err := json.Marshal(answer); err != nil {
		t.Fatalf("the answer cannot be written: %v", err)
	}
	for _, f := range found {
		checkFinding(t, op, f)
		if len(shape) == 0 && !resolves(text, f.Pointer) {
			t.Fatalf("%s points at %q, which is not in %s", f.Code, f.Pointer, text)
		}
	}
	if !slices.IsSortedFunc(found, func(a, b validate.Finding) int {
		return cmp.Or(cmp.Compare(a.Invoice, b.Invoice), cmp.Compare(a.Number(), b.Number()))
	}) {
		t.Fatalf("not in order: %v", validatetest.Brief(found))
	}
	if again := rules.Judge(req, now); !slices.Equal(found, again) {
		t.Fatalf("judged twice: %v, then %v", validatetest.Brief(found), validatetest.Brief(again))
	}
}

func checkFinding(t rapid.TB, op *wsfev1.Operation, f validate.Finding) {
	t.Helper()
	rule, known := rules.RuleByCode(f.Number())
	if !known || !slices.Contains(rule.Operations, op.Name) || !slices.Contains(rule.Severities, f.Severity) || rule.DecidedAt != rules.Edge {
		t.Fatalf("%s gives %s %s: the catalogue has %+v", op.Name, f.Code, f.Severity, rule)
	}
	refuses := f.Severity.Rejects() && rule.Default == validate.Enforce
	if weaker := refuses && rule.Partly == validate.Observe && f.Action == validate.ActionObserve; !weaker &&
		(f.Action == validate.ActionRefuse) != refuses && len(rule.Severities) == 1 {
		t.Fatalf("%s %s is %s, by default %s", f.Code, f.Severity, f.Action, rule.Default)
	}
	message := f.Message()
	if n := utf8.RuneCountInString(message); n > 255 || !utf8.ValidString(message) {
		t.Fatalf("%s has a message of %d characters: %q", f.Code, n, message)
	}
	if f.Text == "" || f.Source == "" {
		t.Fatalf("%s does not say what it is: %+v", f.Code, f)
	}
}

// resolves reports whether a pointer names a value of the document, or a member that
// an object of it does not have.
func resolves(text []byte, pointer string) bool {
	at := jsontext.Value(text)
	steps := slices.Collect(jsontext.Pointer(pointer).Tokens())
	for i, step := range steps {
		switch at.Kind() {
		case '{':
			var object map[string]jsontext.Value
			if err := json.Unmarshal(at, &object); err != nil {
				return false
			}
			inner, sent := object[step]
			if !sent || inner.Kind() == 'n' {
				return i == len(steps)-1
			}
			at = inner
		case '[':
			var list []jsontext.Value
			n, err := strconv.Atoi(step)
			if json.Unmarshal(at, &list) != nil || err != nil || n < 0 || n >= len(list) {
				return false
			}
			at = list[n]
		default:
			return false
		}
	}
	return true
}

// TestWhateverIsChangedWhatIsFoundCanBeTold replaces members of valid requests with
// values that do not belong there, or takes them away.
func TestWhateverIsChangedWhatIsFoundCanBeTold(t *testing.T) {
	rules := newRules(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t, wish{})
		root := nodeOfBody(t, r.body(t))
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			root = spoil(t, root)
		}
		judgeAnything(t, rules, wsfev1.OperationByName(r.operation()), validate.ARCA, textOf(t, root), r.now)
	})
}

func nodeOfBody(t *rapid.T, body []byte) any {
	var root any
	if err := json.Unmarshal(body, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

func textOf(t *rapid.T, root any) []byte {
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// spoil goes down from a value at random and puts an odd one there, or twice the
// same into a list.
func spoil(t *rapid.T, at any) any {
	switch inner := at.(type) {
	case map[string]any:
		names := make([]string, 0, len(inner))
		for name := range inner {
			names = append(names, name)
		}
		if len(names) > 0 && rapid.IntRange(0, 30).Draw(t, "here") > 0 {
			slices.Sort(names)
			name := rapid.SampledFrom(names).Draw(t, "member")
			if rapid.IntRange(0, 9).Draw(t, "away") == 0 {
				delete(inner, name)
				return inner
			}
			inner[name] = spoil(t, inner[name])
			return inner
		}
	case []any:
		if len(inner) > 0 && rapid.IntRange(0, 9).Draw(t, "here") > 0 {
			i := rapid.IntRange(0, len(inner)-1).Draw(t, "item")
			if rapid.IntRange(0, 4).Draw(t, "twice") == 0 {
				return append(inner, inner[i])
			}
			inner[i] = spoil(t, inner[i])
			return inner
		}
	}
	return jsontext.Value(rapid.SampledFrom(validatetest.OddValues).Draw(t, "odd value"))
}
