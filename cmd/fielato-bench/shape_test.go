package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// openAPI returns the same shape as an OpenAPI schema, for a general validator.
func openAPI(shape *wsfev1.Shape) *openapi3.Schema {
	switch shape.Kind {
	case wsfev1.KindObject:
		object := openapi3.NewObjectSchema().WithoutAdditionalProperties()
		var required []string
		for i := range shape.Members {
			m := &shape.Members[i]
			object.WithProperty(m.Name, openAPI(m.Shape))
			if m.Required {
				required = append(required, m.Name)
			}
		}
		return object.WithRequired(required)
	case wsfev1.KindList:
		return openapi3.NewArraySchema().WithItems(openAPI(shape.Item))
	case wsfev1.KindInteger:
		return openapi3.NewIntegerSchema()
	case wsfev1.KindAmount:
		return openapi3.NewFloat64Schema()
	default:
		return openapi3.NewStringSchema()
	}
}

// visit decodes and validates a body the way the users of kin-openapi do.
func visit(schema *openapi3.Schema, body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return schema.VisitJSON(document)
}

// TestTheOpenAPISchemaAsksForTheSameShape keeps the comparison of
// BenchmarkShapeAgainstOpenAPI fair: a schema that accepts anything is fast.
func TestTheOpenAPISchemaAsksForTheSameShape(t *testing.T) {
	op := wsfev1.OperationByName("FECAESolicitar")
	schema, right := openAPI(op.Request), string(newSeries(0).appendLot(nil, 1))
	if err := visit(schema, []byte(right)); err != nil {
		t.Errorf("a body of right shape: %v", err)
	}
	for name, change := range map[string][2]string{
		"wrong kind in the header":   {`"CantReg":1`, `"CantReg":"1"`},
		"wrong kind in an invoice":   {`"ImpTotal":121.00`, `"ImpTotal":"121.00"`},
		"wrong kind in a list of it": {`"Importe":21.00}`, `"Importe":{}}`},
		"number in place of text":    {`"MonId":"PES"`, `"MonId":1`},
		"fraction":                   {`"DocTipo":99`, `"DocTipo":99.5`},
		"unknown member":             {`"Concepto":1`, `"Zzz":1`},
		"missing member":             {`"PtoVta":1,`, ``},
	} {
		wrong := bytes.Replace([]byte(right), []byte(change[0]), []byte(change[1]), 1)
		if string(wrong) == right {
			t.Fatalf("%s: nothing was changed", name)
		}
		if err := visit(schema, wrong); err == nil {
			t.Errorf("%s: the schema accepts it", name)
		}
		if _, found := validate.Decode(op, wrong, validate.ARCA); len(found) == 0 {
			t.Errorf("%s: Decode accepts it", name)
		}
	}
}

// BenchmarkShapeAgainstOpenAPI measures the check of one invoice's shape beside a general
// validator's check. The check here also makes the typed request.
func BenchmarkShapeAgainstOpenAPI(b *testing.B) {
	op, body := wsfev1.OperationByName("FECAESolicitar"), newSeries(0).appendLot(nil, 1)
	b.Run("fielato", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, found := validate.Decode(op, body, validate.ARCA); len(found) > 0 {
				b.Fatal(found)
			}
		}
	})
	schema := openAPI(op.Request)
	b.Run("kin-openapi", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := visit(schema, body); err != nil {
				b.Fatal(err)
			}
		}
	})
}
