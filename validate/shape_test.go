package validate_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func TestARequestWithItsRequiredMembersAloneIsOfRightShape(t *testing.T) {
	for _, op := range wsfev1.Operations {
		for _, full := range []bool{false, true} {
			text := sample(op.Request, full).text()
			req, found := validate.Decode(op, []byte(text), validate.ARCA)
			if len(found) > 0 {
				t.Errorf("%s full %v: %v", op.Name, full, validatetest.Brief(found))
			}
			if req.Operation != op || req.Body == nil {
				t.Errorf("%s full %v: request %+v", op.Name, full, req)
			}
		}
	}
}

func TestAMemberThatIsLeftOut(t *testing.T) {
	leaveOut := func(at place) bool {
		at.parent.names = append(at.parent.names[:at.index:at.index], at.parent.names[at.index+1:]...)
		at.parent.values = append(at.parent.values[:at.index:at.index], at.parent.values[at.index+1:]...)
		return true
	}
	spoilEach(t, validate.ARCA, leaveOut, func(t *testing.T, at place, found []validate.Finding) {
		if at.member.Required {
			wantOne(t, found, "shape.missing", at.pointer)
		} else if len(found) > 0 {
			t.Errorf("it is not required: %v", validatetest.Brief(found))
		}
	})
}

func TestAMemberThatIsNullCountsAsLeftOut(t *testing.T) {
	null := func(at place) bool { at.value().raw = "null"; return true }
	spoilEach(t, validate.ARCA, null, func(t *testing.T, at place, found []validate.Finding) {
		if at.member.Required {
			wantOne(t, found, "shape.missing", at.pointer)
		} else if len(found) > 0 {
			t.Errorf("it is not required: %v", validatetest.Brief(found))
		}
	})
}

// The JSON kinds, with what each is called in a finding.
var jsonKinds = []struct{ value, name string }{
	{`{}`, "un objeto"},
	{`{"a":[{}]}`, "un objeto"},
	{`[]`, "una lista"},
	{`[[],{"a":1}]`, "una lista"},
	{`"1"`, "un texto"},
	{`""`, "un texto"},
	{`1`, "un número"},
	{`true`, "un booleano"},
	{`false`, "un booleano"},
}

var kindNames = map[wsfev1.Kind][2]string{
	// the expected kind, and its name in jsonKinds
	wsfev1.KindObject:  {"un objeto", "un objeto"},
	wsfev1.KindList:    {"una lista", "una lista"},
	wsfev1.KindInteger: {"un número entero", "un número"},
	wsfev1.KindAmount:  {"un número", "un número"},
	wsfev1.KindText:    {"un texto", "un texto"},
}

func TestAValueOfTheWrongKind(t *testing.T) {
	for _, kind := range jsonKinds {
		spoil := func(at place) bool {
			at.value().raw = kind.value
			return kindNames[at.member.Shape.Kind][1] != kind.name
		}
		spoilEach(t, validate.ARCA, spoil, func(t *testing.T, at place, found []validate.Finding) {
			wantOne(t, found, "shape.kind", at.pointer)
			if f := found[0]; f.Expected != kindNames[at.member.Shape.Kind][0] || f.Got != kind.name {
				t.Errorf("expected %q, got %q", f.Expected, f.Got)
			}
		})
	}
}

func TestANameInTheWrongCase(t *testing.T) {
	swapCase := strings.Map
	spoil := func(at place) bool {
		at.parent.names[at.index] = swapCase(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r - 'a' + 'A'
			}
			if r >= 'A' && r <= 'Z' {
				return r - 'A' + 'a'
			}
			return r
		}, at.parent.names[at.index])
		return true
	}
	spoilEach(t, validate.ARCA, spoil, func(t *testing.T, at place, found []validate.Finding) {
		written := at.pointer[:strings.LastIndexByte(at.pointer, '/')+1] + strings.Trim(at.parent.names[at.index], `"`)
		wantOne(t, found, "shape.case", written)
		if found[0].Expected != at.member.Name {
			t.Errorf("expected %q, want %q", found[0].Expected, at.member.Name)
		}
	})
}

func TestAMemberThatIsThereTwice(t *testing.T) {
	for name, second := range map[string]string{"the same again": "", "null": "null", "another kind": "[[]]"} {
		t.Run(name, func(t *testing.T) {
			twice := func(at place) bool {
				again := &body{shape: at.value().shape, raw: second}
				if second == "" {
					again = at.value()
				}
				at.parent.names = append(at.parent.names, at.parent.names[at.index])
				at.parent.values = append(at.parent.values, again)
				return true
			}
			spoilEach(t, validate.ARCA, twice, func(t *testing.T, at place, found []validate.Finding) {
				wantOne(t, found, "shape.duplicate", at.pointer)
			})
		})
	}
}

func TestANullIsRepeatedByAValueToo(t *testing.T) {
	twice := func(at place) bool {
		at.parent.names = append(at.parent.names, at.parent.names[at.index])
		at.parent.values = append(at.parent.values, at.value())
		at.parent.values[at.index] = &body{shape: at.value().shape, raw: "null"}
		return !at.member.Required
	}
	spoilEach(t, validate.ARCA, twice, func(t *testing.T, at place, found []validate.Finding) {
		wantOne(t, found, "shape.duplicate", at.pointer)
	})
}

func TestAnUnknownMemberAtEachLevel(t *testing.T) {
	for _, value := range []string{`1`, `null`, `"x"`, `{"Auth":{"Auth":null}}`, `[[1,{"a":[]}],"x"]`} {
		add := func(at place) bool {
			at.parent.names = append(at.parent.names, `"Zzz"`)
			at.parent.values = append(at.parent.values, &body{shape: at.value().shape, raw: value})
			return at.index == 0
		}
		spoilEach(t, validate.ARCA, add, func(t *testing.T, at place, found []validate.Finding) {
			wantOne(t, found, "shape.unknown", at.pointer[:strings.LastIndexByte(at.pointer, '/')+1]+"Zzz")
		})
	}
}

func TestAnUnknownMemberOfTheEmptyRequest(t *testing.T) {
	_, found := validate.Decode(validatetest.Operation(t, "FEDummy"), []byte(`{"Auth":{}}`), validate.ARCA)
	wantOne(t, found, "shape.unknown", "/Auth")
}

func TestANameWrittenWithEscapesIsThatName(t *testing.T) {
	escaped := func(at place) bool {
		name := strings.Trim(at.parent.names[at.index], `"`)
		at.parent.names[at.index] = `"\u00` + string("0123456789abcdef"[name[0]>>4]) + string("0123456789abcdef"[name[0]&15]) + name[1:] + `"`
		return true
	}
	spoilEach(t, validate.ARCA, escaped, func(t *testing.T, _ place, found []validate.Finding) {
		if len(found) > 0 {
			t.Errorf("%v", validatetest.Brief(found))
		}
	})
}

func TestANameAndItsEscapedFormAreTheSameName(t *testing.T) {
	text := `{"Auth":{"Token":"t","Sign":"s","Cuit":1},"\u0041uth":{}}`
	_, found := validate.Decode(validatetest.Operation(t, "FEParamGetTiposIva"), []byte(text), validate.ARCA)
	wantOne(t, found, "shape.duplicate", "/Auth")
}
