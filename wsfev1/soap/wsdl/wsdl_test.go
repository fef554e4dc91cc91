package wsdl_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
	"github.com/fielato/fielato/wsfev1/soap/wsdl"
)

const address = "https://facturas.example/wsfev1/service.asmx?a=1&b=2"

// element is an element of the schema.
type element struct {
	Name     string `xml:"name,attr"`
	Type     string `xml:"type,attr"`
	Min      int    `xml:"minOccurs,attr"`
	Max      string `xml:"maxOccurs,attr"`
	Sequence struct {
		Element []element `xml:"element"`
	} `xml:"complexType>sequence"`
}

type complexType struct {
	Name      string    `xml:"name,attr"`
	Sequence  []element `xml:"sequence>element"`
	Extension struct {
		Base     string    `xml:"base,attr"`
		Sequence []element `xml:"sequence>element"`
	} `xml:"complexContent>extension"`
}

type named struct {
	Name    string `xml:"name,attr"`
	Message string `xml:"message,attr"`
	Element string `xml:"element,attr"`
}

type description struct {
	Elements []element     `xml:"types>schema>element"`
	Types    []complexType `xml:"types>schema>complexType"`
	Messages []struct {
		named
		Part named `xml:"part"`
	} `xml:"message"`
	Operations []struct {
		named
		Input  named `xml:"input"`
		Output named `xml:"output"`
	} `xml:"portType>operation"`
	Bindings []struct {
		named
		Operations []struct {
			named
			Operation struct {
				Action string `xml:"soapAction,attr"`
			} `xml:"operation"`
		} `xml:"operation"`
	} `xml:"binding"`
	Ports []struct {
		named
		Address struct {
			Location string `xml:"location,attr"`
		} `xml:"address"`
	} `xml:"service>port"`
}

func parsed(t testing.TB) *description {
	t.Helper()
	d := new(description)
	if err := xml.Unmarshal(wsdl.Describe(address), d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryOperationIsDescribed(t *testing.T) {
	d := parsed(t)
	var described []string
	messages := map[string]string{}
	for _, m := range d.Messages {
		messages["tns:"+m.Name] = m.Part.Element
	}
	for _, op := range d.Operations {
		described = append(described, op.Name)
		if messages[op.Input.Message] != "tns:"+op.Name || messages[op.Output.Message] != "tns:"+op.Name+"Response" {
			t.Errorf("%s: %s, %s", op.Name, messages[op.Input.Message], messages[op.Output.Message])
		}
	}
	var want []string
	for _, op := range wsfev1.Operations {
		want = append(want, op.Name)
	}
	slices.Sort(described)
	if slices.Sort(want); !slices.Equal(described, want) {
		t.Errorf("%v, want %v", described, want)
	}
	if len(d.Bindings) != 2 || len(d.Ports) != 2 {
		t.Fatalf("%d bindings, %d ports", len(d.Bindings), len(d.Ports))
	}
	for i, b := range d.Bindings {
		if len(b.Operations) != len(want) || d.Ports[i].Address.Location != address {
			t.Errorf("%s: %d operations at %s", b.Name, len(b.Operations), d.Ports[i].Address.Location)
		}
		for _, op := range b.Operations {
			if op.Operation.Action != soap.ActionPrefix+op.Name {
				t.Errorf("%s: action %s", op.Name, op.Operation.Action)
			}
		}
	}
}

func TestEveryTypeThatIsNamedIsThereOnce(t *testing.T) {
	text := string(wsdl.Describe(address))
	defined := map[string]int{}
	for _, m := range regexp.MustCompile(`<s:complexType name="(\w+)"`).FindAllStringSubmatch(text, -1) {
		defined[m[1]]++
	}
	for name, n := range defined {
		if n != 1 {
			t.Errorf("%s is defined %d times", name, n)
		}
	}
	used := regexp.MustCompile(`(?:type|base)="tns:(\w+)"`).FindAllStringSubmatch(text, -1)
	for _, m := range used {
		if defined[m[1]] == 0 && m[1] != "ServiceSoap" {
			t.Errorf("%s is used and not defined", m[1])
		}
	}
	if len(defined) != 87 || len(used) < 150 {
		t.Errorf("%d types, used %d times", len(defined), len(used))
	}
}

func TestTheAddressStaysWithinItsAttribute(t *testing.T) {
	d := new(description)
	if err := xml.Unmarshal(wsdl.Describe("https://a/\"><x>&\xFF\n"), d); err != nil || d.Ports[0].Address.Location != `https://a/"><x>&` {
		t.Errorf("%v: %q", err, d.Ports[0].Address.Location)
	}
	if !bytes.Equal(wsdl.Describe("a"), wsdl.Describe("a")) {
		t.Error("two descriptions of one address")
	}
}

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
