package backend_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

var rewrite = flag.Bool("update", false, "write the answers into testdata instead of comparing them")

// A scenario is a conversation with one new ledger, written in testdata/*.txt:
//
//	# a remark
//	@ 2026-11-06T10:30:15-03:00      the time from here on
//	! 10048 EXC 0 a text             a finding of the rules on the next request
//	> FECompTotXRequest {}           a request; the issuer's ticket is added where it has none
//	< {"RegXReq":250}                the exact answer; -update writes these lines
//
// Beside the conversation there may be a register, testdata/*.yaml. Then the real rules
// judge too, in addition to the findings given with !. In one whose name begins with arca_ the service
// has ARCA's sentences and strict tickets.
//
// {{invoice N}} in a request is an invoice with that number, {{invoice N `{...}`}}
// one with other members.
type scenario struct {
	service  *backend.Backend
	now      time.Time
	findings []validate.Finding
	answered map[string]bool
}

// messagesOf finds the codes and the texts of an answer.
var messagesOf = regexp.MustCompile(`"Code":(\d+),"Msg":"([^"]*)`)

func TestAnswersAreExactlyThoseOfTheScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	answered := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := newScenario(t, answered, strings.TrimSuffix(file, ".txt")+".yaml")
			told, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := s.play(t, string(told))
			for _, message := range messagesOf.FindAllStringSubmatch(got, -1) {
				if strings.HasPrefix(message[2], message[1]) {
					t.Errorf("Msg repeats the code: %s", message[0])
				}
			}
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, string(told), got)
		})
	}
	for _, op := range wsfev1.Operations {
		if !answered[op.Name] {
			t.Errorf("no scenario asks for %s", op.Name)
		}
	}
}

func newScenario(t *testing.T, answered map[string]bool, registerFile string) *scenario {
	s := &scenario{now: processed, answered: answered}
	ledger, err := sqlite.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ledger.Close() })
	options := backend.Options{Clock: func() time.Time { return s.now }}
	if strings.HasPrefix(filepath.Base(registerFile), "arca_") {
		options.Texts = backend.TextsARCA
	}
	judge := func(*validate.Request, time.Time) []validate.Finding { return nil }
	if text, err := os.ReadFile(registerFile); err == nil {
		if options.Register, err = backend.ReadRegister(registerFile, text); err != nil {
			t.Fatal(err)
		}
		if options.Rules, err = rules.NewRules(rules.Settings{DecidesState: true, Environment: rules.Production}); err != nil {
			t.Fatal(err)
		}
		judge = options.Rules.Judge
	}
	options.Judge = func(request *validate.Request, now time.Time) []validate.Finding {
		defer func() { s.findings = nil }()
		return append(judge(request, now), s.findings...)
	}
	s.service, err = backend.New(ledger, options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play returns the scenario with the answers that were given.
func (s *scenario) play(t *testing.T, told string) string {
	var out strings.Builder
	for line := range strings.Lines(told) {
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		if mark == "<" {
			continue
		}
		fmt.Fprintln(&out, line)
		switch mark {
		case "@":
			now, err := time.Parse(time.RFC3339, rest)
			if err != nil {
				t.Fatal(err)
			}
			s.now = now
		case "!":
			s.findings = append(s.findings, parseFinding(t, rest))
		case ">":
			fmt.Fprintf(&out, "< %s\n", s.ask(t, rest))
		}
	}
	return out.String()
}

func parseFinding(t *testing.T, text string) validate.Finding {
	parts := strings.SplitN(text, " ", 4)
	if len(parts) != 4 {
		t.Fatalf("finding %q", text)
	}
	_, err1 := strconv.Atoi(parts[0])
	position, err2 := strconv.Atoi(parts[2])
	if err1 != nil || err2 != nil {
		t.Fatalf("finding %q", text)
	}
	f := validate.Finding{
		Code: parts[0], Severity: validate.Severity(parts[1]), Action: validate.ActionRefuse, Invoice: position, Text: parts[3],
	}
	if f.Severity == validate.OBS {
		f.Action = validate.ActionObserve
	}
	return f
}

func (s *scenario) ask(t *testing.T, line string) []byte {
	name, body, _ := strings.Cut(line, " ")
	op := operation(name)
	if op == nil {
		t.Fatalf("no operation %q", name)
	}
	s.answered[name] = true
	if op.Name != "FEDummy" && !strings.Contains(body, `"Auth"`) {
		comma := ","
		if body == "{}" {
			comma = ""
		}
		body = fmt.Sprintf(`{"Auth":{"Token":"token","Sign":"sign","Cuit":%d}%s%s`, issuer, comma, body[1:])
	}
	request := op.NewRequest()
	if err := json.Unmarshal(expand(t, body), request, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	answer, err := s.service.Answer(t.Context(), &validate.Request{Operation: op, Body: request})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	encoded, err := json.Marshal(answer, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// expand puts invoices in the place of {{invoice}}.
func expand(t *testing.T, body string) []byte {
	invoice := func(number int64, other ...string) (string, error) {
		r := detail(number)
		for _, members := range other {
			if err := json.Unmarshal([]byte(members), &r); err != nil {
				return "", err
			}
		}
		encoded, err := json.Marshal(&r)
		return string(encoded), err
	}
	advance := func(number int64, caea string, other ...string) (string, error) {
		r := wsfev1.FECAEADetRequest{FECAEDetRequest: detail(number), CAEA: caea, CbteFchHsGen: wsfev1.TimestampOf(processed)}
		for _, members := range other {
			if err := json.Unmarshal([]byte(members), &r); err != nil {
				return "", err
			}
		}
		encoded, err := json.Marshal(&r)
		return string(encoded), err
	}
	parsed, err := template.New("").Funcs(template.FuncMap{"invoice": invoice, "advance": advance}).Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func compare(t *testing.T, want, got string) {
	t.Helper()
	wanted, given := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wanted), len(given)) {
		w, g := at(wanted, i), at(given, i)
		if w != g {
			t.Fatalf("line %d, after %s\n got %s\nwant %s", i+1, at(given, i-1), g, w)
		}
	}
}

func at(lines []string, i int) string {
	if i < 0 || i >= len(lines) {
		return ""
	}
	return lines[i]
}
