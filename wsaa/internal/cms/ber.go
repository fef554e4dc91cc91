package cms

import (
	"errors"
	"fmt"
)

// Tags that are read here, with the bit of a constructed encoding.
const (
	tagInteger     = 0x02
	tagOctetString = 0x04
	tagOID         = 0x06
	tagSequence    = 0x30
	tagSet         = 0x31
	constructed    = 0x20
	context0       = 0x80 // [0], primitive
	context1       = 0x81
)

const (
	// maxDepth is how deep elements of indefinite length, and octet strings in parts, may lie.
	maxDepth = 16
	// maxElements bounds the elements that one reading looks at.
	maxElements = 20_000
)

// element is one element of BER. It refers to the bytes that were read.
type element struct {
	tag byte
	// raw is the element as it came. content is its content, without the end of one of
	// indefinite length.
	raw, content []byte
	indefinite   bool
}

// is reports whether the element has a tag, in a primitive or a constructed encoding.
func (e *element) is(tag byte) bool { return e.tag&^constructed == tag&^constructed }

// reader reads elements of BER one after the other. Copies of it share the count of elements.
type reader struct {
	rest []byte
	left *int
}

func newReader(data []byte) reader {
	left := maxElements
	return reader{data, &left}
}

// inside returns a reader of an element's content.
func (r *reader) inside(e element) reader { return reader{e.content, r.left} }

func (r *reader) empty() bool { return len(r.rest) == 0 }

// peek reports whether the next element has one of the tags.
func (r *reader) peek(tag byte) bool {
	return len(r.rest) > 0 && r.rest[0]&^constructed == tag&^constructed
}

// next reads the next element, whatever its tag.
func (r *reader) next() (element, error) { return r.read(0) }

// expect reads the next element, which must have the tag. A string may be constructed; a sequence
// or a set must be.
func (r *reader) expect(tag byte, what string) (element, error) {
	e, err := r.next()
	if err != nil {
		return e, fmt.Errorf("%s: %w", what, err)
	}
	if !e.is(tag) || tag&constructed != 0 && e.tag != tag {
		return e, fmt.Errorf("%s: tag 0x%02x instead of 0x%02x", what, e.tag, tag)
	}
	return e, nil
}

var (
	errShort     = errors.New("the data ends inside an element")
	errDeep      = fmt.Errorf("elements lie deeper than %d", maxDepth)
	errMany      = fmt.Errorf("more than %d elements", maxElements)
	errHighTag   = errors.New("a tag of several bytes")
	errLength    = errors.New("a length of more than four bytes")
	errPrimitive = errors.New("a primitive element of indefinite length")
	errEnd       = errors.New("an end of contents that ends nothing")
)

func (r *reader) read(depth int) (e element, err error) {
	if *r.left--; *r.left < 0 {
		return e, errMany
	}
	if len(r.rest) < 2 {
		return e, errShort
	}
	e.tag = r.rest[0]
	switch {
	case e.tag&0x1f == 0x1f:
		return e, errHighTag
	case e.tag == 0:
		return e, errEnd
	case r.rest[1] == 0x80:
		return r.readIndefinite(e, depth)
	}
	header, length, err := lengthOf(r.rest)
	if err != nil {
		return e, err
	}
	if length > len(r.rest)-header {
		return e, errShort
	}
	e.raw, e.content = r.rest[:header+length], r.rest[header:header+length]
	r.rest = r.rest[header+length:]
	return e, nil
}

// lengthOf reads a definite length, and returns how many bytes stand before the content.
func lengthOf(data []byte) (header, length int, err error) {
	first := data[1]
	if first < 0x80 {
		return 2, int(first), nil
	}
	count := int(first &^ 0x80)
	if count > 4 {
		return 0, 0, errLength
	}
	if len(data) < 2+count {
		return 0, 0, errShort
	}
	var long uint64
	for _, b := range data[2 : 2+count] {
		long = long<<8 | uint64(b)
	}
	if long > uint64(len(data)) {
		return 0, 0, errShort
	}
	return 2 + count, int(long), nil
}

// readIndefinite reads an element whose end is marked: it must read all inside to find the end.
func (r *reader) readIndefinite(e element, depth int) (element, error) {
	if e.tag&constructed == 0 {
		return e, errPrimitive
	}
	if depth == maxDepth {
		return e, errDeep
	}
	inner := reader{r.rest[2:], r.left}
	for {
		if len(inner.rest) < 2 {
			return e, errShort
		}
		if inner.rest[0] == 0 && inner.rest[1] == 0 {
			break
		}
		if _, err := inner.read(depth + 1); err != nil {
			return e, err
		}
	}
	length := len(r.rest) - len(inner.rest)
	e.raw, e.content, e.indefinite = r.rest[:length+2], r.rest[2:length], true
	r.rest = r.rest[length+2:]
	return e, nil
}

// octets returns the content of an octet string, which may come in parts.
func (r *reader) octets(e element) ([]byte, error) {
	if e.tag&constructed == 0 {
		return e.content, nil
	}
	return r.join(nil, e, 0)
}

func (r *reader) join(joined []byte, e element, depth int) ([]byte, error) {
	if depth == maxDepth {
		return nil, errDeep
	}
	parts := r.inside(e)
	for !parts.empty() {
		part, err := parts.expect(tagOctetString, "a part of an octet string")
		if err != nil {
			return nil, err
		}
		if part.tag&constructed == 0 {
			joined = append(joined, part.content...)
		} else if joined, err = r.join(joined, part, depth+1); err != nil {
			return nil, err
		}
	}
	return joined, nil
}
