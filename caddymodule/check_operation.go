package caddymodule

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// operationMarkers tells operations by members that no other has. Where two have the same, it
// is the one that is sent the more often or that changes something.
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

// operationOf tells the operation of a request from the members of its body, nil
// where they do not tell. A name counts in any case: what is wrong with it is then
// found by the operation's own shape. The error is about a body that is not JSON
// where its operation is not known yet; it may quote the body.
func operationOf(body []byte) (*wsfev1.Operation, error) {
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
	return nil, nil
}

// maxMarkerName is longer than any name of signs, in bytes: no other is kept.
const maxMarkerName = 32

// syntaxText says in Spanish what is wrong with a document that is not JSON, and
// nothing of what stands in it.
func syntaxText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "El documento está vacío o termina antes de tiempo."
	}
	return "El documento no es JSON válido."
}
