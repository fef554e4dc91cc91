package mask_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/internal/mask/masktest"
	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// aDocument is one that each document has, beside any others.
const aDocument = "22333444"

// words are the words of documents that may quote a document.
var words = masktest.Words{
	Names: masktest.Names, Texts: slices.Concat(masktest.Texts, []string{"ab", "AB 778899"}),
	Attribute: aDocument, Comment: "20222222223",
	Forms: []func(string) string{
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		func(s string) string { return hex.EncodeToString([]byte(s)) },
		func(s string) string { return strings.Join(strings.Split(s, ""), ".") },
		url.QueryEscape,
	},
	List: func(c *masktest.Choices) string {
		return strings.TrimSuffix(strings.Repeat(aDocument+",", 1+c.N(100)%3), ",")
	},
}

// freeTexts are members whose texts are no numbers or codes of their own.
var freeTexts = []string{"Msg", "x", "b", "Otro", "Desc"}

// leaks are the texts in which a document is shown. Its place is the name of a member.
type leaks struct{ all []string }

func (l *leaks) look(place, text string) {
	if slices.Contains(freeTexts, place) && strings.Contains(text, aDocument) {
		l.all = append(l.all, place+": "+text)
	}
}

func (l *leaks) Name(_ string, name walk.Piece) (string, bool) {
	l.look("x", string(name.Text()))
	return string(name.Text()), false
}
func (l *leaks) Items(place string) string            { return place }
func (l *leaks) Value(place string, value walk.Piece) { l.look(place, string(value.Raw)) }

func (l *leaks) Between(int, int) bool { return true }
func (l *leaks) Start(_ *string, s *xmlscan.Scanner) (string, bool) {
	for _, a := range s.Attrs() {
		l.look("x", string(a.AppendValue(nil)))
	}
	return string(s.Local()), true
}

func (l *leaks) Text(in *string, s *xmlscan.Scanner) bool {
	l.look(*in, string(s.Text(nil)))
	return true
}
func (l *leaks) End(_, _ *string, _ *xmlscan.Scanner) bool { return true }

// hidesADocument checks that a body or a message, as it is shown, has no document in a name or a text. A body
// can be read again, and a message unless Hidden stands in a tag.
func hidesADocument(t interface {
	Helper()
	Fatalf(string, ...any)
}, data, raw []byte,
) {
	t.Helper()
	c := &masktest.Choices{Data: data, Words: &words}
	r := &audit.Record{Cuit: wsfev1.CUIT([]int64{20111111112, 0, 20222222223}[c.N(3)]), Client: &audit.Leg{Form: audit.FormJSON}}
	if c.N(3) == 0 {
		r.Findings = []audit.Finding{{Code: "shape.kind", Pointer: "/" + c.Of(words.Names)}}
	}
	isXML := c.N(2) == 0
	if isXML {
		c.Message()
	} else {
		c.Object()
	}
	body := c.Broken()
	if raw != nil {
		body, isXML = raw, bytes.HasPrefix(bytes.TrimLeft(raw, " \ufeff"), []byte("<"))
	}
	var shown leaks
	if isXML {
		body = bytes.Replace(body, []byte("</e>"), []byte("<DocNro>"+aDocument+"</DocNro></e>"), 1)
		if !bytes.Contains(body, []byte("<DocNro>"+aDocument+"</DocNro></e>")) {
			return
		}
		r.Client.Form, r.Client.Request = audit.FormSOAP11, body
		text, _ := mask.Of(r.Cuit, r).XML(body, "")
		walk.XML([]byte(text), &shown)
	} else {
		r.Request = append([]byte(`{"DocNro":"`+aDocument+`"}`), body...)
		text, ok := mask.Of(r.Cuit, r).JSON(body)
		if ok && !walk.JSON(text, math.MaxInt, "", &shown) {
			t.Fatalf("%q is shown as %q, which is no JSON", body, text)
		}
	}
	if len(shown.all) > 0 {
		t.Fatalf("of %q is shown %q", body, shown.all)
	}
}

// TestNoTextShowsADocument, of documents of any kind, also of broken ones.
func TestNoTextShowsADocument(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range testrun.Size(t, 500, 20_000) {
		data := make([]byte, 40+random.IntN(900))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		hidesADocument(t, data, nil)
	}
}

// FuzzDocuments is that test for choices, or for a body itself.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{`{"Msg":["22.333.444 y 22333444"]}`, `<e><Msg a="b">22333444<!--c--></Msg></e>`, `{"x":"MjIzMzM0NDQ="}`, `{"22333444":1234}{"DocNro":2345}`} {
		f.Add([]byte("0123456789"), []byte(seed))
	}
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), []byte(nil))
	f.Fuzz(func(t *testing.T, data, raw []byte) {
		if len(raw) == 0 {
			raw = nil
		}
		hidesADocument(t, data, raw)
	})
}
