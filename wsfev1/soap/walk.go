package soap

import (
	"math/bits"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// marks holds one bit for each member of the object that is being read.
type marks struct {
	// seen are the members that stood there, present the seen members that are not nil.
	seen, present uint64
	// next is the member that comes next in the order of the WSDL, in which most clients write.
	next int
}

// object reads an object to its end tag. The start tag was read.
func (d *decoder) object(p *plan, v typed.Value) error {
	var m marks
	texted := false
	for {
		kind, err := d.scan.Next()
		if err != nil {
			return err
		}
		switch kind {
		case xmlscan.Text:
			if !texted && !d.scan.Blank() {
				texted = true
				d.textBetween()
			}
			continue
		case xmlscan.End:
			d.complete(p, m.present)
			return nil
		}
		if err := d.element(p, v, &m); err != nil {
			return err
		}
	}
}

// element reads an element within an object. One that the service does not know is ignored.
func (d *decoder) element(p *plan, v typed.Value, m *marks) error {
	i, ok := p.find(d.scan, m)
	if !ok {
		d.ignore()
		return d.scan.Skip()
	}
	member := &p.members[i]
	if member.Shape.Kind == wsfev1.KindList {
		return d.item(member, v.Member(member.Member))
	}
	d.enter(member.Name, -1)
	if m.seen&(1<<i) != 0 {
		d.find(CodeDuplicate)
		return d.leave(d.scan.Skip())
	}
	m.seen |= 1 << i
	label, absent, err := d.attributes(member.plan, false)
	if err != nil || absent {
		return d.leave(err)
	}
	m.present |= 1 << i
	field := v.Member(member.Member)
	if member.Pointer {
		field = field.Make(member.Shape)
	}
	return d.leave(d.labelled(label, member.plan, member, field))
}

// find returns the member that the last start tag names.
func (p *plan) find(s *xmlscan.Scanner, m *marks) (int, bool) {
	if s.Space() != inService {
		return 0, false
	}
	i := m.next
	if i >= len(p.members) || p.members[i].Name != string(s.Local()) {
		var ok bool
		if i, ok = p.shape.Member(s.Local()); !ok {
			return 0, false
		}
	}
	m.next = i + 1
	return i, true
}

// value reads an element's content into v. The start tag was read.
func (d *decoder) value(p *plan, m *member, v typed.Value) error {
	if p.shape.Kind == wsfev1.KindObject {
		return d.object(p, v)
	}
	return d.scalar(p.shape, m, v)
}

// attributes looks at the attributes of the last start tag. It reports true for absent, and reads over the
// element, where one of them leaves nothing to read: a null, or a reference to nothing that is known.
// An item must not be nil.
func (d *decoder) attributes(p *plan, item bool) (l label, absent bool, _ error) {
	attrs := d.scan.Attrs()
	if len(attrs) == 0 {
		return label{}, false, nil
	}
	var null, not, references int
	wrong := ""
	for _, a := range attrs {
		switch {
		case isNull(a) && (a.Is("true") || a.Is("1")):
			null++
		case isNull(a) && (a.Is("false") || a.Is("0")):
			not++
		case isNull(a):
			wrong = gotNullValue
		case isReference(a):
			references++
			if l.of = d.referred(a, p); l.of == nil {
				wrong = gotReference
			}
		case isID(a) && p.shape.Kind == wsfev1.KindObject:
			l.id = string(a.AppendValue(nil))
		}
	}
	if null+not > 0 {
		d.found |= ConstructNull
	}
	if references > 0 {
		d.found |= ConstructReference
	}
	switch {
	case wrong != "":
	case references > 1, null > 0 && not+references > 0:
		wrong = gotBoth
	case null > 0:
		return label{}, true, d.nil(p, item)
	}
	if wrong == "" {
		return l, false, nil
	}
	d.findKind(p.shape.Kind, wrong)
	return label{}, true, d.scan.Skip()
}

// isNull reports whether an attribute says whether its element is nil, in any of the spellings that
// .NET reads, or one beside them.
func isNull(a xmlscan.Attr) bool {
	return (a.Space == inXSI || a.Space == inXSI2000 || a.Space == inXSI1999) && (string(a.Local) == "nil" || string(a.Local) == "null")
}

// nil reads over an element with xsi:nil, which counts as absent. A number has no such form, and
// an element that is nil has no content.
func (d *decoder) nil(p *plan, item bool) error {
	empty, err := d.empty()
	if err != nil {
		return err
	}
	number := p.shape.Kind == wsfev1.KindInteger || p.shape.Kind == wsfev1.KindAmount
	if !empty || number || item {
		d.findKind(p.shape.Kind, gotNil)
	}
	return nil
}

// complete looks for the members that the object just read lacks.
func (d *decoder) complete(p *plan, present uint64) {
	if d.req == nil {
		return
	}
	for missing := p.containers &^ present; missing != 0; missing &= missing - 1 {
		d.enter(p.members[bits.TrailingZeros64(missing)].Name, -1)
		d.find(CodeMissing)
		d.level--
	}
	if absent := p.numbers &^ present; absent != 0 {
		a := Absence{Shape: p.shape, Members: absent}
		copy(a.Items[:], d.items[:d.lists])
		d.req.Absent = append(d.req.Absent, a)
	}
}
