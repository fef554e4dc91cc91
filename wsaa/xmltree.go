package wsaa

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxTreeDepth and maxTreeNodes bound the documents that are read as a tree.
	maxTreeDepth = 32
	maxTreeNodes = 1000
)

// node is an element of a document.
type node struct {
	name     xml.Name
	attrs    []xml.Attr
	text     strings.Builder // its own text, without its elements' texts
	children []*node
}

// child returns the first element of a local name, nil if there is none.
func (n *node) child(local string) *node {
	for _, c := range n.children {
		if c.name.Local == local {
			return c
		}
	}
	return nil
}

var (
	errDoctype    = errors.New("the document has a document type")
	errTooDeep    = fmt.Errorf("elements lie deeper than %d", maxTreeDepth)
	errTooMany    = fmt.Errorf("more than %d elements", maxTreeNodes)
	errProlog     = errors.New("text stands before the first element")
	errEpilog     = errors.New("something stands after the last element")
	errNoDocument = errors.New("the document is empty")
)

// treeReader reads a document as a tree.
type treeReader struct {
	decoder *xml.Decoder
	root    *node
	open    []*node
	nodes   int
}

// byteOrderMark may stand at the beginning of a text in UTF-8.
var byteOrderMark = []byte("\ufeff")

func newTreeReader(document []byte) *treeReader {
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(document, byteOrderMark)))
	decoder.CharsetReader = charsetReader
	return &treeReader{decoder: decoder}
}

// read returns the root. A document type, a second root and text around the root are errors.
func (t *treeReader) read() (*node, error) {
	for {
		piece, err := t.decoder.Token()
		switch {
		case errors.Is(err, io.EOF) && t.root == nil:
			return nil, errNoDocument
		case errors.Is(err, io.EOF):
			return t.root, nil
		case err != nil:
			return nil, err
		}
		if err := t.take(piece); err != nil {
			return nil, err
		}
	}
}

func (t *treeReader) take(piece xml.Token) error {
	switch piece := piece.(type) {
	case xml.StartElement:
		return t.begin(piece)
	case xml.EndElement:
		t.open = t.open[:len(t.open)-1]
	case xml.CharData:
		switch {
		case len(t.open) > 0:
			t.open[len(t.open)-1].text.Write(piece)
		case len(bytes.TrimSpace(piece)) > 0 && t.root == nil:
			return errProlog
		case len(bytes.TrimSpace(piece)) > 0:
			return errEpilog
		}
	case xml.Directive:
		return errDoctype
	}
	return nil
}

func (t *treeReader) begin(element xml.StartElement) error {
	if t.nodes++; t.nodes > maxTreeNodes {
		return errTooMany
	}
	n := &node{name: element.Name, attrs: element.Copy().Attr}
	switch {
	case len(t.open) == maxTreeDepth:
		return errTooDeep
	case len(t.open) > 0:
		parent := t.open[len(t.open)-1]
		parent.children = append(parent.children, n)
	case t.root != nil:
		return errEpilog
	default:
		t.root = n
	}
	t.open = append(t.open, n)
	return nil
}

// charsetReader reads the encodings of one byte that clients in Latin America declare. Of the
// texts that matter here none has a character beyond ASCII, so ISO 8859-1 and its extension by
// Windows are read as one.
func charsetReader(charset string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "iso-8859-1", "latin1", "windows-1252", "us-ascii":
	default:
		return nil, fmt.Errorf("the encoding %q is not read", charset)
	}
	text, err := io.ReadAll(input)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(rune(c))
	}
	return strings.NewReader(b.String()), nil
}
