// Package hostile calls exported functions with what no caller should give them: zero values,
// nil, the ends of number ranges. Nothing of it may panic: a library that does takes the
// process of its user with it.
package hostile

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// maxCalls bounds the calls of one function.
const maxCalls = 20_000

// Caller calls functions with hostile values.
type Caller struct {
	// Extra are further values, given wherever their type fits: nil pointers for parameters
	// of type any, and the like.
	Extra []any
	// Only are the values for parameters of one type, instead of the usual ones.
	Only map[reflect.Type][]any
}

// Function calls a function with all combinations of hostile values.
func (c *Caller) Function(t *testing.T, name string, function any) {
	t.Helper()
	c.call(t, name, reflect.ValueOf(function))
}

// Methods calls all exported methods of a receiver, which may be a nil pointer. It returns
// their names, after the name of the type and a dot. The methods of a value cannot be called
// through a nil pointer: Go itself panics there.
func (c *Caller) Methods(t *testing.T, receiver any) []string {
	t.Helper()
	v := reflect.ValueOf(receiver)
	var names []string
	for i := range v.NumMethod() {
		method := v.Type().Method(i).Name
		name := typeName(v.Type()) + "." + method
		names = append(names, name)
		if v.Kind() == reflect.Pointer && v.IsNil() {
			if _, ofValue := v.Type().Elem().MethodByName(method); ofValue {
				continue
			}
		}
		c.call(t, name, v.Method(i))
	}
	return names
}

// typeName returns the name of a type without its package, its pointer and its parameters.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

func (c *Caller) call(t *testing.T, name string, function reflect.Value) {
	t.Helper()
	choices := make([][]reflect.Value, function.Type().NumIn())
	for i := range choices {
		choices[i] = c.values(function.Type().In(i))
	}
	arguments := make([]reflect.Value, len(choices))
	for n := range maxCalls {
		rest := n
		for i, choice := range choices {
			arguments[i], rest = choice[rest%len(choice)], rest/len(choice)
		}
		if rest > 0 {
			return // all combinations were called
		}
		if said := panicOf(function, arguments); said != "" {
			t.Errorf("%s(%s) panics: %s", name, describe(arguments), said)
			return
		}
	}
}

// panicOf returns what a call panics with, no text where it returns.
func panicOf(function reflect.Value, arguments []reflect.Value) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	if function.Type().IsVariadic() {
		function.CallSlice(arguments)
	} else {
		function.Call(arguments)
	}
	return ""
}

func describe(arguments []reflect.Value) string {
	texts := make([]string, len(arguments))
	for i, a := range arguments {
		texts[i] = fmt.Sprintf("%s %.60q", a.Type(), fmt.Sprintf("%+v", a))
	}
	return strings.Join(texts, ", ")
}

// values returns the hostile values of a type.
func (c *Caller) values(t reflect.Type) []reflect.Value {
	if only, ok := c.Only[t]; ok {
		return valuesOf(only, t)
	}
	values := append([]reflect.Value{reflect.Zero(t)}, usual(t)...)
	return append(values, valuesOf(c.Extra, t)...)
}

// valuesOf returns the values of a list that fit a type.
func valuesOf(list []any, t reflect.Type) []reflect.Value {
	var values []reflect.Value
	for _, e := range list {
		if e == nil && t.Kind() == reflect.Interface {
			values = append(values, reflect.Zero(t))
		}
		if v := reflect.ValueOf(e); v.IsValid() && v.Type().AssignableTo(t) {
			as := reflect.New(t).Elem()
			as.Set(v)
			values = append(values, as)
		}
	}
	return values
}

func usual(t reflect.Type) []reflect.Value {
	var values []reflect.Value
	add := func(list ...any) {
		for _, e := range list {
			values = append(values, reflect.ValueOf(e).Convert(t))
		}
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		add(int64(-1), int64(1), int64(math.MaxInt64), int64(math.MinInt64))
	case reflect.Int32:
		add(int32(-1), int32(1), int32(math.MaxInt32), int32(math.MinInt32))
	case reflect.Int16:
		add(int16(-1), int16(1), int16(math.MaxInt16), int16(math.MinInt16))
	case reflect.String:
		add("unknown", "\xff", "00000000", "/", "/~2/-1//x", strings.Repeat("9", 100))
	case reflect.Slice:
		values = append(values, reflect.MakeSlice(t, 0, 0), reflect.MakeSlice(t, 1, 1))
	case reflect.Pointer:
		values = append(values, reflect.New(t.Elem()))
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			add(time.Unix(math.MaxInt64/2, 0), time.Unix(math.MinInt64/2, 0))
		}
	}
	return values
}
