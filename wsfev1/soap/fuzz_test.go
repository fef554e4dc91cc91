package soap_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// hostileBodies are what no client of good will sends.
var hostileBodies = []string{
	`<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;&b;</x>`, `<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>`,
	`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/></s:Body></s:Envelope>`,
	`<?xml-stylesheet href="x"?><a/>`, strings.Repeat("<a>", 100), `<a ` + strings.Repeat("b='' ", 100) + `/>`, "<" + strings.Repeat("a", 1000) + "/>",
	`<a><![CDATA[`, "<a>\x00</a>", "<a>\xC3</a>", "<a>\xED\xA0\x80</a>", "\xFF\xFE<\x00a\x00", `<?xml version="1.0" encoding="utf-16"?><a/>`, `<a>&#xD800;&#0;</a>`,
}

func seed(f *testing.F) {
	for _, body := range files(f, "requests") {
		f.Add(body, "utf-8")
	}
	for _, body := range files(f, "answers") {
		f.Add(body, "")
	}
	for _, body := range hostileBodies {
		f.Add([]byte(body), "iso-8859-1")
	}
}

// FuzzDecode reads texts that are no requests. A text that it accepts travels on and reads the same,
// and it has the texts that package xml reads.
func FuzzDecode(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte, charset string) { checkRequest(t, body, charset) })
}

func checkRequest(t *testing.T, body []byte, charset string) {
	t.Helper()
	given := bytes.Clone(body)
	e, err := soap.Open(body, charset)
	if err != nil {
		var refused *soap.Error
		if !errors.As(err, &refused) {
			t.Fatalf("error %#v", err)
		}
		_, _, _ = refused.Fault()
		return
	}
	op, err := e.Route("")
	if err != nil {
		return
	}
	req := e.Decode(op)
	if !bytes.Equal(given, body) {
		t.Fatal("the body was changed")
	}
	if len(req.Findings) > 0 {
		_, _, _ = soap.Malformed(req.Findings)
		return
	}
	wire, err := soap.AppendRequest(nil, e.Version, op, req.Body)
	if err != nil {
		t.Fatal(err)
	}
	again := read(t, wire)
	if len(again.Findings) > 0 || meaning(t, again.Body) != meaning(t, req.Body) {
		t.Fatalf("%q is sent as\n%s", body, wire)
	}
	if left := again.Ambiguous; left != 0 && (left != soap.ConstructNumber || req.Ambiguous&left == 0) { // a double with more digits than others may keep
		t.Fatalf("%q is sent as\n%s\nwhich has %v", body, wire, left)
	}
	if want, ok := textsOf(body); ok && len(req.Ignored) == 0 {
		if got, _ := textsOf(wire); !slices.Equal(got, want) {
			t.Fatalf("%q has the texts\n%q\nand is sent with\n%q", body, want, got)
		}
	}
}

// textsOf returns the texts of a body's elements as package xml reads them, sorted by their
// names: numbers by their value, without texts that are empty or 0. It reports false for a body that
// package xml does not read.
func textsOf(body []byte) ([]string, bool) {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errors.New("another encoding") }
	var all, names, texts []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			slices.Sort(all)
			return all, true
		}
		if err != nil {
			return nil, false
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "Header" {
				return nil, false
			}
			names, texts = append(names, token.Name.Local), append(texts, "")
		case xml.CharData:
			if len(texts) > 0 {
				texts[len(texts)-1] += string(token)
			}
		case xml.EndElement:
			last := len(names) - 1
			text := texts[last]
			if number, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
				text = fmt.Sprint(number)
			}
			if text == "0" {
				text = "" // what a number that is absent reads as
			}
			if strings.TrimSpace(text) != "" {
				all = append(all, names[last]+"="+text)
			}
			names, texts = names[:last], texts[:last]
		}
	}
}

// FuzzParse reads texts that are no answers. A text that it accepts is written again and reads the same.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		for _, op := range wsfev1.Operations {
			answer, err := soap.Parse(op, body, charset)
			if err != nil || len(answer.Findings) > 0 {
				continue
			}
			if answer.Fault != nil {
				soap.AppendFault(nil, answer.Version, *answer.Fault)
				continue
			}
			wire, err := soap.AppendAnswer(nil, answer.Version, op, answer.Body, answer.Info)
			if err != nil {
				t.Fatal(err)
			}
			again, err := soap.Parse(op, wire, "")
			if err != nil || len(again.Findings) > 0 {
				t.Fatalf("%v, %q is written as\n%s", err, body, wire)
			}
			more, err := soap.AppendAnswer(nil, again.Version, op, again.Body, again.Info)
			if err != nil || !bytes.Equal(more, wire) {
				t.Fatalf("%v, %q is written as\n%s\nand then as\n%s", err, body, wire, more)
			}
		}
	})
}
