package exchange

import (
	"encoding/hex"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
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

// body is a request or an answer as a record keeps it.
type body struct {
	// part names it in addresses.
	part string
	// of is the record that has it.
	of     *audit.Record
	leg    *audit.Leg // nil for the exchange itself
	kept   []byte
	length int64
	digest [32]byte
	// mediaType and charset describe a leg. mediaType names its form.
	mediaType, charset string
	// same: it is the client's, and is kept there.
	same bool
}

// isXML reports whether the body is a message of SOAP.
func (b *body) isXML() bool { return b.leg != nil && b.leg.Form != audit.FormJSON }

// bodiesOf returns the bodies of an exchange, in the order in which they came.
func bodiesOf(c *story.Exchange) (all []body) {
	request, result := c.Request(), c.Result()
	if l := request.Client; l != nil {
		all = append(all, body{
			part: "client-request", of: request, leg: l, kept: l.Request, length: l.RequestLength, digest: l.RequestDigest,
			mediaType: story.FormName(l.Form, l.RequestMediaType()), charset: l.Charset(),
		})
	}
	all = append(all, body{part: "request", of: request, kept: request.Request, length: request.RequestLength, digest: request.RequestDigest})
	service := result.Service
	if service == nil && result.Certainty != audit.NotSent {
		service = request.Service // it was settled later, and the intent holds it
	}
	if service != nil {
		all = append(all, serviceBodies(service, result)...)
	}
	if result.Kind == audit.KindIntent {
		return all
	}
	all = append(all, body{part: "answer", of: result, kept: result.Answer, length: result.AnswerLength, digest: result.AnswerDigest})
	if l := result.Client; l != nil {
		all = append(all, body{
			part: "client-answer", of: result, leg: l, kept: l.Answer, length: l.AnswerLength, digest: l.AnswerDigest, mediaType: story.FormName(l.Form, l.MediaType()),
		})
	}
	return all
}

// serviceBodies returns the request and the answer of the service, in another form or completed.
func serviceBodies(l *audit.Leg, of *audit.Record) []body {
	request := body{
		part: "service-request", of: of, leg: l, kept: l.Request, length: l.RequestLength, digest: l.RequestDigest,
		mediaType: story.FormName(l.Form, l.RequestMediaType()), charset: l.Charset(),
		same: len(l.Request) == 0 && of.Client != nil && of.Client.RequestDigest == l.RequestDigest,
	}
	if l.Form == audit.FormJSON { // its answer is the exchange's
		return []body{request}
	}
	return []body{request, {
		part: "service-answer", of: of, leg: l, kept: l.Answer, length: l.AnswerLength, digest: l.AnswerDigest, mediaType: story.FormName(l.Form, l.MediaType()),
		same: len(l.Answer) == 0 && of.Client != nil && of.Client.AnswerDigest == l.AnswerDigest,
	}}
}

// hidden returns a body without the documents that the mask hides; false for one in which they cannot be
// found. A message of SOAP is returned in UTF-8.
func (b *body) hidden(m *mask.Mask) ([]byte, bool) {
	if m == nil {
		return b.kept, true
	}
	if b.isXML() {
		text, ok := m.XML(b.kept, b.charset)
		return []byte(text), ok
	}
	return m.JSON(b.kept)
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
	for _, b := range bodiesOf(c) {
		d := p.document(&b)
		if kept, ok := b.hidden(p.mask); ok && len(kept) > 0 {
			p.fillDocument(&d, &b, kept, op)
			if d.Tree != nil {
				p.addInvoices(c, d.Tree, b.part)
			}
		} else if len(b.kept) > 0 {
			d.Missing = p.T("masked.whole")
		}
		p.Documents = append(p.Documents, d)
	}
}

// document describes a body.
func (p *exchangePage) document(b *body) document {
	d := document{Part: b.part, Name: p.T("part." + b.part), Media: p.voice.Quoted(b.mediaType), Bytes: b.length, Missing: p.T("not_kept")}
	if b.digest != ([32]byte{}) {
		d.Digest = hex.EncodeToString(b.digest[:])
	}
	if !p.mask.Empty() && d.Digest != "" { // all else of a body is known: the document could be tried
		d.Digest, d.Hidden = "", true
	}
	switch {
	case b.of.Presence == audit.Purged:
		d.Missing = p.T("purged")
	case b.of.Presence == audit.Sealed:
		d.Missing = p.T("sealed")
	case b.same:
		d.Missing = p.T("same")
	case b.length == 0:
		d.Missing = p.T("none_came")
	}
	return d
}

// fillDocument adds the content of a body.
func (p *exchangePage) fillDocument(d *document, b *body, kept []byte, op *wsfev1.Operation) {
	d.Missing = ""
	d.Address = p.Address + "/" + b.part
	if p.Revealed {
		d.Form = p.Address + "/reveal/" + b.part
	}
	text := string(kept)
	if b.isXML() {
		text = p.message(d, b, kept)
	} else {
		d.Tree = p.treeOf(b, kept, op)
	}
	if len(text) > maxBytes {
		d.Cut = len(text) - maxBytes
		text = strings.ToValidUTF8(text[:maxBytes], "")
	}
	d.Text = lines(text)
	p.navigate(d)
}

// message returns a message of SOAP as text, indented unless it is long. Behind an element stand the codes
// of the findings about it.
func (p *exchangePage) message(d *document, b *body, kept []byte) string {
	charset := b.charset
	if p.mask != nil { // it is in UTF-8 now
		charset = ""
	}
	if len(kept) <= maxIndented {
		findings := make([]audit.Finding, len(b.of.Findings))
		for i, f := range b.of.Findings {
			findings[i] = p.mask.Finding(f)
		}
		if text, ok := printable.IndentXML(kept, charset, b.of.Operation, findings); ok {
			d.Indented = true
			return text
		}
	}
	if text, _, err := xmlscan.Decode(kept, charset); err == nil {
		return string(text)
	}
	return string(kept)
}

// treeOf returns a body as a tree; nil if it is not JSON. The findings in the answer have codes of their
// own.
func (p *exchangePage) treeOf(b *body, kept []byte, op *wsfev1.Operation) *tree.Node {
	o := tree.Options{Prefix: "at-" + b.part + "-", From: p.from, Words: p.T}
	isRequest := b.part == "request"
	if op != nil {
		o.Shape = op.Answer
		if b.part != "answer" {
			o.Shape = op.Request
		}
	}
	for _, f := range p.Findings {
		switch about := strings.HasPrefix(f.Code, "answer."); {
		case b.part == "service-request" && f.Code != fill.CodeFilled, isRequest && about, b.part == "answer" && !about:
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

// lines returns a text of several lines, free of what would turn or hide its neighbours.
func lines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, ends := strings.CutSuffix(line, "\n")
		b.WriteString(view.OneLine(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    ")))
		if ends {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
