package tree

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/wsfev1"
)

// The bounds of a tree.
const (
	// Window is how many items of a long list are shown.
	Window = 10
	// maxFound is how many items beside these are shown because something was found in them.
	maxFound   = 25
	maxMembers = 100
	maxNodes   = 3000
	maxDepth   = 32
)

// Options say what a tree is made of.
type Options struct {
	// Shape is the shape of the body, nil if it is not known.
	Shape *wsfev1.Shape
	// Prefix keeps the anchors of several trees on a page apart.
	Prefix   string
	Findings []*Finding
	// From is the first item that is shown of a long list, counted from 0. The lists within an item begin at 0.
	From int
	// Words returns the words for a key.
	Words func(key string) string
}

// builder reads one body.
type builder struct {
	Options
	json  *jsontext.Decoder
	nodes int
	// lists is in how many lists the next value is.
	lists int
	// within are the findings by the pointers of their members, and of all around these.
	within map[string][]*Finding
	placed map[*Finding]bool
	anchor int
}

// Build reads a body. It returns an error if the body is not JSON.
func Build(body []byte, o Options) (*Node, error) {
	b := &builder{Options: o, within: map[string][]*Finding{}, placed: map[*Finding]bool{}}
	b.json = jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for _, f := range o.Findings {
		b.expect(f)
	}
	root, err := b.read("", "", o.Shape, 0)
	if err != nil {
		return nil, fmt.Errorf("reading a body: %w", err)
	}
	root.Open = true
	return root, nil
}

// expect notes a finding at its member and at all around it.
func (b *builder) expect(f *Finding) {
	pointer := f.Pointer
	if pointer != "" && pointer[0] != '/' || strings.Count(pointer, "/") > maxDepth {
		pointer = "" // it is about the whole
	}
	b.within[pointer] = append(b.within[pointer], f)
	for pointer != "" {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
		b.within[pointer] = append(b.within[pointer], f)
	}
}

// read reads the next value.
func (b *builder) read(name, pointer string, shape *wsfev1.Shape, depth int) (*Node, error) {
	b.nodes++
	n := &Node{pointer: pointer, Below: len(b.within[pointer]), t: b.Words}
	n.Name, _ = shown(name)
	kind := b.json.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := b.json.ReadValue()
		if err != nil {
			return nil, err
		}
		b.scalar(n, value, shape)
		b.place(n)
		return n, nil
	}
	n.Group = true
	if depth >= maxDepth {
		n.State = Gap
		return n, b.json.SkipValue()
	}
	if _, err := b.json.ReadToken(); err != nil {
		return nil, err
	}
	fill := b.members
	if kind == '[' {
		n.List, fill = true, b.items
	}
	if err := fill(n, shape, depth); err != nil {
		return nil, err
	}
	if _, err := b.json.ReadToken(); err != nil {
		return nil, err
	}
	b.place(n)
	n.Open = n.Below > 0 || depth < 8 && n.Name != "Auth"
	if kind == '{' {
		describe(n)
	}
	return n, nil
}

// members reads the members of an object.
func (b *builder) members(n *Node, shape *wsfev1.Shape, depth int) error {
	left := 0
	for b.json.PeekKind() == '"' {
		token, err := b.json.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		pointer := n.pointer + "/" + escapePointer.Replace(name)
		n.Count++
		if len(pointer) > 4*maxText || (n.Count > maxMembers || b.nodes > maxNodes) && len(b.within[pointer]) == 0 {
			left++
			if err := b.json.SkipValue(); err != nil {
				return err
			}
			continue
		}
		child, err := b.read(name, pointer, memberOf(shape, name), depth+1)
		if err != nil {
			return err
		}
		n.Children = append(n.Children, child)
	}
	b.leave(n, left)
	return nil
}

// items reads the items of a list: all of a short one, else the items in the window, and the ones with
// findings.
func (b *builder) items(n *Node, shape *wsfev1.Shape, depth int) error {
	var item *wsfev1.Shape
	if shape != nil {
		item = shape.Item
	}
	left, found, from := 0, 0, 0
	if b.lists == 0 {
		from = b.From
	}
	b.lists++
	for kind := b.json.PeekKind(); kind != ']' && kind != 0; kind = b.json.PeekKind() {
		i := n.Count
		n.Count++
		pointer := n.pointer + "/" + strconv.Itoa(i)
		within := i >= from && i < from+Window && b.nodes <= maxNodes
		if !within && len(b.within[pointer]) > 0 && found < maxFound {
			within = true
			found++
		}
		if !within {
			left++
			if err := b.json.SkipValue(); err != nil {
				return err
			}
			continue
		}
		b.leave(n, left)
		left = 0
		child, err := b.read(strconv.Itoa(i+1), pointer, item, depth+1)
		if err != nil {
			return err
		}
		n.Children = append(n.Children, child)
	}
	b.lists--
	b.leave(n, left)
	for _, child := range n.Children {
		child.Open = child.Below > 0 || n.Count == 1
	}
	return nil
}

// scalar fills the node of a scalar.
func (b *builder) scalar(n *Node, value jsontext.Value, shape *wsfev1.Shape) {
	text := string(value)
	if value.Kind() == '"' {
		unquoted, _ := jsontext.AppendUnquote(nil, value) // what can be read of it is shown
		text = string(unquoted)
	}
	if len(text) <= maxText {
		n.raw = text
	}
	n.Text, n.Cut = shown(text)
	switch {
	case strings.HasPrefix(text, fingerprint) && (n.Name == "Token" || n.Name == "Sign"):
		n.State = Credential
	case strings.HasPrefix(text, fingerprint):
		n.State = Redacted
	case text == mask.Hidden:
		n.State = Masked
	case shape != nil && shape.Kind == wsfev1.KindAmount && value.Kind() == '0':
		n.amount(text)
	}
}

// memberOf returns the shape of a member, nil if it is not known.
func memberOf(shape *wsfev1.Shape, name string) *wsfev1.Shape {
	if i, ok := shape.Member([]byte(name)); ok {
		return shape.Members[i].Shape
	}
	return nil
}

// The steps of a JSON Pointer.
var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)
