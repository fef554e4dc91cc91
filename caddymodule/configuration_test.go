package caddymodule_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// TestConfigurationHasOnlyNamedMembers: an exported field without a name of its own would
// stand in the JSON under its Go name, with whatever it was resolved to.
func TestConfigurationHasOnlyNamedMembers(t *testing.T) {
	const ours = "github.com/fielato/fielato/caddymodule"
	checked := 0
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] || !strings.HasPrefix(of.PkgPath(), ours) || strings.HasSuffix(of.PkgPath(), "_test") {
			return
		}
		seen[of] = true
		for field := range of.Fields() {
			if !field.IsExported() {
				continue
			}
			checked++
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name == "" && !field.Anonymous {
				t.Errorf("%v.%s has no name in the JSON", of, field.Name)
			}
			check(field.Type)
		}
	}
	for _, id := range caddy.Modules() {
		if info, err := caddy.GetModule(id); err == nil && info.New != nil {
			check(reflect.TypeOf(info.New()))
		}
	}
	if checked < 40 {
		t.Errorf("only %d members were looked at", checked)
	}
}
