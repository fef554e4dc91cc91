package members

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/mask/walk"
)

// Spot is where a member has its value, or where it would have it.
type Spot struct {
	// from and to are the offsets of the value. before stands before it where the member is added.
	from, to int
	before   string
	absent   bool
}

// Absent reports whether the object lacks the member.
func (s Spot) Absent() bool { return s.absent }

// Edit returns the edit that gives the member a value, which is JSON.
func (s Spot) Edit(value string) walk.Edit {
	return walk.Edit{From: s.from, To: s.to, Text: []byte(s.before + value)}
}

// Find returns the spots of the members that these pointers name. One is missing where the text has the member
// twice, or does not have the object that it belongs to.
func Find(text []byte, pointers ...string) map[string]Spot {
	f := newFinder(text)
	for _, pointer := range pointers {
		f.want(pointer)
	}
	if f.value("") != nil {
		return nil
	}
	found := map[string]Spot{}
	for _, pointer := range pointers {
		if spot, ok := f.spots[pointer]; ok && !f.isTwice(pointer) {
			found[pointer] = spot
		}
	}
	return found
}

// finder goes over a text.
type finder struct {
	text []byte
	json *jsontext.Decoder
	// wanted are the pointers of the members, by those of their objects. within are these and all around them.
	wanted map[string][]string
	within map[string]bool
	spots  map[string]Spot
	// twice are the pointers of members that an object has twice.
	twice []string
	// listed is the pointer of an object whose members are noted in list, with their names.
	listed string
	list   []place
}

func newFinder(text []byte) *finder {
	return &finder{
		text: text, wanted: map[string][]string{}, within: map[string]bool{}, spots: map[string]Spot{}, listed: "-",
		json: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
}

// isTwice reports whether the text has a member, or something around it, twice.
func (f *finder) isTwice(pointer string) bool {
	return slices.ContainsFunc(f.twice, func(twice string) bool { return strings.HasPrefix(pointer+"/", twice+"/") })
}

func (f *finder) want(pointer string) {
	at := strings.LastIndexByte(pointer, '/')
	if at < 0 || f.within[pointer] {
		return
	}
	f.wanted[pointer[:at]] = append(f.wanted[pointer[:at]], pointer)
	for f.within[pointer] = true; at >= 0; at = strings.LastIndexByte(pointer, '/') {
		pointer = pointer[:at]
		f.within[pointer] = true
	}
}

// errAgain ends the search in a text that is not one value.
var errAgain = errors.New("more than one value")

// value reads the next value, which has this pointer.
func (f *finder) value(pointer string) error {
	kind := f.json.PeekKind()
	if !f.within[pointer] || kind != '{' && kind != '[' {
		return f.json.SkipValue()
	}
	if _, err := f.json.ReadToken(); err != nil {
		return err
	}
	read := f.items
	if kind == '{' {
		read = f.members
	}
	if err := read(pointer); err != nil {
		return err
	}
	if _, err := f.json.ReadToken(); err != nil {
		return err
	}
	if pointer == "" && len(bytes.TrimSpace(f.text[f.json.InputOffset():])) > 0 {
		return errAgain
	}
	return nil
}

func (f *finder) items(list string) error {
	for i := 0; more(f.json.PeekKind()); i++ {
		if err := f.value(list + "/" + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// more reports whether an object or a list goes on.
func more(kind jsontext.Kind) bool { return kind != '}' && kind != ']' && kind != 0 }

// members reads the members of an object.
func (f *finder) members(object string) error {
	end := int(f.json.InputOffset())
	comma, gap, colon := "", "", ":" // how the last member is written
	for more(f.json.PeekKind()) {
		one, err := f.member(object)
		if err != nil {
			return err
		}
		comma, gap, colon = ",", strings.ReplaceAll(string(f.text[end:one.from]), ",", ""), string(f.text[one.colon:one.value])
		end = one.to
	}
	for _, pointer := range f.wanted[object] {
		if _, ok := f.spots[pointer]; !ok {
			quoted, _ := jsontext.AppendQuote(nil, nameOf(pointer)) // bytes that are no UTF-8 become U+FFFD
			f.spots[pointer] = Spot{from: end, to: end, before: comma + gap + string(quoted) + colon, absent: true}
			comma = ","
		}
	}
	return nil
}

// place is where a member stands: its name, the colon behind it, and the value.
type place struct {
	named                  string
	from, colon, value, to int
}

// member reads a member of an object.
func (f *finder) member(object string) (place, error) {
	name, err := f.json.ReadValue()
	if err != nil {
		return place{}, err
	}
	at := place{colon: int(f.json.InputOffset())}
	at.from = at.colon - len(name)
	text, _ := jsontext.AppendUnquote(nil, name) // an invalid name is none that is wanted
	at.named = string(text)
	for at.value = at.colon; at.value < len(f.text) && strings.IndexByte(" \t\r\n:", f.text[at.value]) >= 0; {
		at.value++
	}
	pointer := object + "/" + escape.Replace(at.named)
	if err = f.value(pointer); err != nil {
		return place{}, err
	}
	at.to = int(f.json.InputOffset())
	if object == f.listed {
		f.list = append(f.list, at)
	}
	if f.within[pointer] {
		if _, again := f.spots[pointer]; again {
			f.twice = append(f.twice, pointer)
		}
		f.spots[pointer] = Spot{from: at.value, to: at.to}
	}
	return at, nil
}

// nameOf returns the name of the member that a pointer names.
func nameOf(pointer string) string {
	return unescape.Replace(pointer[strings.LastIndexByte(pointer, '/')+1:])
}

// The steps of a JSON Pointer.
var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)
