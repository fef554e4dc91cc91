package command

import (
	"bytes"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
	"github.com/fielato/fielato/wsfev1/soap/xmlscan"
)

// messageWalk reads a SOAP message element by element, beside the shape of what its Body holds.
// It is for what the codec does not say: where an element stands, and what has no counterpart.
type messageWalk struct {
	// root is the name of the element that shape describes, and depth its depth.
	root  string
	depth int
	shape *wsfev1.Shape

	// element is called for each element within the root, and for the root itself.
	element func(at int, e messageElement)
	// other is called for comments and instructions, and for each block of the Header.
	other func(at int, what string)

	scan xmlscan.Scanner
	open []messageElement
}

// messageElement is an element that is open.
type messageElement struct {
	// pointer is the JSON Pointer of what the element is in JSON, and path its XML path.
	pointer, path string
	// shape is nil for an element that is no part of the message, as known is false for one
	// that the service does not know.
	shape *wsfev1.Shape
	known bool
	items map[string]int
}

// newMessageWalk returns the walk of a request of the operation, or of an answer.
func newMessageWalk(op *wsfev1.Operation, answer bool) *messageWalk {
	w := &messageWalk{root: op.Name, depth: 3, shape: op.Request, element: func(int, messageElement) {}, other: func(int, string) {}}
	if answer {
		w.root, w.depth, w.shape = op.Name+"Result", 4, op.Answer
	}
	return w
}

// read walks through a message in UTF-8. What is not well-formed ends it.
func (w *messageWalk) read(text []byte) {
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
		}
	}
}

// between looks at what the scanner has passed over.
func (w *messageWalk) between(at int, text []byte) {
	if i := bytes.Index(text, []byte("<!--")); i >= 0 {
		w.other(at+i, "a comment")
	}
	if i := bytes.Index(text, []byte("<?")); i >= 0 && !bytes.HasPrefix(text[i:], []byte("<?xml ")) {
		w.other(at+i, "a processing instruction")
	}
}

func (w *messageWalk) start() {
	at, depth := w.scan.Offset(), w.scan.Depth()
	name := string(w.scan.Local())
	e := messageElement{}
	switch around := len(w.open) - 1; {
	case depth == w.depth && name == w.root && w.scan.Space() == 0:
		e = messageElement{path: rootPath(w.root, depth), shape: w.shape, known: true}
	case around >= 0 && w.open[around].shape != nil:
		e = w.open[around].child(name, w.scan.Space() == 0)
		w.open[around].count(name)
	case depth == 3 && w.open[1].path == "Header":
		w.other(at, "a block of the Header")
	case depth == 2:
		e.path = name
	}
	w.open = append(w.open, e)
	if e.shape != nil || e.pointer != "" {
		w.element(at, e)
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
func (e *messageElement) child(name string, ours bool) messageElement {
	c := messageElement{pointer: e.pointer + "/" + name, path: e.path + "/" + name}
	i, ok := e.shape.Member([]byte(name))
	if !ok || !ours || e.shape.Kind != wsfev1.KindObject {
		return c
	}
	c.shape, c.known = e.shape.Members[i].Shape, true
	if c.shape.Kind == wsfev1.KindList {
		n := e.items[name]
		c.shape = c.shape.Item
		c.pointer += "/" + strconv.Itoa(n)
		c.path += "[" + strconv.Itoa(n+1) + "]"
	}
	return c
}

func (e *messageElement) count(name string) {
	if e.items == nil {
		e.items = map[string]int{}
	}
	e.items[name]++
}
