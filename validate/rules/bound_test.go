package rules_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestFindingsOfRulesAreBounded: a body of a megabyte can break a rule tens of thousands
// of times. The findings stay short and state that they were cut.
func TestFindingsOfRulesAreBounded(t *testing.T) {
	aliquots := strings.TrimSuffix(strings.Repeat("5/1/0.0001,", 1000), ",")
	body := lotJSON("FECAESolicitar", 1, 1, "ImpTotal=1 Iva="+aliquots)
	req, shape := validate.Decode(wsfev1.OperationByName("FECAESolicitar"), []byte(body), validate.ARCA)
	if len(shape) != 0 {
		t.Fatalf("%v", shape)
	}
	findings := newRules(t).Judge(req, validatetest.Noon)
	said, refusing := 0, 0
	for _, f := range findings {
		if f.Action == validate.ActionRefuse {
			refusing++
		}
		if strings.Contains(f.Text, "Hay más errores") {
			said++
		}
	}
	if refusing != 1000 {
		t.Errorf("%d findings refuse, want 1000", refusing)
	}
	if said != 1 {
		t.Errorf("%d findings say that there are more, want 1", said)
	}
}
