package exchange

import (
	"encoding/hex"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// maxBytes is how much of a body the page itself shows; maxIndented is the longest message that it indents.
const (
	maxBytes    = 32 << 10
	maxIndented = 256 << 10
)

// hidden returns a body without the documents that the mask hides; false for one in which they cannot be
// found. A message of SOAP is returned in UTF-8.
func hidden(d *story.Document, m *mask.Mask) ([]byte, bool) {
	if m == nil {
		return d.Kept, true
	}
	if d.IsXML() {
		text, ok := m.XML(d.Kept, d.Charset)
		return []byte(text), ok
	}
	return m.JSON(d.Kept)
}

// document is a body on the page.
type document struct {
	Part, Name, Media string
	Bytes             int64
	// Text is the beginning of the body as it is kept, and Cut the bytes that follow. Missing says why there
	// is none.
	Text    string
	Cut     int
	Missing string
	// Indented: Text is not the very bytes, but a message that is laid out to be read.
	Indented bool
	// Digest is empty where it would give a document away, or is not known.
	Digest  string
	Hidden  bool // the digest is
	Address string
	Tree    *tree.Node
	// Form is the address of a form that gives the whole, unmasked; empty for none.
	Form string
	// Nav leads through the items of a long list.
	Nav nav
}

// nav leads through the invoices of a lot: the part that is shown, and the addresses of its neighbours.
type nav struct {
	Text, Previous, Next   string
	PreviousName, NextName string
	// Post: they are forms, as documents are revealed.
	Post bool
}

// addDocuments adds the bodies, and the invoices in them.
func (p *exchangePage) addDocuments(c *story.Exchange) {
	op := wsfev1.OperationByName(c.Result().Operation)
	for _, b := range c.Documents() {
		d := p.document(&b)
		if kept, ok := hidden(&b, p.mask); ok && len(kept) > 0 {
			p.fillDocument(&d, &b, kept, op)
			if d.Tree != nil {
				p.addInvoices(c, d.Tree, b.Part)
			}
		} else if len(b.Kept) > 0 {
			d.Missing = p.T("masked.whole")
		}
		p.Documents = append(p.Documents, d)
	}
}

// document describes a body.
func (p *exchangePage) document(b *story.Document) document {
	d := document{Part: b.Part, Name: p.T("part." + b.Part), Media: p.voice.Quoted(b.Media), Bytes: b.Length, Missing: p.T("not_kept")}
	if b.Digest != ([32]byte{}) {
		d.Digest = hex.EncodeToString(b.Digest[:])
	}
	if !p.mask.Empty() && d.Digest != "" { // all else of a body is known: the document could be tried
		d.Digest, d.Hidden = "", true
	}
	switch {
	case b.Of.Presence == audit.Purged:
		d.Missing = p.T("purged")
	case b.Of.Presence == audit.Sealed:
		d.Missing = p.T("sealed")
	case b.Of.Presence == audit.Unread:
		d.Missing = p.T("unread")
	case b.Same:
		d.Missing = p.T("same")
	case b.Length == 0:
		d.Missing = p.T("none_came")
	}
	return d
}

// fillDocument adds the content of a body.
func (p *exchangePage) fillDocument(d *document, b *story.Document, kept []byte, op *wsfev1.Operation) {
	d.Missing = ""
	d.Address = p.Address + "/" + b.Part
	if p.Revealed {
		d.Form = p.Address + "/reveal/" + b.Part
	}
	text := string(kept)
	if b.IsXML() {
		text = p.message(d, b, kept)
	} else {
		d.Tree = p.treeOf(b, kept, op)
	}
	if len(text) > maxBytes {
		d.Cut = len(text) - maxBytes
		text = strings.ToValidUTF8(text[:maxBytes], "")
	}
	d.Text = printable.Lines(text)
	p.navigate(d)
}

// message returns a message of SOAP as text, indented unless it is long. Behind an element stand the codes
// of the findings about it.
func (p *exchangePage) message(d *document, b *story.Document, kept []byte) string {
	var findings []audit.Finding
	for _, f := range b.Of.Findings {
		findings = append(findings, p.mask.Finding(f))
	}
	text, indented := p.indented(b, kept, findings)
	d.Indented = indented
	return text
}

// indented returns a message of SOAP as text, and whether it is indented.
func (p *exchangePage) indented(b *story.Document, kept []byte, findings []audit.Finding) (string, bool) {
	charset := b.Charset
	if p.mask != nil { // it is in UTF-8 now
		charset = ""
	}
	if len(kept) <= maxIndented {
		if text, ok := printable.IndentXML(kept, charset, b.Of.Operation, findings); ok {
			return text, true
		}
	}
	if text, _, err := xmlscan.Decode(kept, charset); err == nil {
		return string(text), false
	}
	return string(kept), false
}

// treeOf returns a body as a tree; nil if it is not JSON. The findings in the answer have codes of their
// own.
func (p *exchangePage) treeOf(b *story.Document, kept []byte, op *wsfev1.Operation) *tree.Node {
	o := tree.Options{Prefix: "at-" + b.Part + "-", From: p.from, Words: p.T}
	isRequest := b.Part == "request"
	if op != nil {
		o.Shape = op.Answer
		if b.Part != "answer" {
			o.Shape = op.Request
		}
	}
	for _, f := range p.Findings {
		switch about := strings.HasPrefix(f.Code, "answer."); {
		case b.Part == "service-request" && f.Code != fill.CodeFilled, isRequest && about, b.Part == "answer" && !about:
		default:
			o.Findings = append(o.Findings, f)
		}
	}
	root, err := tree.Build(kept, o)
	if err != nil {
		return nil
	}
	return root
}
