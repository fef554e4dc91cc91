package soap

import (
	"strconv"

	"github.com/fielato/fielato/internal/typed"
)

// item reads an element that is an item of a list, the member of the object around it. list is
// the list so far.
func (d *decoder) item(m *member, list typed.Value) error {
	n := list.Len()
	unread := d.lists == 0 && d.req != nil && n > 0 && n == d.invoices // no request has another outermost list
	if unread {
		n += d.req.Unread
		d.req.Unread++
	}
	d.enter(m.Name, n)
	if d.tooMany(m, n) || unread {
		return d.leave(d.scan.Skip())
	}
	items := list.Reflect(m.Shape)
	if n == items.Cap() {
		items.Grow(d.room(m, n))
	}
	items.SetLen(n + 1)
	d.read++
	d.items[d.lists] = int32(n)
	d.lists++
	label, absent, err := d.attributes(m.plan.item, true)
	if err == nil && !absent {
		err = d.labelled(label, m.plan.item, nil, list.Item(m.Shape, n))
	}
	d.lists--
	return d.leave(err)
}

// tooMany reports whether a list of n items can have no more, and finds the item that is too
// many. After the last finding that is kept items are not needed either.
func (d *decoder) tooMany(m *member, n int) bool {
	limit := MaxItems
	if m.MaxItems > 0 {
		limit = m.MaxItems
	}
	var expected string
	switch {
	case d.full:
		return true
	case n == limit:
		expected = "hasta " + strconv.Itoa(limit)
	case d.read == MaxItems:
		expected = "hasta " + strconv.Itoa(MaxItems) + " en todas las listas juntas"
	default:
		return false
	}
	if list := (listed{m, d.items, d.lists}); d.overfull != list { // what follows in it is not told again
		d.overfull = list
		d.find(CodeItems).Expected = expected
	}
	return true
}

// listed is a list of a message: the member, and the positions in the lists around it.
type listed struct {
	member *member
	items  [maxLists]int32
	lists  int
}

// room returns for how many items to allocate in a list of n. The outermost list is the long one:
// the bytes that its items took so far predict how many follow. The estimate is bounded by the
// bytes that are left, so that a small message never makes a large allocation. Any other list is
// doubled.
func (d *decoder) room(m *member, n int) int {
	if d.lists > 0 {
		return max(2, n)
	}
	at, end := d.scan.Pos(), d.size
	if n == 0 {
		d.began = at
	}
	left := end - at
	more := left * n / (at - d.began + 1)
	return 1 + min(more+more/8, 4*left/int(m.plan.item.shape.Type.Size()))
}
