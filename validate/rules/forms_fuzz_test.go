package rules_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// FuzzForms holds a request in SOAP against the same in JSON, which the next handler gets: it is
// of the operation's shape, and the rules find the same in it. They differ where a number was left
// out, which is 0 in JSON.
func FuzzForms(f *testing.F) {
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
		req, found := validate.Decode(wsfev1.OperationByName(valid.Operation), valid.Request, validate.ARCA)
		if len(found) > 0 {
			continue
		}
		message, err := soap.AppendRequest(nil, soap.V11, req.Operation, req.Body)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message)
	}
	rules := newRules(f)
	f.Fuzz(func(t *testing.T, message []byte) { compareForms(t, rules, message) })
}

func compareForms(t *testing.T, rules *rules.Rules, message []byte) {
	envelope, err := soap.Open(message, "")
	if err != nil {
		return
	}
	op, err := envelope.Route("")
	if err != nil {
		return
	}
	read := envelope.Decode(op)
	fromSOAP, found := validate.OfSOAP(read, validate.ARCA)
	if len(found) > 0 {
		return
	}
	text, err := json.Marshal(fromSOAP.Body)
	if err != nil {
		t.Fatalf("%q cannot be written as JSON: %v", message, err)
	}
	fromJSON, found := validate.Decode(op, text, validate.ARCA)
	if len(found) > 0 {
		t.Fatalf("%q is no request in JSON: %v\n%s", message, validatetest.Brief(found), text)
	}
	again, err := json.Marshal(fromJSON.Body)
	if err != nil || string(again) != string(text) {
		t.Fatalf("%q: %v\n%s\n%s", message, err, text, again)
	}
	if len(read.Absent) > 0 {
		return
	}
	got, want := rules.Judge(fromSOAP, validatetest.Noon), rules.Judge(fromJSON, validatetest.Noon)
	if !slices.Equal(validatetest.Brief(got), validatetest.Brief(want)) || !slices.Equal(fromSOAP.Overlong, fromJSON.Overlong) {
		t.Fatalf("%q: %v, in JSON %v", message, validatetest.Brief(got), validatetest.Brief(want))
	}
}
