package wsdl_test

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"slices"
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
