package soap

import (
	"strings"
	"sync"

	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// Envelope is a message that is read up to the first element of its Body.
type Envelope struct {
	// Version is the version of the envelope.
	Version Version
	// Element is the name of the first element of the Body, no text where the Body is empty or
	// the element is not in the service's namespace.
	Element string
	// Info is the header FEHeaderInfo, which answers have.
	Info Info
	// Encoding is how the characters of the message are written.
	Encoding xmlscan.Encoding

	// text is the message in UTF-8.
	text []byte
	// fault: the first element of the Body is a fault of SOAP. empty: there is none at all.
	fault, empty bool
	// found are the constructs that others may read differently.
	found Constructs
	// reader stands behind the start tag of the element. Decode takes it.
	reader *reader
}

// Open reads a message up to the first element of its Body. charset is that parameter of the
// media type, or no text. The error is an *Error. The Envelope refers to body as long as it
// is used.
func Open(body []byte, charset string) (*Envelope, error) {
	text, encoding, err := xmlscan.Decode(body, charset)
	if err != nil {
		return nil, scanError(nil, err)
	}
	e := &Envelope{text: text, Encoding: encoding}
	if err := e.open(); err != nil {
		return nil, err
	}
	return e, nil
}

// Route returns the operation of a request. It is named by the action, in quotes or without, or
// by the element of the Body where there is no action. If both name one, they must name the same.
// Another element is one without members that are seen, as it is to the service. In SOAP 1.1 quotes
// around nothing are an action too, of which there is no operation.
func (e *Envelope) Route(action string) (*wsfev1.Operation, error) {
	if e == nil {
		return nil, &Error{Problem: NoOperation}
	}
	named := strings.Trim(strings.TrimSpace(action), `"'`)
	name, found := strings.CutPrefix(named, ActionPrefix)
	switch {
	case named == "" && strings.TrimSpace(action) != "" && e.Version == V11:
		return nil, &Error{Problem: UnknownAction}
	case named == "" && e.Element == "":
		return nil, &Error{Problem: NoOperation}
	case named == "":
		name = e.Element
	case !found:
		return nil, &Error{Problem: UnknownAction, name: named}
	}
	op := wsfev1.OperationByName(name)
	switch {
	case op == nil && named == "":
		return nil, &Error{Problem: UnknownElement, name: name}
	case op == nil:
		return nil, &Error{Problem: UnknownAction, name: named}
	case !e.empty && !e.unseen() && e.Element != op.Name:
		return nil, &Error{Problem: Mismatch, name: named}
	}
	return op, nil
}

// unseen reports whether the element of the Body is none of an operation, such as one without a
// namespace.
func (e *Envelope) unseen() bool {
	return !e.empty && !e.fault && wsfev1.OperationByName(e.Element) == nil
}

// reader is the state of reading one message.
type reader struct {
	scan xmlscan.Scanner
	decoder
}

var readers = sync.Pool{New: func() any {
	r := new(reader)
	r.decoder.init(&r.scan)
	return r
}}

// release gives a reader back without what belongs to its caller.
func (r *reader) release() {
	r.scan.Reset(nil, nil)
	r.decoder.reset(nil, nil)
	readers.Put(r)
}

// open reads the envelope from its beginning.
func (e *Envelope) open() error {
	r := readers.Get().(*reader)
	r.scan.Reset(e.text, namespaces)
	if err := e.read(&r.scan); err != nil {
		r.release()
		return err
	}
	e.reader = r
	return nil
}

// take returns the reader behind the start tag of the element, as Decode needs it.
func (e *Envelope) take() (*reader, error) {
	if e.reader == nil {
		if err := e.open(); err != nil {
			return nil, err
		}
	}
	r := e.reader
	e.reader = nil
	return r, nil
}

// read is open with the scanner at the beginning.
func (e *Envelope) read(s *xmlscan.Scanner) error {
	if _, err := s.Next(); err != nil {
		return scanError(e.text, err)
	}
	if string(s.Local()) != "Envelope" {
		return &Error{Problem: NoEnvelope}
	}
	switch s.Space() {
	case inSOAP11:
		e.Version = V11
	case inSOAP12:
		e.Version = V12
	default:
		return &Error{Problem: OtherVersion}
	}
	for headers := 0; ; headers++ {
		kind, err := nextTag(s)
		if err != nil {
			return scanError(e.text, err)
		}
		switch {
		case kind != xmlscan.Start:
			return &Error{Problem: NoBody}
		case !e.ours(s):
			return &Error{Problem: NoBody}
		case string(s.Local()) == "Body":
			return e.body(s)
		case string(s.Local()) != "Header" || headers > 0:
			return &Error{Problem: NoBody}
		}
		if err := e.header(s); err != nil {
			return err
		}
	}
}

// ours reports whether the last element is one of the envelope's version.
func (e *Envelope) ours(s *xmlscan.Scanner) bool { return s.Space() == inSOAP11+int(e.Version) }

// header reads the Header. A block that must be understood is refused: none is.
func (e *Envelope) header(s *xmlscan.Scanner) error {
	for {
		kind, err := nextTag(s)
		if err != nil {
			return scanError(e.text, err)
		}
		if kind == xmlscan.End {
			return nil
		}
		e.found |= ConstructHeaderBlock
		for _, a := range s.Attrs() {
			if string(a.Local) == "mustUnderstand" && a.Space == inSOAP11+int(e.Version) && (a.Is("1") || a.Is("true")) {
				return &Error{Problem: NotUnderstood}
			}
		}
		if s.Space() == inService && string(s.Local()) == "FEHeaderInfo" {
			err = e.Info.read(s)
		} else {
			err = s.Skip()
		}
		if err != nil {
			return scanError(e.text, err)
		}
	}
}

// body reads the Body up to its first element.
func (e *Envelope) body(s *xmlscan.Scanner) error {
	kind, err := nextTag(s)
	if err != nil {
		return scanError(e.text, err)
	}
	switch {
	case kind == xmlscan.End:
		e.empty = true
	case s.Space() == inService:
		e.Element = string(s.Local())
	case e.ours(s) && string(s.Local()) == "Fault":
		e.fault = true
	}
	return nil
}

// errText is text where only elements may stand.
var errText = &Error{Problem: NoBody, code: CodeTrailing}

// nextTag moves to the next start or end tag. Only white space may stand before it.
func nextTag(s *xmlscan.Scanner) (xmlscan.Kind, error) {
	for {
		kind, err := s.Next()
		if err != nil || kind != xmlscan.Text {
			return kind, err
		}
		if !s.Blank() {
			return xmlscan.EOF, errText
		}
	}
}
