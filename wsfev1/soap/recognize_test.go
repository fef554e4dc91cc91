package soap_test

import (
	"testing"

	"github.com/fielato/fielato/wsfev1/soap"
)

func TestAnswersAndFaultsAreRecognized(t *testing.T) {
	fault := soap.AppendFault(nil, soap.V12, soap.Fault{Code: soap.Client, Text: "x"})
	for name, c := range map[string]struct {
		body     []byte
		answered string
		fault    bool
	}{
		"a request":            {files(t, "requests")["default-namespace"], "", false},
		"an answer":            {files(t, "answers")["solicitar-approved"], "FECAESolicitar", false},
		"a fault":              {fault, "", true},
		"an unknown Response":  {request("XResponse", ""), "", false},
		"a name of no content": {request("Response", ""), "", false},
	} {
		e, err := soap.Open(c.body, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answered := ""
		if op := e.Answered(); op != nil {
			answered = op.Name
		}
		if answered != c.answered || e.IsFault() != c.fault {
			t.Errorf("%s: %q, %v", name, answered, e.IsFault())
		}
	}
	var none *soap.Envelope
	if none.Answered() != nil || none.IsFault() {
		t.Error("no envelope")
	}
}
