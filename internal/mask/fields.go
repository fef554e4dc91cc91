package mask

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Fields are the members of bodies that are not kept beside the credentials, as an operator
// names them. The zero of *Fields, nil, is none.
//
// A member matches whatever the case of the names on its path, with or without lists between,
// and whatever the kind of its value: a name that a client misspells is as confidential as the
// right one.
type Fields struct {
	root *field
	// names are the last names of all, folded.
	names map[string]bool
}

// field is one name on the way to members that are not kept.
type field struct {
	hidden  bool
	members map[string]*field // by folded name
}

// NewFields reads JSON Pointers (RFC 6901) in which `*` stands for each item of a list:
// /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro. An object or a list may be named as a
// whole. It does not know which members there are.
func NewFields(pointers []string) (*Fields, error) {
	if len(pointers) == 0 {
		return nil, nil
	}
	f := &Fields{root: new(field), names: map[string]bool{}}
	for _, pointer := range pointers {
		if !strings.HasPrefix(pointer, "/") {
			return nil, fmt.Errorf("%q is not a JSON Pointer: one begins with /", pointer)
		}
		at, last := f.root, ""
		for step := range strings.SplitSeq(pointer[1:], "/") {
			if step == "*" {
				continue // lists are looked through, wherever they stand
			}
			last = foldName(unescapePointer.Replace(step))
			at = at.member(last)
		}
		if last == "" {
			return nil, fmt.Errorf("%q names no member", pointer)
		}
		at.hidden = true
		f.names[last] = true
	}
	return f, nil
}

// member returns the member with this folded name, which is made if it is not there.
func (f *field) member(name string) *field {
	next := f.members[name]
	if next == nil {
		next = new(field)
		if f.members == nil {
			f.members = map[string]*field{}
		}
		f.members[name] = next
	}
	return next
}

// of returns the member with this name, nil if nothing on the way to it is hidden.
func (f *field) of(name string) *field {
	if f == nil || f.members == nil {
		return nil
	}
	return f.members[foldName(name)]
}

// covers reports whether a JSON Pointer is to a hidden member or below one.
func (f *Fields) covers(pointer string) bool {
	at := f.root
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if strings.Trim(step, "0123456789") == "" {
			continue // the index of an item
		}
		at = at.of(unescapePointer.Replace(step))
		if at == nil {
			return false
		}
		if at.hidden {
			return true
		}
	}
	return false
}

// foldName makes names equal that differ in case alone, also by letters such as ſ and K
// (the Kelvin sign), which lenient readers take for s and k.
func foldName(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return strings.ToLower(strings.ToUpper(name))
		}
	}
	return strings.ToLower(name)
}
