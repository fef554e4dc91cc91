package forms

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsfev1"
)

// operationMarkers are members that identify an operation. Where two operations share them,
// it is the one that is sent more often, or the one that changes something.
var operationMarkers = []struct {
	operation string
	members   []string
}{
	{"FECAESolicitar", []string{"FeCAEReq"}},
	{"FECAEARegInformativo", []string{"FeCAEARegInfReq"}},
	{"FECompConsultar", []string{"FeCompConsReq"}},
	{"FECompUltimoAutorizado", []string{"PtoVta", "CbteTipo"}},
	{"FECAEASolicitar", []string{"Periodo", "Orden"}},
	{"FECAEASinMovimientoInformar", []string{"PtoVta", "CAEA"}},
	{"FEParamGetCotizacion", []string{"MonId"}},
}

// operationWith returns the operation that has members of these names, given in lower case,
// or nil.
func operationWith(names map[string]bool) *wsfev1.Operation {
	for _, sign := range operationMarkers {
		all := true
		for _, member := range sign.members {
			all = all && names[strings.ToLower(member)]
		}
		if all {
			return wsfev1.OperationByName(sign.operation)
		}
	}
	return nil
}

// OperationOf finds the operation of a request by the members of its body; nil if they do
// not identify one. Names match in any case: the operation's shape reports the wrong case
// later. The error is about a body that is not JSON, and may quote it.
func OperationOf(body []byte) (*wsfev1.Operation, error) {
	json := jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if json.PeekKind() != '{' {
		return nil, json.SkipValue()
	}
	if _, err := json.ReadToken(); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for json.PeekKind() != '}' {
		name, err := json.ReadToken()
		if err != nil {
			return nil, err
		}
		if text := name.String(); len(text) <= maxMarkerName {
			names[strings.ToLower(text)] = true
		}
		if op := operationWith(names); op != nil {
			return op, nil
		}
		if err := json.SkipValue(); err != nil {
			return nil, err
		}
	}
	for _, member := range answerMarkers {
		if names[member] {
			return nil, ErrAnswer
		}
	}
	return nil, nil
}

// answerMarkers are members of answers alone, in lower case.
var answerMarkers = []string{"fecabresp", "fedetresp", "resultget", "errors", "events"}

// ErrAnswer is the error of OperationOf for an answer of the service.
var ErrAnswer = errors.New("an answer, not a request")

// maxMarkerName is longer than any marker, in bytes: longer names are skipped.
const maxMarkerName = 32

// NearestOperations returns the names of operations that are spelled like a name.
func NearestOperations(name string) []string {
	names := make([]string, len(wsfev1.Operations))
	for i, op := range wsfev1.Operations {
		names[i] = op.Name
	}
	return nearest.Names(name, names)
}
