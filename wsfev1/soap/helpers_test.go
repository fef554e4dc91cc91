package soap_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// read reads a request that names its operation by its element.
func read(t testing.TB, body []byte) *soap.Request {
	t.Helper()
	e, err := soap.Open(body, "")
	if err != nil {
		t.Fatalf("%v in %.400s", err, body)
	}
	op, err := e.Route("")
	if err != nil {
		t.Fatalf("%v in %.400s", err, body)
	}
	return e.Decode(op)
}

// request wraps the content of an operation's element.
func request(op, content string) []byte {
	return []byte(`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body><` +
		op + ` xmlns="` + soap.Namespace + `">` + content + `</` + op + `></s:Body></s:Envelope>`)
}

// brief writes findings as "code pointer".
func brief(findings []soap.Finding) []string {
	out := []string{}
	for _, f := range findings {
		out = append(out, strings.TrimSpace(f.Code+" "+f.Pointer))
	}
	return out
}

// files returns the XML files of a folder of testdata by their names.
func files(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", folder, "*.xml"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := make(map[string][]byte)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".xml")] = text
	}
	return all
}

// meaning writes a message as JSON, its amounts without the zeros that end them.
func meaning(t testing.TB, message any) string {
	t.Helper()
	v := reflect.New(reflect.TypeOf(message).Elem())
	text, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v.Interface()); err != nil {
		t.Fatal(err)
	}
	trim(v.Elem())
	if text, err = json.Marshal(v.Interface()); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func trim(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[wsfev1.Amount]():
		v.Set(reflect.ValueOf(v.Interface().(wsfev1.Amount).Trim()))
	case v.Kind() == reflect.Pointer && !v.IsNil():
		trim(v.Elem())
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			trim(field)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			trim(v.Index(i))
		}
	}
}

// lot returns a FECAESolicitar of n invoices.
func lot(t testing.TB, n int) *wsfev1.FECAESolicitarRequest {
	t.Helper()
	req := read(t, files(t, "requests")["default-namespace"]).Body.(*wsfev1.FECAESolicitarRequest)
	first := req.FeCAEReq.FeDetReq.FECAEDetRequest[0]
	req.FeCAEReq.FeDetReq.FECAEDetRequest = nil
	for i := range n {
		invoice := first
		invoice.CbteDesde, invoice.CbteHasta = int64(101+i), int64(101+i)
		req.FeCAEReq.FeDetReq.FECAEDetRequest = append(req.FeCAEReq.FeDetReq.FECAEDetRequest, invoice)
	}
	req.FeCAEReq.FeCabReq.CantReg = int32(n)
	return req
}

func operation(t testing.TB, name string) *wsfev1.Operation {
	t.Helper()
	op := wsfev1.OperationByName(name)
	if op == nil {
		t.Fatalf("no operation %s", name)
	}
	return op
}
