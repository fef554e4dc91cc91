package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func TestTheBaseContractLacksTheExtendedOperations(t *testing.T) {
	for _, op := range wsfev1.Operations {
		if got := validate.ARCA.Operation(op.Name); got != op {
			t.Errorf("arca lacks %s", op.Name)
		}
		want := op
		if op.Name == "FECAEAConsultar" || op.Name == "FEParamGetCondicionIvaReceptor" {
			want = nil
		}
		if got := validate.Base.Operation(op.Name); got != want {
			t.Errorf("base has %s: %v", op.Name, got != nil)
		}
	}
	for _, c := range []validate.Contract{validate.Base, validate.ARCA} {
		if op := c.Operation("fedummy"); op != nil {
			t.Errorf("%s: fedummy finds %s", c, op.Name)
		}
	}
}

func TestAnExtendedMemberIsUnknownToTheBaseContract(t *testing.T) {
	for name, spoil := range map[string]func(place){
		"as it is": func(place) {}, "null": func(at place) { at.value().raw = "null" },
		"of the wrong kind": func(at place) { at.value().raw = "[{}]" },
		"in the wrong case": func(at place) { at.parent.names[at.index] = strings.ToUpper(at.parent.names[at.index]) },
	} {
		tried := map[string]bool{}
		for _, op := range wsfev1.Operations {
			for i, candidate := range sample(op.Request, true).places("") {
				if !candidate.member.Extension {
					continue
				}
				document := sample(op.Request, true)
				at := document.places("")[i]
				spoil(at)
				tried[at.member.Name] = true
				where := at.pointer[:strings.LastIndexByte(at.pointer, '/')+1] + strings.Trim(at.parent.names[at.index], `"`)
				_, found := validate.Decode(op, []byte(document.text()), validate.Base)
				if got := validatetest.Brief(found); !slices.Contains(got, "shape.unknown "+where) || slices.Contains(got, "shape.kind "+where) {
					t.Errorf("%s, %s %s: %v", op.Name, at.pointer, name, got)
				}
			}
		}
		if len(tried) != 3 {
			t.Errorf("extended members %v, want CanMisMonExt, CondicionIVAReceptorId and FchCotiz", tried)
		}
	}
}

func TestTheTwoContractsDifferInNothingElse(t *testing.T) {
	for _, op := range wsfev1.Operations {
		for _, full := range []bool{false, true} {
			document := sample(op.Request, full)
			dropExtensions(document)
			_, found := validate.Decode(op, []byte(document.text()), validate.Base)
			if len(found) > 0 {
				t.Errorf("%s: %v", op.Name, validatetest.Brief(found))
			}
		}
	}
}

func dropExtensions(b *body) {
	if b.shape.Kind != wsfev1.KindObject {
		for _, v := range b.values {
			dropExtensions(v)
		}
		return
	}
	var names []string
	var values []*body
	for i, name := range b.names {
		if m, _ := b.shape.Member([]byte(strings.Trim(name, `"`))); !b.shape.Members[m].Extension {
			names, values = append(names, name), append(values, b.values[i])
			dropExtensions(b.values[i])
		}
	}
	b.names, b.values = names, values
}

func TestParseContract(t *testing.T) {
	for text, want := range map[string]validate.Contract{"base": validate.Base, "arca": validate.ARCA} {
		if got, err := validate.ParseContract(text); got != want || err != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "ARCA", "Base", "both"} {
		if got, err := validate.ParseContract(text); err == nil || !strings.Contains(err.Error(), "base or arca") {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
}
