package validate_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// body is a JSON document that is made from a shape and can be spoilt.
type body struct {
	shape *wsfev1.Shape
	// raw is the text of a scalar, or what stands in the place of the whole value.
	raw string
	// names are the names of the members of an object, in quotes; values are those
	// of the members, or the items of an array.
	names  []string
	values []*body
}

// sample makes a document of a shape: with every member, or with those only that
// are required. Arrays have two items.
func sample(shape *wsfev1.Shape, full bool) *body {
	b := &body{shape: shape}
	switch shape.Kind {
	case wsfev1.KindObject:
		for _, m := range shape.Members {
			if full || m.Required {
				b.names = append(b.names, `"`+m.Name+`"`)
				b.values = append(b.values, sample(m.Shape, full))
			}
		}
	case wsfev1.KindList:
		b.values = []*body{sample(shape.Item, full), sample(shape.Item, full)}
	case wsfev1.KindInteger:
		b.raw = "7"
	case wsfev1.KindAmount:
		b.raw = "12.50"
	case wsfev1.KindText:
		b.raw = `"texto"`
	}
	return b
}

func (b *body) text() string {
	if b.raw != "" {
		return b.raw
	}
	parts := make([]string, len(b.values))
	for i, v := range b.values {
		parts[i] = v.text()
		if b.shape.Kind == wsfev1.KindObject {
			parts[i] = b.names[i] + ":" + parts[i]
		}
	}
	if b.shape.Kind == wsfev1.KindList {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// place is a member within a document.
type place struct {
	pointer string
	member  *wsfev1.Member
	parent  *body
	index   int
}

func (p place) value() *body { return p.parent.values[p.index] }

// places lists the members of a document; of an array, the members of its last item.
func (b *body) places(pointer string) []place {
	if b.shape.Kind == wsfev1.KindList {
		last := len(b.values) - 1
		return b.values[last].places(pointer + "/" + strconv.Itoa(last))
	}
	var all []place
	for i, v := range b.values {
		m := &b.shape.Members[i] // a full sample has the members of its shape
		at := pointer + "/" + m.Name
		all = append(all, place{at, m, b, i})
		all = append(all, v.places(at)...)
	}
	return all
}

// spoilEach makes a full document for each member of each operation's request,
// lets spoil change it at that member, and passes what was found to check. Members
// at which spoil returns false are passed over.
func spoilEach(t *testing.T, contract validate.Contract, spoil func(place) bool, check func(t *testing.T, at place, found []validate.Finding)) {
	t.Helper()
	spoilt := 0
	for _, op := range wsfev1.Operations {
		for i := range sample(op.Request, true).places("") {
			document := sample(op.Request, true)
			at := document.places("")[i]
			if !spoil(at) {
				continue
			}
			spoilt++
			_, found := validate.Decode(op, []byte(document.text()), contract)
			at.pointer = strings.TrimSuffix(at.pointer, "/")
			t.Run(op.Name+at.pointer, func(t *testing.T) { check(t, at, found) })
		}
	}
	if spoilt == 0 {
		t.Error("no member was tried")
	}
}

// wantOne fails unless there is exactly one finding, of this code and place.
func wantOne(t *testing.T, found []validate.Finding, code, pointer string) {
	t.Helper()
	if len(found) != 1 {
		t.Fatalf("%d findings, want one of %s at %q: %v", len(found), code, pointer, validatetest.Brief(found))
	}
	f := found[0]
	if f.Code != code || f.Pointer != pointer {
		t.Errorf("found %s at %q, want %s at %q", f.Code, f.Pointer, code, pointer)
	}
	if f.Severity != validate.Shape || f.Invoice != validate.Header || f.Text == "" || f.Source == "" {
		t.Errorf("finding lacks something: %+v", f)
	}
}
