package xmlscan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/xmlscan"
)

var known = []string{"urn:a", "urn:b"}

// tokens reads a document and writes its tokens down, adjacent texts as one.
func tokens(document []byte) (string, error) {
	var s xmlscan.Scanner
	s.Reset(document, known)
	var out strings.Builder
	var text []byte
	for {
		kind, err := s.Next()
		if kind != xmlscan.Text && len(text) > 0 {
			fmt.Fprintf(&out, "%q", text)
			text = nil
		}
		if err != nil {
			return out.String(), err
		}
		switch kind {
		case xmlscan.EOF:
			return out.String(), nil
		case xmlscan.Start:
			fmt.Fprintf(&out, "<%d:%s", s.Space(), s.Local())
			for _, a := range s.Attrs() {
				fmt.Fprintf(&out, " %d:%s=%q", a.Space, a.Local, a.AppendValue(nil))
			}
			out.WriteByte('>')
		case xmlscan.End:
			fmt.Fprintf(&out, "</%d:%s>", s.Space(), s.Local())
		case xmlscan.Text:
			text = append(text, s.Text(nil)...)
		}
	}
}

func TestDocumentsAreRead(t *testing.T) {
	for document, want := range map[string]string{
		`<a/>`:                         `<-1:a></-1:a>`,
		"\xEF\xBB\xBF<a/>":             `<-1:a></-1:a>`,
		`<?xml version="1.0"?><a></a>`: `<-1:a></-1:a>`,
		"<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\r\n<a/>\n": `<-1:a></-1:a>`,
		`<a xmlns="urn:a"><b/></a>`:          `<0:a><0:b></0:b></0:a>`,
		`<x:a xmlns:x="urn:a"><b/></x:a>`:    `<0:a><-1:b></-1:b></0:a>`,
		`<x:a xmlns:x="urn:z"><b/></x:a>`:    `<-2:a><-1:b></-1:b></-2:a>`,
		`<a xmlns="urn:a"><b xmlns=""/></a>`: `<0:a><-1:b></-1:b></0:a>`,
		// A prefix is bound anew where it stands, and only there.
		`<x:a xmlns:x="urn:a"><x:b xmlns:x="urn:b"/><x:c/></x:a>`: `<0:a><1:b></1:b><0:c></0:c></0:a>`,
		`<a xmlns:x="&#117;rn:a" x:y="1" y="2"/>`:                 `<-1:a 0:y="1" -1:y="2"></-1:a>`,
		`<a xml:lang="es"/>`:                                      `<-1:a -2:lang="es"></-1:a>`,
		`<a>1<!-- 2 -->3<?p 4?>5</a>`:                             `<-1:a>"135"</-1:a>`,
		`<a><![CDATA[<&amp;]]]]><![CDATA[>]]></a>`:                `<-1:a>"<&amp;]]>"</-1:a>`,
		`<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</a>`:          `<-1:a>"<>&\"'A😀"</-1:a>`,
		"<a>\r\n\r&#13;</a>":                                      `<-1:a>"\n\n\r"</-1:a>`,
		"<a b=\"\r\n\t&#10;'\"/>":                                 `<-1:a -1:b="  \n'"></-1:a>`,
		"<a\n b = '>'\t></a \n>":                                  `<-1:a -1:b=">"></-1:a>`,
		`<!-- a --><?b?><c/><!-- d --><?e f?>`:                    `<-1:c></-1:c>`,
		`<ñandú>á</ñandú>`:                                        `<-1:ñandú>"á"</-1:ñandú>`,
		`<a>]]</a>`:                                               `<-1:a>"]]"</-1:a>`,
	} {
		if got, err := tokens([]byte(document)); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", document, got, err, want)
		}
	}
}

