package soap

import (
	"bytes"
	"reflect"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap/xmlscan"
)

// PHP's client writes a value that a program has used twice once, with an id, and refers to it by
// href where it stands again; in SOAP 1.2 the two attributes are id and ref of a namespace. That is
// of SOAP's encoding and not of this service, but what is meant is certain where the object stands
// before and is of the same type. Anything else is a finding: a reference that is not seen would be
// an object without members, and the invoice would be issued without them.

// labelled is an object of the message with an id. No plan: several have the id.
type labelled struct {
	plan  *plan
	value reflect.Value
	// items is the number of items of the lists in it.
	items int
}

// maxLabels bounds the objects with an id of one message.
const maxLabels = 10_000

// label is what a start tag says of labels: an id of its own, or the object that it refers to.
type label struct {
	id string
	of *labelled
}

// label reads that of the last start tag.
func (d *decoder) label(p *plan) (l label) {
	if p.shape.Kind != wsfev1.KindObject {
		return l
	}
	for _, a := range d.scan.Attrs() {
		if isID(a) {
			l.id = string(a.AppendValue(nil))
		} else if isReference(a) {
			l.of = d.referred(a, p)
		}
	}
	return l
}

func isID(a xmlscan.Attr) bool {
	return (a.Space == xmlscan.NoSpace || a.Space == inEncoding) && string(a.Local) == "id"
}

func isReference(a xmlscan.Attr) bool {
	return a.Space == xmlscan.NoSpace && string(a.Local) == "href" || a.Space == inEncoding && string(a.Local) == "ref"
}

// referred returns the object of this kind that a reference is to, nil for none. The ref of SOAP 1.2
// is an id, and PHP writes it as the address that href is.
func (d *decoder) referred(a xmlscan.Attr, p *plan) *labelled {
	id, ok := bytes.CutPrefix(a.AppendValue(nil), []byte("#"))
	of, known := d.labels[string(id)]
	if !ok && a.Space != inEncoding || !known || of.plan != p {
		return nil
	}
	return &of
}

// labelled is value for an element that may have a label.
func (d *decoder) labelled(l label, p *plan, m *member, v reflect.Value) error {
	if l.of != nil {
		return d.refer(l.of, v)
	}
	before := d.read
	if err := d.value(p, m, v); err != nil || l.id == "" {
		return err
	}
	if _, twice := d.labels[l.id]; twice {
		d.labels[l.id] = labelled{}
		return nil
	}
	if d.labels == nil {
		d.labels = map[string]labelled{}
	}
	if len(d.labels) < maxLabels {
		kept := reflect.New(v.Type()).Elem()
		kept.Set(v)
		d.labels[l.id] = labelled{plan: p, value: kept, items: d.read - before}
	}
	return nil
}

// refer puts an object of the message in the place of a reference, which has no content.
func (d *decoder) refer(of *labelled, v reflect.Value) error {
	empty, err := d.empty()
	if err != nil {
		return err
	}
	switch d.read += of.items; {
	case !empty:
		d.findKind(of.plan.shape.Kind, gotReference)
	case d.read > MaxItems:
		d.find(CodeItems).Expected = "hasta " + strconv.Itoa(MaxItems) + " en todas las listas juntas"
	default:
		v.Set(of.value)
	}
	return nil
}

// empty reads to the end of the element whose start tag was read, and reports whether it has
// nothing but white space.
func (d *decoder) empty() (bool, error) {
	empty := true
	for depth := d.scan.Depth(); d.scan.Depth() >= depth; {
		kind, err := d.scan.Next()
		if err != nil {
			return false, err
		}
		empty = empty && kind != xmlscan.Start && (kind != xmlscan.Text || d.scan.Blank())
	}
	return empty, nil
}
