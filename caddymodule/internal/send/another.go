package send

import (
	"reflect"
	"slices"
	"strings"

	"github.com/fielato/fielato/validate"
)

// isBare reports whether a typed answer has nothing of its operation: no member at all, or a result all of whose members
// are another operation's. An empty result, as of a table without rows, is an answer.
func isBare(typed any, deviations []validate.Finding) bool {
	v := reflect.ValueOf(typed).Elem()
	if v.IsZero() {
		return true
	}
	return slices.ContainsFunc(deviations, func(f validate.Finding) bool {
		return f.Code == "answer.unknown" && strings.HasPrefix(f.Pointer, "/ResultGet/")
	}) && isEmpty(v)
}

// isEmpty reports whether a value is its zero, or objects in each other without any other member.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || isEmpty(v.Elem())
	case reflect.Struct:
		for _, member := range v.Fields() {
			if !isEmpty(member) {
				return false
			}
		}
		return true
	}
	return v.IsZero()
}