func TestDocumentsAreRefused(t *testing.T) {
	deep := strings.Repeat("<a>", xmlscan.MaxDepth+1)
	for document, want := range map[string]xmlscan.Reason{
		``: xmlscan.Syntax, ` `: xmlscan.Syntax, `a`: xmlscan.Syntax, `<`: xmlscan.Syntax, `<a`: xmlscan.Syntax, `<a>`: xmlscan.Syntax,
		`<a><b></a></b>`: xmlscan.Syntax, `<a></ab>`: xmlscan.Syntax, `<ab></a>`: xmlscan.Syntax, `</a>`: xmlscan.Syntax, `<a></a`: xmlscan.Syntax,
		`<a b></a>`: xmlscan.Syntax, `<a b=c/>`: xmlscan.Syntax, `<a b="<"/>`: xmlscan.Syntax, `<a b="`: xmlscan.Syntax, `<a b="1"c="2"/>`: xmlscan.Syntax,
		`<a b="1" b="2"/>`: xmlscan.Syntax, `<a xmlns:x="urn:a" xmlns:y="urn:a" x:b="1" y:b="2"/>`: xmlscan.Syntax,
		`<a xmlns="1" xmlns="2"/>`: xmlscan.Syntax, `<x:a/>`: xmlscan.Syntax, `<a x:b=""/>`: xmlscan.Syntax, `<a xmlns:x=""/>`: xmlscan.Syntax,
		`<a xmlns:xmlns="urn:a"/>`: xmlscan.Syntax, `<a xmlns:xml="urn:a"/>`: xmlscan.Syntax, `<xmlns:a/>`: xmlscan.Syntax,
		`<a xmlns="http://www.w3.org/XML/1998/namespace"/>`: xmlscan.Syntax,
		`<:a/>`: xmlscan.Syntax, `<a:/>`: xmlscan.Syntax, `<a:b:c/>`: xmlscan.Syntax, `<1a/>`: xmlscan.Syntax, `< a/>`: xmlscan.Syntax, `<a / >`: xmlscan.Syntax,
		`<a>&b;</a>`: xmlscan.Syntax, `<a>&</a>`: xmlscan.Syntax, `<a>&amp</a>`: xmlscan.Syntax, `<a>&#0;</a>`: xmlscan.Syntax, `<a>&#xD800;</a>`: xmlscan.Syntax,
		`<a>&#x110000;</a>`: xmlscan.Syntax, `<a>&#;</a>`: xmlscan.Syntax, `<a>&#x;</a>`: xmlscan.Syntax, `<a>&#X41;</a>`: xmlscan.Syntax, `<a>&#xFFFE;</a>`: xmlscan.Syntax,
		`<a>]]></a>`: xmlscan.Syntax, "<a>\x00</a>": xmlscan.Syntax, "<a>\x1B</a>": xmlscan.Syntax, "<a>\uFFFE</a>": xmlscan.Syntax, "<a b='\x01'/>": xmlscan.Syntax,
		`<a><![CDATA[</a>`: xmlscan.Syntax, "<a><![CDATA[\x02]]></a>": xmlscan.Syntax, `<a><![IGNORE[]]></a>`: xmlscan.Syntax, `<![CDATA[]]><a/>`: xmlscan.Syntax,
		`<a><!-- -- --></a>`: xmlscan.Syntax, `<a><!--></a>`: xmlscan.Syntax, "<a><!--\x03--></a>": xmlscan.Syntax, `<a><?b</a>`: xmlscan.Syntax, `<a><?xml version="1.0"?></a>`: xmlscan.Syntax,
		` <?xml version="1.0"?><a/>`: xmlscan.Syntax, `<?xml version="1.1"?><a/>`: xmlscan.Syntax, `<?xml encoding="utf-8"?><a/>`: xmlscan.Syntax, `<?xml version="1.0" a="b"?><a/>`: xmlscan.Syntax,
		`<?xml version="1.0"`: xmlscan.Syntax, `<?xml version="1.0"encoding="a"?><a/>`: xmlscan.Syntax, `<?xml version=1.0?><a/>`: xmlscan.Syntax,
		`<?xml version="1.0 ?><a/>`: xmlscan.Syntax, `<?xml standalone="no" version="1.0"?><a/>`: xmlscan.Syntax, `<?xml version="1.0" standalone="maybe"?><a/>`: xmlscan.Syntax,
		`<a b="1`: xmlscan.Syntax, `<a b`: xmlscan.Syntax, `<a /`: xmlscan.Syntax, `<a b:="1"/>`: xmlscan.Syntax, `<?`: xmlscan.Syntax, `<a>&#99999999999;</a>`: xmlscan.Syntax,
		`<?XML version="1.0"?><a/>`: xmlscan.Syntax, `<a><?b?c?></a>`: xmlscan.Syntax,
		"<a>\xFF</a>": xmlscan.Bytes, "<a>\xED\xA0\x80</a>": xmlscan.Bytes, "<a>\xC0\x80</a>": xmlscan.Bytes, "<a b='\xE1'/>": xmlscan.Bytes,
		`<a/><b/>`: xmlscan.Trailing, `<a/>b`: xmlscan.Trailing, `<a/>&amp;`: xmlscan.Trailing,
		`<!DOCTYPE a><a/>`: xmlscan.Doctype, `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`: xmlscan.Doctype, `<a/><!DOCTYPE a>`: xmlscan.Doctype,
		deep: xmlscan.Depth,
		`<` + strings.Repeat("a", xmlscan.MaxName+1) + `/>`:                xmlscan.Limit,
		`<a ` + numbered(` b%d="1"`, xmlscan.MaxAttributes+1) + `/>`:       xmlscan.Limit,
		`<a ` + numbered(` xmlns:b%d="c"`, xmlscan.MaxNamespaces+1) + `/>`: xmlscan.Limit,
	} {
		_, err := tokens([]byte(document))
		var refused *xmlscan.Error
		if !errors.As(err, &refused) || refused.Reason != want {
			t.Errorf("%.60s: %v, want reason %d", document, err, want)
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestLimitsThemselvesAreAllowed(t *testing.T) {
	deep := strings.Repeat("<a>", xmlscan.MaxDepth) + strings.Repeat("</a>", xmlscan.MaxDepth)
	for _, document := range []string{
		deep, `<` + strings.Repeat("a", xmlscan.MaxName) + `/>`,
		`<a ` + numbered(` b%d="1"`, xmlscan.MaxAttributes) + numbered(` xmlns:b%d="c"`, xmlscan.MaxNamespaces) + `/>`,
	} {
		if _, err := tokens([]byte(document)); err != nil {
			t.Errorf("%.60s: %v", document, err)
		}
	}
}

func TestValuesAreCompared(t *testing.T) {
	var s xmlscan.Scanner
	s.Reset([]byte(`<a b=" true " c="tr&#117;e" d="true`+strings.Repeat("&amp;", 200)+`"/>`), nil)
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false} {
		if got := s.Attrs()[i].Is("true"); got != want {
			t.Errorf("attribute %d: %v", i, got)
		}
	}
}

func TestAnErrorIsReturnedAgain(t *testing.T) {
	var s xmlscan.Scanner
	s.Reset([]byte(`<a></b>`), nil)
	var first error
	for first == nil {
		_, first = s.Next()
	}
	if kind, err := s.Next(); kind != xmlscan.EOF || !errors.Is(err, first) {
		t.Errorf("%v, %v after %v", kind, err, first)
	}
}

func TestPositionsAreThoseOfTheTokens(t *testing.T) {
	const document = `<a b="1"><c/>xy</a>`
	var s xmlscan.Scanner
	s.Reset([]byte(document), nil)
	for _, want := range []string{`<a b="1">`, `<c/>`, ``, `xy`, `</a>`} {
		if _, err := s.Next(); err != nil || document[s.Offset():s.Pos()] != want {
			t.Errorf("%q, %v; want %q", document[s.Offset():s.Pos()], err, want)
		}
	}
}
