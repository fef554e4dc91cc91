package xmlscan_test

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fielato/fielato/internal/xmlscan"
)

var seeds = []string{
	`<?xml version="1.0" encoding="utf-8"?><s:E xmlns:s="urn:a"><s:B><F xmlns="urn:b"><T>x&amp;y</T><N>1</N></F></s:B></s:E>`,
	"<a b='c' xmlns:d=\"urn:a\" d:e='&#10;'>\r\n<![CDATA[<&]]>]]&gt;<!-- f --><?g h?></a>",
	`<a xmlns="urn:a"><b xmlns=""/><c xml:lang="es"/></a>`,
	`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, "<ñ>\u00e1\uFFFD</ñ>", "<a b='&#10;\r'/>", `<a></a><b/>`, `<a>1<!-- 2 -->3<?p 4?>5</a>`, "\xEF\xBB\xBF<a/>", "<a>\x00\xFF</a>",
}

// FuzzScanner holds the scanner against package xml: where both read a document they read the
// same, and a document of ASCII that the scanner accepts is one that package xml accepts too.
func FuzzScanner(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		given := bytes.Clone(document)
		ours, err := tokens(document)
		if !bytes.Equal(given, document) {
			t.Fatal("the document was changed")
		}
		var refused *xmlscan.Error
		if err != nil && (!errors.As(err, &refused) || refused.Offset < 0 || refused.Offset > len(document)) {
			t.Fatalf("error %#v", err)
		}
		theirs, other := tokensOf(document)
		switch {
		case err == nil && other != nil && isASCII(document):
			t.Fatalf("accepted: %q, which package xml does not: %v", document, other)
		case err == nil && other == nil && blanks.Replace(ours) != blanks.Replace(theirs):
			t.Fatalf("%q reads as\n%s\nwant\n%s", document, ours, theirs)
		}
	})
}

// blanks takes white space for blanks: package xml leaves it as it is in values.
var blanks = strings.NewReplacer(`\n`, " ", `\r`, " ", `\t`, " ")

func isASCII(document []byte) bool {
	return bytes.IndexFunc(document, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// tokensOf is tokens by package xml.
func tokensOf(document []byte) (string, error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(document, []byte("\xEF\xBB\xBF"))))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var out strings.Builder
	var text []byte
	for depth := 0; ; {
		token, err := d.Token()
		switch token.(type) {
		case xml.CharData, xml.Comment, xml.ProcInst: // a text goes on behind a comment
		default:
			if len(text) > 0 {
				fmt.Fprintf(&out, "%q", text)
				text = nil
			}
		}
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			fmt.Fprintf(&out, "<%d:%s", spaceOf(token.Name.Space), token.Name.Local)
			for _, a := range token.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					fmt.Fprintf(&out, " %d:%s=%q", spaceOf(a.Name.Space), a.Name.Local, a.Value)
				}
			}
			out.WriteByte('>')
		case xml.EndElement:
			depth--
			fmt.Fprintf(&out, "</%d:%s>", spaceOf(token.Name.Space), token.Name.Local)
		case xml.CharData:
			if depth > 0 {
				text = append(text, token...)
			}
		}
	}
}

func spaceOf(uri string) int {
	switch uri {
	case "":
		return xmlscan.NoSpace
	case known[0]:
		return 0
	case known[1]:
		return 1
	}
	return xmlscan.OtherSpace
}

// FuzzCharset decodes bytes that are no body, and finds each place of the text in them.
func FuzzCharset(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed), "utf-8")
		f.Add([]byte(seed), "iso-8859-1")
		f.Add(wide(binary.BigEndian, seed), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		text, encoding, err := xmlscan.Decode(body, charset)
		if err != nil {
			return
		}
		if len(text) > 3*len(body) {
			t.Fatalf("%d bytes became %d", len(body), len(text))
		}
		places := xmlscan.NewPlaces(text, encoding)
		last := 0
		for i := range text {
			at := places.At(i)
			if at < last || at > len(body) {
				t.Fatalf("%d lies at %d after %d of %d", i, at, last, len(body))
			}
			last = at
		}
		if end := places.At(len(text)); end != len(body) {
			t.Fatalf("the text ends at %d of %d", end, len(body))
		}
	})
}
