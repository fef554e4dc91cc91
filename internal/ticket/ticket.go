package ticket

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// ErrNoAuth is wrapped by the errors of Set: the request has no one place for a ticket.
var ErrNoAuth = errors.New("no Auth that can hold a ticket")

// Set returns the request with the credentials of a ticket instead of its own, and nothing
// else changed. A Token or Sign that is absent, empty or nil is filled in. The request must be one
// that soap.Envelope.Decode reads without findings. The error wraps ErrNoAuth if soap.AppendRequest
// must write the request anew.
func Set(body []byte, charset string, token, sign wsfev1.Secret) ([]byte, error) {
	text, encoding, err := xmlscan.Decode(body, charset)
	if err != nil {
		return nil, fmt.Errorf("soap: setting a ticket: %w", err)
	}
	scan := scanners.Get().(*xmlscan.Scanner)
	defer func() {
		scan.Reset(nil, nil) // it must not hold the message of one client while it waits for the next
		scanners.Put(scan)
	}()
	scan.Reset(text, namespaces)
	edits, err := ticketEdits(scan, []credential{{"Token", token}, {"Sign", sign}})
	if err != nil {
		return nil, fmt.Errorf("soap: setting a ticket: %w", err)
	}
	places := xmlscan.NewPlaces(text, encoding)
	var out []byte
	at := 0
	for _, e := range edits {
		start, end := places.At(e.start), places.At(e.end)
		out = append(append(out, body[at:start]...), encoding.Encode(e.text)...)
		at = end
	}
	return append(out, body[at:]...), nil
}

// The positions of the namespaces that the scanner tells apart.
const (
	inService = iota
	inSOAP11
	inSOAP12
	inXSI
	inEncoding
)

var namespaces = []string{
	soap.Namespace, "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
	"http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/2003/05/soap-encoding",
}

var scanners = sync.Pool{New: func() any { return new(xmlscan.Scanner) }}

type credential struct {
	name  string
	value wsfev1.Secret
}

// edit replaces a part of a text.
type edit struct {
	start, end int
	text       string
}

// authDepth is the depth of Auth: Envelope, Body, operation, Auth.
const authDepth = 4

// ticketEdits returns what to replace, in the order of the text. It reads to the end of the Auth: that
// there is no second one, the decoder has seen.
func ticketEdits(s *xmlscan.Scanner, ticket []credential) ([]edit, error) {
	inBody, ours := false, false
	for {
		kind, err := s.Next()
		switch {
		case err != nil:
			return nil, err
		case kind == xmlscan.EOF:
			return nil, fmt.Errorf("no Auth: %w", ErrNoAuth)
		case kind != xmlscan.Start:
			continue
		}
		switch s.Depth() {
		case authDepth - 2:
			inBody = string(s.Local()) == "Body" && (s.Space() == inSOAP11 || s.Space() == inSOAP12)
		case authDepth - 1:
			ours = inBody && s.Space() == inService
		case authDepth:
			if !ours || s.Space() != inService || string(s.Local()) != "Auth" {
				continue
			}
			if s.Empty() {
				return nil, fmt.Errorf("an Auth that is empty: %w", ErrNoAuth)
			}
			return authEdits(s, ticket)
		}
	}
}

// authEdits reads an Auth, whose start tag was read, to its end tag.
func authEdits(s *xmlscan.Scanner, ticket []credential) ([]edit, error) {
	var edits []edit
	begin := s.Pos()
	seen := make([]bool, len(ticket))
	for {
		kind, err := s.Next()
		if err != nil {
			return nil, err
		}
		if kind == xmlscan.End {
			break
		}
		if kind != xmlscan.Start {
			continue
		}
		i := slices.IndexFunc(ticket, func(c credential) bool { return c.name == string(s.Local()) && s.Space() == inService })
		switch {
		case i < 0:
			err = skip(s)
		case seen[i]:
			return nil, fmt.Errorf("two of %s: %w", ticket[i].name, ErrNoAuth)
		default:
			seen[i] = true
			var e edit
			e, err = ticket[i].replace(s)
			edits = append(edits, e)
		}
		if err != nil {
			return nil, err
		}
	}
	for i, c := range ticket {
		if !seen[i] {
			edits = append(edits, edit{begin, begin, c.element()})
		}
	}
	// An added element stands before a replaced one at the same place.
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	return edits, checkASCII(edits)
}

// replace returns the edit of an element, whose start tag was read, and reads to its end tag. The
// tags stay where they can.
func (c credential) replace(s *xmlscan.Scanner) (edit, error) {
	start, inner := s.Offset(), s.Pos()
	whole := s.Empty()
	for _, a := range s.Attrs() {
		if name := string(a.Local); name == "id" || name == "href" || a.Space == inEncoding {
			// Another element could mean the new content.
			return edit{}, fmt.Errorf("%s is a reference, or has one: %w", c.name, ErrNoAuth)
		}
		whole = whole || a.Space == inXSI && string(a.Local) == "nil"
	}
	if err := skip(s); err != nil {
		return edit{}, err
	}
	if whole {
		return edit{start, s.Pos(), c.element()}, nil
	}
	return edit{inner, s.Offset(), string(xmlscan.AppendText(nil, c.value.Reveal()))}, nil
}

// element returns the element with its own namespace, which is right whatever prefixes surround
// it.
func (c credential) element() string {
	b := append([]byte("<"+c.name+` xmlns="`+soap.Namespace+`">`), xmlscan.AppendText(nil, c.value.Reveal())...)
	return string(b) + "</" + c.name + ">"
}

// checkASCII refuses credentials that not every encoding can hold. The service's credentials are in
// base64.
func checkASCII(edits []edit) error {
	for _, e := range edits {
		for i := range len(e.text) {
			if e.text[i] >= utf8.RuneSelf {
				return fmt.Errorf("a credential that is not ASCII: %w", ErrNoAuth)
			}
		}
	}
	return nil
}

// skip reads to the end of the open element.
func skip(s *xmlscan.Scanner) error {
	for depth := s.Depth(); s.Depth() >= depth; {
		if _, err := s.Next(); err != nil {
			return err
		}
	}
	return nil
}
