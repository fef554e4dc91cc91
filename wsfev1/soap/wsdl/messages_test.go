package wsdl_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// validator holds documents against the schema: names, order and number of elements.
type validator struct {
	types map[string][]element
	roots map[string][]element
}

func newValidator(t testing.TB) validator {
	t.Helper()
	d := parsed(t)
	v := validator{map[string][]element{}, map[string][]element{}}
	for range 3 { // until every base is there
		for _, c := range d.Types {
			v.types["tns:"+c.Name] = slices.Concat(c.Sequence, v.types[c.Extension.Base], c.Extension.Sequence)
		}
	}
	for _, e := range d.Elements {
		v.roots[e.Name] = e.Sequence.Element
	}
	return v
}

// node is an element of a document.
type node struct {
	name     string
	children []*node
	text     string
}

// read returns the first element of the Body.
func read(t testing.TB, body []byte) *node {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(body))
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local}
			last := open[len(open)-1]
			last.children = append(last.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			open[len(open)-1].text += string(token)
		}
	}
	body1 := root.children[0].children
	return body1[len(body1)-1].children[0]
}

// check returns where a node deviates from a sequence.
func (v validator) check(n *node, sequence []element) (wrong []string) {
	i := 0
	for _, e := range sequence {
		count := 0
		for ; i < len(n.children) && n.children[i].name == e.Name; i++ {
			count++
			if strings.HasPrefix(e.Type, "tns:") {
				wrong = append(wrong, v.check(n.children[i], v.types[e.Type])...)
			} else if len(n.children[i].children) > 0 || e.Type != "s:string" && n.children[i].text == "" {
				wrong = append(wrong, fmt.Sprintf("%s/%s is no %s", n.name, e.Name, e.Type))
			}
		}
		if count < e.Min || count > 1 && e.Max == "1" {
			wrong = append(wrong, fmt.Sprintf("%s has %d of %s", n.name, count, e.Name))
		}
	}
	if i < len(n.children) {
		wrong = append(wrong, fmt.Sprintf("%s has %s at %d", n.name, n.children[i].name, i))
	}
	return wrong
}

func TestMessagesAreAsTheyAreDescribed(t *testing.T) {
	v := newValidator(t)
	for _, op := range wsfev1.Operations {
		request, err := soap.AppendRequest(nil, soap.V11, op, op.NewRequest())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := soap.AppendAnswer(nil, soap.V12, op, op.NewAnswer(), soap.Info{})
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range [][]byte{request, answer} {
			n := read(t, body)
			if wrong := v.check(n, v.roots[n.name]); len(wrong) > 0 || n.name == "" {
				t.Errorf("%s: %v", n.name, wrong)
			}
		}
	}
	names, err := filepath.Glob("../testdata/answers/*.xml")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range append(names, "../testdata/requests/default-namespace.xml") {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := read(t, body)
		if wrong := v.check(n, v.roots[n.name]); len(wrong) > 0 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
	reversed, err := os.ReadFile("../testdata/requests/reversed.xml")
	if err != nil {
		t.Fatal(err)
	}
	if n := read(t, reversed); len(v.check(n, v.roots[n.name])) == 0 {
		t.Error("the validator finds nothing")
	}
}
