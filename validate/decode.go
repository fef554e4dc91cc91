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
