package validate

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

// lenient leaves duplicate names and invalid UTF-8 to be looked for here, where each
// can be reported with its place and reading continues.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// errStop ends the reading after a finding that leaves nothing more to read.
var errStop = errors.New("reading ends here")

// errOdd ends a reading at once (atOnce) that cannot be sure of what comes next.
var errOdd = errors.New("the body is odd")

// decoder walks a JSON document and a Shape side by side, and checks the grammar of what it reads. Nearly all
// bodies are right and take this one pass. A body of which anything is not as the contract has it is read once
// more: package json has then checked the grammar up to end, so that the findings cannot disagree with json.
type decoder struct {
	// checked: package json has checked the grammar. Before, the first oddity ends the reading.
	checked, gaveUp bool
	// json checks the grammar. Afterwards it starts again and follows the walk,
	// where one asks for pointers.
	json      *jsontext.Decoder
	buffer    bytes.Buffer
	following bool
	// body is read up to at. From 0 to end it holds whole tokens in their right
	// order if it is checked, and syntax is the error of json that comes next: nil after a document.
	body    []byte
	at, end int
	syntax  error

	// req is nil while an answer is read, where absent members do not matter. Its methods
	// accept nil, so that the walk need not check it.
	req      *Request
	contract Contract
	findings []Finding
	// unreported takes the findings beyond MaxFindings. It is nil as long as there are none.
	unreported *Finding
	// depth is the number of open objects and lists, lists the number of open lists.
	depth, lists int
	// items are the positions in the open lists: items[:lists] hold.
	items [maxLists]int32
	// read is the number of items of all lists so far. invoices is how many of a lot are read, 0
	// for all.
	read, invoices int
	// texts has room for short texts: see keep.
	texts strings.Builder
	// invalidUTF8: some string of the body is not valid, noCharacters: some has what is no character. Only then
	// is each of them checked.
	invalidUTF8, noCharacters bool
}

var decoders = sync.Pool{New: func() any {
	return &decoder{json: jsontext.NewDecoder(bytes.NewReader(nil))}
}}

// reset gives a decoder its task. Without one nothing is left that belongs to the
// caller: a pooled decoder must not keep a body with credentials alive.
func (d *decoder) reset(req *Request, contract Contract) {
	*d = decoder{json: d.json, req: req, contract: contract}
}

func (d *decoder) release() {
	d.reset(nil, "")
	d.json.Reset(&d.buffer)
	decoders.Put(d)
}

func (d *decoder) rewind() {
	d.buffer = *bytes.NewBuffer(d.body)
	d.json.Reset(&d.buffer, lenient...)
}

// atOnce reads a body whose grammar nobody has checked, and reports whether nothing is wrong with it. As soon as
// something is odd it gives up and leaves nothing behind.
func (d *decoder) atOnce(shape *wsfev1.Shape, v typed.Value) bool {
	d.end, d.syntax = len(d.body), errOdd
	if d.document(shape, v) == nil && !d.gaveUp {
		return true
	}
	v.Clear(shape)
	if d.req != nil {
		d.req.absent = nil
	}
	d.at, d.depth, d.lists, d.read, d.gaveUp, d.syntax = 0, 0, 0, 0, false, nil
	return false
}

// giveUp ends a reading at once.
func (d *decoder) giveUp() { d.gaveUp, d.end = true, d.at }

// check finds out how far a body can be read. A document without errors is read at
// one go; in any other the tokens before the error are counted.
func (d *decoder) check() {
	d.checked = true
	d.rewind()
	if _, err := d.json.ReadValue(); err != nil {
		d.rewind()
		for d.syntax == nil {
			_, d.syntax = d.json.ReadToken()
		}
	}
	d.end = int(d.json.InputOffset())
}

// pointer returns the JSON Pointer of the token or value that was read last. As the
// walk only goes forward, all pointers of a body take one more pass together. There
// is none where no more findings are kept.
func (d *decoder) pointer() string {
	if d.full() || !d.checked {
		return ""
	}
	if !d.following {
		d.rewind()
		d.following = true
	}
	for int(d.json.InputOffset()) < d.at {
		if _, err := d.json.ReadToken(); err != nil {
			break // not before end
		}
	}
	return string(d.json.StackPointer())
}

func (d *decoder) document(shape *wsfev1.Shape, v typed.Value) error {
	kind := d.begin()
	if kind != 0 && !fits(shape.Kind, kind) {
		if err := d.skip(kind); err != nil {
			return err
		}
		d.findKind("", nil, shape.Kind, kind, nil)
	} else if err := d.value(shape, nil, v, kind); err != nil {
		return err
	}
	if len(bytes.TrimLeft(d.body[d.at:], " \t\r\n")) > 0 {
		// Whether what follows is JSON does not matter: nothing may follow.
		d.find("", shapeTrailing)
	}
	return nil
}
