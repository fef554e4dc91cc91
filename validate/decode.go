package validate

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

const (
	// maxDepth bounds the nesting of what is read. The deepest member of the
	// interface lies 9 levels deep.
	maxDepth = 32
	// maxFindings bounds what one request can make us write: a body of some MiB
	// can hold a million mistakes.
	maxFindings = 1000
)

// Request is a request that was read.
type Request struct {
	Operation *wsfev1.Operation
	// Body is a pointer to the operation's request type. Where there are findings
	// of shape, what could not be read is left at its zero value.
	Body any

	// absent holds the pointers of the expected members that were left out.
	absent map[string]struct{}
}

// Absent reports whether an expected member, named by its JSON Pointer, was left
// out: its zero was then not sent but read.
func (r *Request) Absent(pointer string) bool {
	_, ok := r.absent[pointer]
	return ok
}

// Decode reads the body of a request. Without findings, the request is of the
// operation's shape. It does not keep body.
func Decode(op *wsfev1.Operation, body []byte, contract Contract) (*Request, []Finding) {
	req := &Request{Operation: op, Body: op.NewRequest()}
	return req, decode(op.Request, body, reflect.ValueOf(req.Body).Elem(), req, contract)
}

// DecodeAnswer reads the body of an answer into typed, a pointer to a type of this
// shape, and returns where it deviates from it. The codes of the findings begin
// with "answer." and none of them rejects anything. It does not keep body.
func DecodeAnswer(shape *wsfev1.Shape, body []byte, typed any) []Finding {
	findings := decode(shape, body, reflect.ValueOf(typed).Elem(), &Request{}, ARCA)
	for i := range findings {
		f := &findings[i]
		f.Severity, f.Code = OBS, answerPrefix+strings.TrimPrefix(f.Code, shapePrefix)
	}
	return findings
}

func decode(shape *wsfev1.Shape, body []byte, v reflect.Value, req *Request, contract Contract) []Finding {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.reset(req, contract)
	if trimmed, found := bytes.CutPrefix(body, []byte("\xef\xbb\xbf")); found {
		body = trimmed
		d.find("", shapeBOM)
	}
	d.invalidUTF8 = !utf8.Valid(body)
	d.buffer = *bytes.NewBuffer(body)
	// Duplicate names and invalid UTF-8 are looked for here, where each can be
	// reported with its place and the reading goes on.
	d.json.Reset(&d.buffer, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := d.document(shape, v); err != nil && !errors.Is(err, errStop) {
		d.findSyntax(err)
	}
	return d.findings
}

// errStop ends the reading after a finding that leaves nothing more to read.
var errStop = errors.New("reading ends here")

// decoder walks a JSON document and a Shape side by side.
type decoder struct {
	json     *jsontext.Decoder
	buffer   bytes.Buffer
	req      *Request
	contract Contract
	findings []Finding
	// invalidUTF8 tells that some string of the body is not valid: only then is
	// each of them looked at.
	invalidUTF8 bool
}

var decoders = sync.Pool{New: func() any {
	return &decoder{json: jsontext.NewDecoder(bytes.NewReader(nil))}
}}

func (d *decoder) reset(req *Request, contract Contract) {
	d.req, d.contract, d.findings, d.invalidUTF8 = req, contract, nil, false
}

// release lets go of everything that belongs to the caller: a pooled decoder
// must not keep a body with credentials alive.
func (d *decoder) release() {
	d.reset(nil, "")
	d.buffer = bytes.Buffer{}
	d.json.Reset(&d.buffer)
	decoders.Put(d)
}

func (d *decoder) document(shape *wsfev1.Shape, v reflect.Value) error {
	if d.json.PeekKind() == 'n' {
		if _, err := d.json.ReadToken(); err != nil {
			return err
		}
		d.findKind("", wsfev1.KindObject, 'n')
	} else if err := d.value(shape, v); err != nil {
		return err
	}
	switch _, err := d.json.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	default:
		// Whether what follows is JSON does not matter: nothing may follow.
		d.find("", shapeTrailing)
		return errStop
	}
}

// value reads the next value, which is not null, into v.
func (d *decoder) value(shape *wsfev1.Shape, v reflect.Value) error {
	kind := d.json.PeekKind()
	if !fits(shape.Kind, kind) {
		if kind == 0 {
			_, err := d.json.ReadToken()
			return err
		}
		if err := d.skip(); err != nil {
			return err
		}
		d.findKind(string(d.json.StackPointer()), shape.Kind, kind)
		return nil
	}
	switch shape.Kind {
	case wsfev1.KindObject:
		return d.object(shape, v)
	case wsfev1.KindList:
		return d.list(shape, v)
	}
	raw, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	d.scalar(shape, v, raw)
	return nil
}

func fits(want wsfev1.Kind, got jsontext.Kind) bool {
	switch want {
	case wsfev1.KindObject:
		return got == '{'
	case wsfev1.KindList:
		return got == '['
	case wsfev1.KindText:
		return got == '"'
	default:
		return got == '0'
	}
}

// marks holds one bit for each member of the object that is being read.
type marks struct {
	// seen are the members that were named, present those that are not missing:
	// a null is named and missing, a name in the wrong case is neither.
	seen, present uint64
	// next is the member that comes next in the order of the definition, in
	// which most clients write: looking there first spares the look-up by name.
	next int
}

func (d *decoder) object(shape *wsfev1.Shape, v reflect.Value) error {
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	var marks marks
	for d.json.PeekKind() != '}' {
		raw, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		i, ok := d.member(shape, raw, &marks)
		if !ok {
			if err := d.skip(); err != nil {
				return err
			}
			continue
		}
		if d.json.PeekKind() == 'n' {
			if _, err := d.json.ReadToken(); err != nil {
				return err
			}
			marks.present &^= 1 << i
			continue
		}
		m := &shape.Members[i]
		if err := d.value(m.Shape, field(v, m)); err != nil {
			return err
		}
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	if missing := (shape.Required | shape.Expected) &^ marks.present; missing != 0 {
		d.missing(shape, missing)
	}
	return nil
}

// field returns the struct field of a member; one behind a pointer is made.
func field(v reflect.Value, m *wsfev1.Member) reflect.Value {
	f := v.Field(m.Index[0])
	if len(m.Index) > 1 {
		f = v.FieldByIndex(m.Index)
	}
	if m.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	return f
}

func (d *decoder) list(shape *wsfev1.Shape, v reflect.Value) error {
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(shape.Type, 0, 0))
	for n := 0; d.json.PeekKind() != ']'; n++ {
		if n == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(n + 1)
		if err := d.value(shape.Item, v.Index(n)); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// skip reads over a value that is not wanted, however it is made, but not
// deeper than maxDepth.
func (d *decoder) skip() error {
	start := d.json.StackDepth()
	for {
		token, err := d.json.ReadToken()
		if err != nil {
			return err
		}
		if d.json.StackDepth() > maxDepth {
			d.find(string(d.json.StackPointer()), shapeDepth)
			return errStop
		}
		if k := token.Kind(); d.json.StackDepth() == start && k != '{' && k != '[' {
			return nil
		}
	}
}
