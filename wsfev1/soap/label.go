package soap

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/internal/xmlscan"
)

// PHP's client writes a value that a program has used twice once, with an id, and refers to it by
// href where it stands again; in SOAP 1.2 the two attributes are id and ref of a namespace. References
// belong to SOAP's encoding and not to this service. The meaning is certain, though, where the object
// stands before and is of the same type. Anything else is a finding: a reference that is not seen would
// be an object without members, and the invoice would be issued without them.

// labelled is an object of the message with an id. No plan: several have the id.
type labelled struct {
	plan  *plan
	value typed.Value
	// items is the number of items of the lists in it, size its length in the message in bytes.
	items, size int
	// pointer is where it stands. absent and overlong are what a Request says of it.
	pointer  string
	absent   []Absence
	overlong []string
}

const (
	// maxLabels bounds the objects with an id of one message.
	maxLabels = 10_000
	// maxReferred bounds the bytes that all references of a message mean together, beyond as
	// many as the message has: a short one must not become a request of gigabytes.
	maxReferred = 256 << 10
)

// label is what a start tag says of labels: an id of its own, or the object that it refers to.
type label struct {
	id string
	of *labelled
}

func isID(a xmlscan.Attr) bool { return string(a.Local) == "id" }

// isReference reports whether an attribute is a reference. References of other namespaces are none to
// anybody, and are read so that nothing is left out that a program may have meant.
func isReference(a xmlscan.Attr) bool { return string(a.Local) == "href" || string(a.Local) == "ref" }

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
func (d *decoder) labelled(l label, p *plan, m *member, v typed.Value) error {
	if l.of != nil {
		return d.refer(l.of, v)
	}
	items, at, absent, overlong := d.read, d.scan.Pos(), 0, 0
	if d.req != nil {
		absent, overlong = len(d.req.Absent), len(d.req.Overlong)
	}
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
	if len(d.labels) == maxLabels {
		return nil
	}
	kept := labelled{plan: p, value: v.Copy(p.shape), items: d.read - items, size: d.scan.Pos() - at}
	kept.pointer, _ = place("", d.steps[:d.level])
	if d.req != nil {
		kept.absent, kept.overlong = slices.Clip(d.req.Absent[absent:]), slices.Clip(d.req.Overlong[overlong:])
	}
	d.labels[l.id] = kept
	return nil
}

// refer puts an object of the message in the place of a reference, which has no content.
func (d *decoder) refer(of *labelled, v typed.Value) error {
	empty, err := d.empty()
	if err != nil {
		return err
	}
	d.read += of.items
	d.referredSize += of.size
	switch {
	case !empty:
		d.findKind(of.plan.shape.Kind, gotReference)
	case d.read > MaxItems:
		d.find(CodeItems).Expected = "hasta " + strconv.Itoa(MaxItems) + " en todas las listas juntas"
	case d.referredSize > d.size+maxReferred:
		d.find(CodeItems).Expected = "referencias (href) que juntas no pasan el tamaño del mensaje"
	default:
		v.Set(of.plan.shape, of.value)
		d.repeat(of)
	}
	return nil
}

// repeat copies the request's notes about an object to the place of a reference to it.
func (d *decoder) repeat(of *labelled) {
	if d.req == nil {
		return
	}
	for _, a := range of.absent {
		copy(a.Items[:d.lists], d.items[:d.lists])
		d.req.Absent = append(d.req.Absent, a)
	}
	pointer, _ := place("", d.steps[:d.level])
	for _, overlong := range of.overlong {
		if len(d.req.Overlong) < MaxFindings {
			d.req.Overlong = append(d.req.Overlong, pointer+strings.TrimPrefix(overlong, of.pointer))
		}
	}
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
