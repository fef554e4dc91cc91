package main

import (
	"math"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// describer makes schemas of shapes, one for each type.
type describer struct {
	said    comments
	schemas object
}

func reference(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// reference describes a shape; of an object it returns a reference to its schema, which it
// makes when it is first asked for.
func (d *describer) reference(s *wsfev1.Shape) object {
	switch s.Kind {
	case wsfev1.KindList:
		return object{"type": "array", "items": d.reference(s.Item)}
	case wsfev1.KindInteger:
		return object{"type": "integer", "format": "int" + strconv.Itoa(s.Bits)}
	case wsfev1.KindAmount:
		return object{"type": "number"}
	case wsfev1.KindText:
		return text(s.Type)
	}
	return d.named(s, s.Type.Name())
}

// named returns a reference to an object's schema of this name. The answers of the tables
// are of one generic type, whose own name is none for a client.
func (d *describer) named(s *wsfev1.Shape, name string) object {
	if _, known := d.schemas[name]; !known {
		d.schemas[name] = nil // a type that holds itself ends here
		d.schemas[name] = d.object(s, name)
	}
	return reference(name)
}

// text describes the texts that have a form.
func text(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[wsfev1.Date]():
		return object{"type": "string", "description": "yyyymmdd"}
	case reflect.TypeFor[wsfev1.Timestamp]():
		return object{"type": "string", "description": "yyyymmddhhmmss"}
	}
	return object{"type": "string"}
}

func (d *describer) object(s *wsfev1.Shape, name string) object {
	properties, required := object{}, []any{}
	for i := range s.Members {
		m := &s.Members[i]
		properties[m.Name] = d.member(s.Type, m)
		if m.Required {
			required = append(required, m.Name)
		}
	}
	described := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		described["required"] = required
	}
	if said := d.said.of(name); said != "" {
		described["description"] = said
	}
	return described
}

func (d *describer) member(owner reflect.Type, m *wsfev1.Member) object {
	described := d.reference(m.Shape)
	if said := d.said.of(declaring(owner, m.Index).Name() + "." + m.Name); said != "" {
		if form, ok := described["description"].(string); ok {
			said += " Form: " + form + "."
		}
		described["description"] = said
	}
	if m.IntegerDigits > 0 {
		limit := math.Pow10(m.IntegerDigits)
		described["exclusiveMaximum"], described["exclusiveMinimum"] = whole(limit), whole(-limit)
		described["x-decimals"] = m.Decimals
	}
	if m.MaxItems > 0 {
		described["maxItems"] = m.MaxItems
	}
	if m.Secret {
		described["format"], described["writeOnly"] = "password", true
	}
	if m.Extension {
		described["x-extension"] = true
	}
	if m.Expected {
		described["x-default"] = "0 or no text where it is left out"
	}
	return described
}

// whole writes a power of ten without an exponent.
func whole(n float64) jsontext.Value {
	return jsontext.Value(strconv.FormatFloat(n, 'f', 0, 64))
}

// declaring returns the struct in which a member stands: an embedded one, mostly not.
func declaring(t reflect.Type, index []int) reflect.Type {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return t
}
