package soap

import (
	"errors"
	"strings"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/internal/xmlscan"
)

// decoder walks a message and a plan side by side.
type decoder struct {
	scan *xmlscan.Scanner
	// req is nil while an answer is read, where absent members do not matter.
	req      *Request
	findings []Finding
	// full: there are more findings than are kept.
	full bool
	// root is the XML path of the object at the top, steps[:level] the way from there.
	root  string
	steps [xmlscan.MaxDepth]step
	level int
	// items are the positions in the lists that are open, and lists is their number.
	items [maxLists]int32
	lists int
	// found are the constructs that others may read differently.
	found Constructs
	// began is where the items of the outermost list begin.
	began int
	// read is the number of items of all lists so far. invoices is how many of a lot are read, 0
	// for all.
	read, invoices int
	// overfull is the list that has last had an item too many.
	overfull listed
	lines    xmlscan.Lines
	// size is the length of the message.
	size int
	// labels are the objects of the message that others refer to, nil for none.
	labels map[string]labelled
	// referredSize is the size of all objects that stand for a reference so far, in bytes.
	referredSize int
	// pieces collects a text that comes in several, number the digits of a double.
	pieces, number []byte
	// strings has room for short texts: see keep.
	strings strings.Builder
}

func (d *decoder) init(scan *xmlscan.Scanner) {
	d.scan = scan
}

// reset gives the decoder its task. Without one nothing is left that belongs to a caller.
func (d *decoder) reset(text []byte, req *Request) {
	if cap(d.number) > maxRoom {
		d.number = nil
	}
	if cap(d.pieces) > maxRoom {
		d.pieces = nil
	}
	clear(d.pieces[:cap(d.pieces)]) // which may have held a credential
	*d = decoder{
		scan:   d.scan,
		number: d.number[:0], pieces: d.pieces[:0], req: req, lines: xmlscan.NewLines(text), size: len(text),
	}
}

// message reads the element of the operation and what follows it.
func (d *decoder) message(e *Envelope, p *plan, v typed.Value) {
	err := d.operation(e, p, v)
	if err == nil {
		err = d.rest(e)
	}
	if err != nil {
		d.fail(err)
	}
}

func (d *decoder) operation(e *Envelope, p *plan, v typed.Value) error {
	switch {
	case e.empty:
		d.complete(p, 0) // an operation that the action alone names
		return nil
	case e.unseen():
		d.found |= ConstructUnseen
		d.complete(p, 0)
		return d.scan.Skip()
	}
	return d.object(p, v)
}

// rest reads the text after the first element of the Body: the ends of the open elements.
func (d *decoder) rest(e *Envelope) error {
	if !e.empty {
		kind, err := nextTag(d.scan)
		if err != nil {
			return err
		}
		if kind == xmlscan.Start {
			return &Error{Problem: NoBody, code: CodeTrailing}
		}
	}
	kind, err := nextTag(d.scan)
	if err != nil {
		return err
	}
	if kind == xmlscan.Start {
		return &Error{Problem: NoBody, code: CodeTrailing}
	}
	if d.req != nil {
		places := xmlscan.NewPlaces(e.text, e.Encoding)
		d.req.End = places.At(d.scan.Offset())
	}
	_, err = nextTag(d.scan)
	return err
}

// fail turns the error that ends the reading into a finding.
func (d *decoder) fail(err error) {
	if errors.Is(err, errStop) {
		return
	}
	f := findingOf(err)
	if refused, ok := errors.AsType[*xmlscan.Error](err); ok {
		f.Line, f.Column = d.lines.At(refused.Offset)
	} else {
		f.Line, f.Column = d.lines.At(d.scan.Offset())
	}
	f.Pointer, f.Path = place(d.root, d.steps[:d.level])
	d.findings = append(d.findings, f)
}

// errStop ends the reading after a finding that leaves nothing more to read.
var errStop = errors.New("reading ends here")

// findingOf returns an error of this package, or of the scanner, as a finding.
func findingOf(err error) Finding {
	if e, ok := errors.AsType[*Error](scanError(nil, err)); ok {
		return e.Finding()
	}
	return Finding{Code: CodeSyntax, Text: texts[CodeSyntax], broken: true}
}
