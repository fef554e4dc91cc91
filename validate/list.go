package validate

import (
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

// maxLists is how many lists may lie in each other: the invoices of a lot, and those
// of an invoice.
const maxLists = 2

// maxThin is how many bytes of memory for each byte of a list are too many for a first reading: nobody who
// sends invoices sends empty ones, and memory for a body that is read again was for nothing.
const maxThin = 6

// list reads a list, the value of member m. Items beyond the limit are skipped, as are those
// after the last finding that is kept: such a request is refused, and its items are not
// needed.
func (d *decoder) list(shape *wsfev1.Shape, m *wsfev1.Member, v typed.Value) error {
	d.token('[')
	d.depth++
	d.lists++
	start, limit := d.at, maxItems
	if m != nil && m.MaxItems > 0 {
		limit = m.MaxItems
	}
	isLot := d.lists == 1 && d.req != nil && d.invoices > 0 // no request has another outermost list
	kind := d.follow(true, ']')
	items := v.Reflect(shape)
	items.SetZero()
	if kind == ']' {
		items.Set(reflect.MakeSlice(shape.Type, 0, 0))
	}
	for n := 0; kind != ']'; n++ {
		if kind == 0 {
			return d.syntax
		}
		if isLot && n == d.invoices && n < limit {
			if err := d.countInvoices(n, limit, kind); err != nil {
				return err
			}
			break
		}
		if n == limit || d.read == maxItems || d.full() {
			d.findItems(n, limit)
			if _, err := d.skipItems(kind); err != nil {
				return err
			}
			break
		}
		if n == items.Cap() {
			if !d.checked && n*int(shape.Item.Type.Size()) > maxThin*(d.at-start) {
				d.giveUp()
				return d.syntax
			}
			items.Grow(min(d.room(shape, n, start), limit-n))
		}
		items.SetLen(n + 1)
		d.items[d.lists-1] = int32(n)
		d.read++
		if err := d.value(shape.Item, nil, v.Item(shape, n), kind); err != nil {
			return err
		}
		kind = d.follow(false, ']')
	}
	d.token(']')
	d.depth--
	d.lists--
	return nil
}

// findItems finds an item too many: of its list, which has n without it, or of all
// lists of the body together.
func (d *decoder) findItems(n, limit int) {
	if d.full() {
		return
	}
	f := d.find(string(jsontext.Pointer(d.pointer()).Parent()), shapeItems)
	if n == limit {
		f.Expected = "hasta " + strconv.Itoa(limit)
	} else {
		f.Expected = "hasta " + strconv.Itoa(maxItems) + " en todas las listas juntas"
	}
	f.Text = "Hay demasiados elementos: se admiten " + f.Expected
}

// countInvoices passes over the invoices of a lot after the n that are read, and counts them.
func (d *decoder) countInvoices(n, limit int, kind jsontext.Kind) (err error) {
	d.req.Unread, err = d.skipItems(kind)
	if err == nil && n+d.req.Unread > limit {
		d.findItems(limit, limit)
	}
	return err
}

// skipItems passes over the items that are left, up to the end of their list, and returns how many
// they are.
func (d *decoder) skipItems(kind jsontext.Kind) (n int, _ error) {
	for ; kind != ']'; kind = d.next() {
		if err := d.skip(kind); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// room returns for how many items to allocate in a list that began at start and has n of
// them. The outermost list is the long one: the length of its items so far predicts how many
// follow. The estimate is bounded by the bytes that are left, so that a small body never makes
// a large allocation. Any other list is doubled.
func (d *decoder) room(shape *wsfev1.Shape, n, start int) int {
	if d.lists > 1 {
		return max(2, n)
	}
	left := d.end - d.at
	more := left * n / (d.at - start + 1)
	return 1 + min(more+more/8, 4*left/int(shape.Item.Type.Size()))
}
