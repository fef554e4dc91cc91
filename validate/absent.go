package validate

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// location is an object of a body: its shape, which occurs once within an item, and the
// positions of the item in the lists around it.
type location struct {
	shape *wsfev1.Shape
	items [maxLists]int32
}

// leaveOut remembers that the object that d has just read lacks these expected members.
// Without a request nothing is remembered.
func (r *Request) leaveOut(d *decoder, shape *wsfev1.Shape, members uint64) {
	if r == nil {
		return
	}
	if r.absent == nil {
		r.absent = make(map[location]uint64)
	}
	at := location{shape: shape}
	copy(at.items[:], d.items[:d.lists])
	r.absent[at] = members
}

// noteOverlong remembers that the amount that d has just read does not fit into the digits
// of its member. Without a request nothing is remembered.
func (r *Request) noteOverlong(d *decoder) {
	if !d.checked {
		d.giveUp() // there are no pointers yet
	} else if r != nil && len(r.Overlong) < MaxFindings {
		r.Overlong = append(r.Overlong, d.pointer())
	}
}

// Absent reports whether an expected member, named by its JSON Pointer, was left
// out: its zero was then not sent but read.
func (r *Request) Absent(pointer string) bool {
	if r == nil || len(r.absent) == 0 || !r.Typed() {
		return false
	}
	at, lists, member := location{}, 0, uint64(0)
	shape := r.Operation.Request
	for step := range jsontext.Pointer(pointer).Tokens() {
		member = 0
		switch shape.Kind {
		case wsfev1.KindObject:
			i, ok := shape.Member([]byte(step))
			if !ok {
				return false
			}
			at.shape, member = shape, 1<<i
			shape = shape.Members[i].Shape
		case wsfev1.KindList:
			n, err := strconv.ParseInt(step, 10, 32)
			if err != nil || lists == maxLists {
				return false
			}
			at.items[lists] = int32(n)
			lists++
			shape = shape.Item
		default:
			return false
		}
	}
	return r.absent[at]&member != 0
}
