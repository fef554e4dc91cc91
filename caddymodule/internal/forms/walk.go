package forms

import (
	"bytes"
	"strconv"

	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Walk reads a SOAP message element by element, beside the shape of the message in its Body. It tells two
// things that the codec does not: where an element stands, and which parts have no counterpart.
type Walk struct {
	// root is the name of the element that shape describes, and depth its depth.
	root  string
	depth int
	shape *wsfev1.Shape

	// Element is called for each element within the root, and for the root itself.
	Element func(at int, e Element)
	// Text is called for text between the elements of e.
	Text func(at int, e Element)
	// Other is called for comments and instructions, and for each block of the Header.
	Other func(at int, what string)

	scan xmlscan.Scanner
	open []Element
}

// Element is an element that is open.
type Element struct {
	// Pointer is the JSON Pointer of the element's counterpart in JSON, and Path its XML path.
	Pointer, Path string
	// shape is nil for an element that is no part of the message, and Known is false for one
	// that the service does not know.
	shape *wsfev1.Shape
	Known bool
	items map[string]int
}

// NewWalk returns the walk of a request of the operation, or of an answer.
func NewWalk(op *wsfev1.Operation, answer bool) *Walk {
	w := &Walk{root: op.Name, depth: 3, shape: op.Request, Element: func(int, Element) {}, Text: func(int, Element) {}, Other: func(int, string) {}}
	if answer {
		w.root, w.depth, w.shape = op.Name+"Result", 4, op.Answer
	}
	return w
}

// Read walks through a message in UTF-8. It ends where the message is not well-formed.
func (w *Walk) Read(text []byte) {
	w.scan.Reset(text, []string{soap.Namespace})
	for {
		from := w.scan.Pos()
		kind, err := w.scan.Next()
		if err != nil {
			return
		}
		w.between(from, text[from:w.scan.Offset()])
		switch kind {
		case xmlscan.EOF:
			return
		case xmlscan.Start:
			w.start()
		case xmlscan.End:
			w.open = w.open[:len(w.open)-1]
		case xmlscan.Text:
			if e := w.open[len(w.open)-1]; e.shape != nil && e.shape.Kind == wsfev1.KindObject && !w.scan.Blank() {
				w.Text(w.scan.Offset(), e)
			}
		}
	}
}

// between looks at the text that the scanner has passed over.
func (w *Walk) between(at int, text []byte) {
	if i := bytes.Index(text, []byte("<!--")); i >= 0 {
		w.Other(at+i, "a comment")
	}
	if i := bytes.Index(text, []byte("<?")); i >= 0 && !bytes.HasPrefix(text[i:], []byte("<?xml ")) {
		w.Other(at+i, "a processing instruction")
	}
}

func (w *Walk) start() {
	at, depth := w.scan.Offset(), w.scan.Depth()
	name := string(w.scan.Local())
	e := Element{}
	switch around := len(w.open) - 1; {
	case depth == w.depth && name == w.root && w.scan.Space() == 0:
		e = Element{Path: rootPath(w.root, depth), shape: w.shape, Known: true}
	case around >= 0 && w.open[around].shape != nil:
		e = w.open[around].child(name, w.scan.Space() == 0)
		w.open[around].count(name)
	case depth == 3 && w.open[1].Path == "Header":
		w.Other(at, "a block of the Header")
	case depth == 2:
		e.Path = name
	}
	w.open = append(w.open, e)
	if e.shape != nil || e.Pointer != "" {
		w.Element(at, e)
	}
}

// rootPath returns the XML path of the root.
func rootPath(root string, depth int) string {
	if depth == 4 {
		return "/Envelope/Body/" + root[:len(root)-len("Result")] + "Response/" + root
	}
	return "/Envelope/Body/" + root
}

// child returns the element of a name within e.
func (e *Element) child(name string, ours bool) Element {
	c := Element{Pointer: e.Pointer + "/" + name, Path: e.Path + "/" + name}
	i, ok := e.shape.Member([]byte(name))
	if !ok || !ours || e.shape.Kind != wsfev1.KindObject {
		return c
	}
	c.shape, c.Known = e.shape.Members[i].Shape, true
	if c.shape.Kind == wsfev1.KindList {
		n := e.items[name]
		c.shape = c.shape.Item
		c.Pointer += "/" + strconv.Itoa(n)
		c.Path += "[" + strconv.Itoa(n+1) + "]"
	}
	return c
}

func (e *Element) count(name string) {
	if e.items == nil {
		e.items = map[string]int{}
	}
	e.items[name]++
}
