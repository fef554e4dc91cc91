package documents

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/forms"
)

const (
	// MaxDocument is the largest document that is judged, in bytes.
	MaxDocument = 64 << 20
	// inputBuffer is how much is read at a time, in bytes.
	inputBuffer = 64 << 10
)

// Reader reads a file that holds JSON documents: one over many lines, or one a line, or any mix of
// these. A file that begins as XML or HTTP does is one document. It needs as much memory as the largest
// document.
type Reader struct {
	r     *bufio.Reader
	limit int
	// begun: the beginning of the file was looked at.
	begun bool
	// text is the line read last, and line its number. long: it exceeds limit and is
	// truncated. pending: no document has it yet.
	text          []byte
	line          int
	long, pending bool
	// body holds the document returned last.
	body []byte
}

// NewReader returns a reader of documents of at most limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, inputBuffer), limit: limit}
}

// Document is one document as it was found, which need not be JSON.
type Document struct {
	// Line is that on which it begins, counted from 1.
	Line int
	// Body is valid until the next document is read.
	Body []byte
	// xml: the file begins as XML does. http is what of HTTP it begins with, or empty.
	xml  bool
	http string
	// tooLarge: the document exceeds the limit, and Body is truncated.
	tooLarge bool
}

// Next returns the next document, and io.EOF after the last. A document ends with the line
// that closes its last bracket. If none does, it ends before a line that is an object by
// itself where JSON allows none, so that one bad line of JSON Lines does not hide the rest.
func (d *Reader) Next() (Document, error) {
	first := !d.begun
	d.begun = true
	if first && forms.BeginsWithXML(d.r) {
		return d.rest(Document{xml: true})
	}
	for blank := true; blank; blank = !d.long && len(bytes.Trim(d.text, forms.Blanks)) == 0 {
		if err := d.read(); err != nil {
			return Document{}, err
		}
	}
	if http := forms.RecordedHTTP(d.text); first && http != "" {
		d.pending = true
		return d.rest(Document{http: http})
	}
	doc := Document{Line: d.line, tooLarge: d.long}
	d.body, d.text = d.text, d.body
	var outline outline
	outline.add(d.body)
	for outline.open() && !d.long { // a truncated line does not show where the document ends
		err := d.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Document{}, err
		}
		if d.pending = outline.endsBefore(d.text); d.pending {
			break
		}
		outline.add(d.text)
		if doc.tooLarge = doc.tooLarge || d.long || len(d.body)+len(d.text) > d.limit; !doc.tooLarge {
			d.body = append(d.body, d.text...)
		}
	}
	doc.Body = d.body
	return doc, nil
}

// rest returns all that follows as one document, byte by byte as it is.
func (d *Reader) rest(doc Document) (Document, error) {
	d.body = d.body[:0]
	for {
		err := d.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Document{}, err
		}
		if doc.Line == 0 && len(bytes.Trim(d.text, forms.Blanks)) > 0 {
			doc.Line = d.line
		}
		if doc.tooLarge = doc.tooLarge || d.long || len(d.body)+len(d.text) > d.limit; !doc.tooLarge {
			d.body = append(d.body, d.text...)
		}
	}
	doc.Body = d.body
	return doc, nil
}

// read makes the next line the current one.
func (d *Reader) read() error {
	if d.pending {
		d.pending = false
		return nil
	}
	d.text, d.long = d.text[:0], false
	for {
		part, err := d.r.ReadSlice('\n')
		if d.long = d.long || len(d.text)+len(part) > d.limit; !d.long {
			d.text = append(d.text, part...)
		}
		last := errors.Is(err, io.EOF) && (len(d.text) > 0 || d.long)
		switch {
		case err == nil || last:
			d.line++
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// outline follows the brackets and texts of a document, line by line, whether or not
// it is JSON.
type outline struct {
	depth           int
	inText, escaped bool
	// broken: a string did not end on its line, which JSON forbids. It stays broken.
	broken bool
	// last is the last byte outside of strings that is not white space; of a string it is
	// the closing quote.
	last byte
}

// open reports whether a bracket is unclosed.
func (o *outline) open() bool { return o.depth > 0 }

func (o *outline) add(line []byte) {
	if o.broken {
		return
	}
	for _, c := range line {
		switch {
		case o.escaped:
			o.escaped = false
			continue
		case o.inText:
			o.escaped = c == '\\'
			o.inText = c != '"'
			if o.inText {
				continue
			}
		case c == '"':
			o.inText = true
			continue
		case c == '{' || c == '[':
			o.depth++
		case c == '}' || c == ']':
			o.depth--
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		}
		o.last = c
	}
	o.broken = o.inText
}

// endsBefore reports whether the line begins another document: it is an object by itself,
// not indented, in a place where JSON allows none.
func (o *outline) endsBefore(line []byte) bool {
	if len(line) == 0 || line[0] != '{' || !o.broken && strings.IndexByte(":,[", o.last) >= 0 {
		return false
	}
	var itself outline
	itself.add(line)
	return !itself.broken && itself.depth == 0 && itself.last == '}'
}

// Line returns the number of the line that was read last.
func (d *Reader) Line() int { return d.line }

// Whole returns a text as one document.
func Whole(text []byte) Document {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, forms.Blanks), []byte("\n"))
	return Document{
		Line: 1, Body: text, http: forms.RecordedHTTP(line),
		xml: forms.BeginsWithXML(bufio.NewReaderSize(bytes.NewReader(text), inputBuffer)),
	}
}
