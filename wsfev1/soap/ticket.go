package soap

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap/xmlscan"
)

// ErrNoAuth is wrapped by the errors of SetTicket: the request has no one place for a ticket.
var ErrNoAuth = errors.New("no Auth that can hold a ticket")

// SetTicket returns the request with the credentials of a ticket instead of its own, and nothing
// else changed. A Token or Sign that is absent, empty or nil is filled in. The request must be one
// that Decode reads without findings. The error wraps ErrNoAuth if AppendRequest must write the
// request anew.
func SetTicket(body []byte, charset string, token, sign wsfev1.Secret) ([]byte, error) {
	text, encoding, err := xmlscan.Decode(body, charset)
	if err != nil {
		return nil, scanError(nil, err)
	}
	r := readers.Get().(*reader)
	defer r.release()
	r.scan.Reset(text, namespaces)
	edits, err := ticketEdits(&r.scan, []credential{{"Token", token}, {"Sign", sign}})
	if err != nil {
		return nil, scanError(text, err)
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

// ticketEdits reads a request to its end and returns what to replace, in the order of the text.
func ticketEdits(s *xmlscan.Scanner, ticket []credential) ([]edit, error) {
	var edits []edit
	found, inBody, ours := false, false, false
	for {
		kind, err := s.Next()
		if err != nil {
			return nil, err
		}
		switch {
		case kind == xmlscan.EOF && !found:
			return nil, fmt.Errorf("soap: no Auth: %w", ErrNoAuth)
		case kind == xmlscan.EOF:
			slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
			return edits, nil
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
			if found || s.Empty() {
				return nil, fmt.Errorf("soap: an Auth that is empty, or two of them: %w", ErrNoAuth)
			}
			found = true
			if edits, err = authEdits(s, ticket); err != nil {
				return nil, err
			}
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
			return nil, fmt.Errorf("soap: two of %s: %w", ticket[i].name, ErrNoAuth)
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
	return edits, checkASCII(edits)
}

// replace returns the edit of an element, whose start tag was read, and reads to its end tag. The
// tags stay where they can.
func (c credential) replace(s *xmlscan.Scanner) (edit, error) {
	start, inner := s.Offset(), s.Pos()
	whole := s.Empty()
	for _, a := range s.Attrs() {
		if isID(a) || isReference(a) {
			// Another element could mean the new content.
			return edit{}, fmt.Errorf("soap: %s is a reference, or has one: %w", c.name, ErrNoAuth)
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
	b := append([]byte("<"+c.name+` xmlns="`+Namespace+`">`), xmlscan.AppendText(nil, c.value.Reveal())...)
	return string(b) + "</" + c.name + ">"
}

// checkASCII refuses credentials that not every encoding can hold. Those of the service are in
// base64.
func checkASCII(edits []edit) error {
	for _, e := range edits {
		for i := range len(e.text) {
			if e.text[i] >= utf8.RuneSelf {
				return fmt.Errorf("soap: a credential that is not ASCII: %w", ErrNoAuth)
			}
		}
	}
	return nil
}
