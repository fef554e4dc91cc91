package rules_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// atNoon judges as of the day of the valid requests.
var atNoon = rules.Options{Now: func() time.Time { return validatetest.Noon }}

// verdictOn returns the verdict on a changed request and its refusal, in JSON.
func verdictOn(t *testing.T, options rules.Options, template string, changes ...string) (verdict rules.Verdict, refusal string) {
	t.Helper()
	operation, body := validatetest.Changed(t, template, template, changes)
	verdict, err := rules.Judge(operation, body, options)
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(verdict.Refusal())
	if err != nil {
		t.Fatal(err)
	}
	return verdict, string(written)
}

func TestAVerdictIsWhatTheEdgeWouldDo(t *testing.T) {
	for _, test := range []struct {
		template string
		changes  []string
		codes    string
		refused  bool
		refusal  string // the beginning of it
	}{
		{"factura-b", nil, "", false, "null"},
		{"factura-b", []string{"ImpTotal=122.00"}, "10048", true, `{"FeCabResp":{"Cuit":`},
		{"factura-b", []string{`ImpTotal="122.00"`}, "shape.kind", true, `{"Errors":{"Err":[{"Code":"shape.kind"`},
		{"factura-b", []string{"/Auth/Cuit=0"}, "600", true, `{"Errors":{"Err":[{"Code":600`},
		{"ultimo", []string{"/PtoVta=0"}, "11000", true, `{"PtoVta":0,"CbteTipo":6,"CbteNro":0,"Errors":`},
	} {
		verdict, refusal := verdictOn(t, atNoon, test.template, test.changes...)
		var codes []string
		for _, f := range verdict.Findings {
			codes = append(codes, f.Code)
		}
		if got := strings.Join(codes, " "); got != test.codes || verdict.Refused != test.refused || !strings.HasPrefix(refusal, test.refusal) {
			t.Errorf("%s %v: %q, refused %v, %s", test.template, test.changes, got, verdict.Refused, refusal)
		}
	}
}

// TestAVerdictIsAsOfTheClock of the caller, and as of now without one.
func TestAVerdictIsAsOfTheClock(t *testing.T) {
	later := rules.Options{Now: func() time.Time { return validatetest.Noon.AddDate(1, 0, 0) }}
	if verdict, refusal := verdictOn(t, later, "factura-b"); !verdict.Refused || !strings.Contains(refusal, `"Code":10016`) {
		t.Errorf("an invoice of last year passes: %s", refusal)
	}
	today := `CbteFch="` + string(wsfev1.DateOf(time.Now())) + `"`
	if verdict, refusal := verdictOn(t, rules.Options{}, "factura-b", today); verdict.Refused {
		t.Errorf("an invoice of today: %s", refusal)
	}
}

func TestAVerdictIsByTheContractAndTheRulesThatAreAskedFor(t *testing.T) {
	base := atNoon
	base.Contract = validate.Base
	if verdict, refusal := verdictOn(t, base, "factura-b", "CondicionIVAReceptorId=5"); !verdict.Refused || !strings.Contains(refusal, "shape.unknown") {
		t.Errorf("an extension passes in the base contract: %s", refusal)
	}
	lenient := atNoon
	var err error
	if lenient.Rules, err = rules.NewRules(rules.Settings{Levels: map[int32]validate.Level{10048: validate.Observe}}); err != nil {
		t.Fatal(err)
	}
	if verdict, refusal := verdictOn(t, lenient, "factura-b", "ImpTotal=122.00"); verdict.Refused || len(verdict.Findings) == 0 || refusal != "null" {
		t.Errorf("a rule that only observes refuses: %v, %s", verdict.Findings, refusal)
	}
}

// TestThereIsNoVerdictOnWhatIsNoOperation: an error, and no panic.
func TestThereIsNoVerdictOnWhatIsNoOperation(t *testing.T) {
	for name, options := range map[string]rules.Options{
		"": {}, "FECAE": {}, "fecaesolicitar": {}, "FECAEAConsultar": {Contract: validate.Base},
	} {
		if verdict, err := rules.Judge(name, []byte("{}"), options); !errors.Is(err, rules.ErrOperation) || verdict.Refused || verdict.Refusal() != nil {
			t.Errorf("%q: %v, %+v", name, err, verdict)
		}
	}
	if _, err := rules.Judge("fecaesolicitar", nil, rules.Options{}); !strings.Contains(err.Error(), "FECAESolicitar") {
		t.Errorf("%v does not name what was meant", err)
	}
	if _, err := rules.Judge("FEDummy", []byte("{}"), rules.Options{Contract: "soap"}); err == nil {
		t.Error("a contract that does not exist")
	}
	if verdict, err := rules.Judge("FEDummy", []byte("{}"), rules.Options{}); err != nil || verdict.Refused {
		t.Errorf("FEDummy: %v, %+v", err, verdict.Findings)
	}
}
