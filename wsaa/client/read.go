package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fielato/fielato/internal/xmlscan"
)

// wanted is an element whose text is read.
type wanted struct {
	// path has the local names from the root on. Namespaces do not matter.
	path []string
	text *string
	// seen: the element was there.
	seen bool
}

// want returns the element at a path such as "Envelope/Body".
func want(path string, text *string) *wanted {
	return &wanted{path: strings.Split(path, "/"), text: text}
}

// textReader reads the texts of some elements of a document.
type textReader struct {
	scan  xmlscan.Scanner
	elems []*wanted
	path  []string
	// open is the wanted element that is open, nil for none, and text what was read of it.
	open *wanted
	text []byte
}

// readTexts reads the texts of the wanted elements. One that stands there twice, or has elements of
// its own, is an error, which repeats nothing of the document.
func readTexts(document []byte, charset string, elems ...*wanted) error {
	text, _, err := xmlscan.Decode(document, charset)
	if err != nil {
		return err
	}
	r := textReader{elems: elems}
	r.scan.Reset(text, nil)
	for {
		kind, err := r.scan.Next()
		if err != nil {
			return err
		}
		switch kind {
		case xmlscan.EOF:
			return nil
		case xmlscan.Start:
			err = r.start()
		case xmlscan.Text:
			if r.open != nil {
				r.text = append(r.text, r.scan.Text(nil)...)
			}
		case xmlscan.End:
			r.end()
		}
		if err != nil {
			return err
		}
	}
}

func (r *textReader) start() error {
	if r.open != nil {
		return fmt.Errorf("%s has elements", r.open.path[len(r.open.path)-1])
	}
	r.path = append(r.path, string(r.scan.Local()))
	for _, w := range r.elems {
		if !slices.Equal(w.path, r.path) {
			continue
		}
		if w.seen {
			return fmt.Errorf("%s is there twice", w.path[len(w.path)-1])
		}
		w.seen, r.open, r.text = true, w, r.text[:0]
	}
	return nil
}

func (r *textReader) end() {
	r.path = r.path[:len(r.path)-1]
	if r.open != nil {
		*r.open.text = string(r.text)
		r.open = nil
	}
}

// envelope is an answer of the login service.
type envelope struct {
	// document is the ticket's, if it is no fault.
	document string
	fault    bool
	// code and text come from a fault, unchanged.
	code, text string
}

// readEnvelope reads an answer: SOAP of either version.
func readEnvelope(body []byte, charset string) (*envelope, error) {
	var e envelope
	var code12, subcode12, text12 string
	returned := want("Envelope/Body/loginCmsResponse/loginCmsReturn", &e.document)
	fault11 := want("Envelope/Body/Fault/faultcode", &e.code)
	fault12 := want("Envelope/Body/Fault/Code/Value", &code12)
	err := readTexts(body, charset, returned, fault11, fault12,
		want("Envelope/Body/Fault/faultstring", &e.text),
		want("Envelope/Body/Fault/Code/Subcode/Value", &subcode12),
		want("Envelope/Body/Fault/Reason/Text", &text12))
	if err != nil {
		return nil, fmt.Errorf("it is no SOAP message: %w", err)
	}
	switch e.fault = fault11.seen || fault12.seen; {
	case e.fault == returned.seen:
		return nil, fmt.Errorf("it has neither a ticket nor a fault, or both")
	case fault12.seen:
		e.code, e.text = code12, text12
		if subcode12 != "" {
			e.code = subcode12
		}
	}
	return &e, nil
}
