package cms

import "slices"

// der encodes an element with definite lengths, each in its shortest form, and octet strings in
// one part. It keeps the order of what lies inside. An element that came in DER stays as it is.
func (r *reader) der(e element) ([]byte, error) { return r.encode(e, 0) }

func (r *reader) encode(e element, depth int) ([]byte, error) {
	if depth == maxDepth {
		return nil, errDeep
	}
	if e.tag&constructed == 0 {
		return wrap(e.tag, e.content), nil
	}
	if e.tag == tagOctetString|constructed {
		joined, err := r.octets(e)
		return wrap(tagOctetString, joined), err
	}
	var content []byte
	for parts := r.inside(e); !parts.empty(); {
		part, err := parts.next()
		if err != nil {
			return nil, err
		}
		encoded, err := r.encode(part, depth+1)
		if err != nil {
			return nil, err
		}
		content = append(content, encoded...)
	}
	return wrap(e.tag, content), nil
}

// wrap puts a tag and a length before a content.
func wrap(tag byte, content []byte) []byte {
	length := len(content)
	if length < 0x80 {
		return slices.Concat([]byte{tag, byte(length)}, content)
	}
	var digits []byte
	for ; length > 0; length >>= 8 {
		digits = append(digits, byte(length))
	}
	slices.Reverse(digits)
	return slices.Concat([]byte{tag, 0x80 | byte(len(digits))}, digits, content)
}
