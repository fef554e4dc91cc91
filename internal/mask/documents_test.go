package mask_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/mask/masktest"
	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/xmlscan"
)

// textsOfMessage are the names and texts of a message, its attributes, and what stands between its tokens.
type textsOfMessage struct {
	message []byte
	all     []string
}

func (m *textsOfMessage) Between(from, to int) bool {
	m.all = append(m.all, string(m.message[from:to]))
	return true
}

func (m *textsOfMessage) Start(_ *[]byte, s *xmlscan.Scanner) ([]byte, bool) {
	m.all = append(m.all, string(s.Local()))
	for _, a := range s.Attrs() {
		m.all = append(m.all, string(a.AppendValue(nil)))
	}
	return nil, true
}

func (m *textsOfMessage) Text(in *[]byte, s *xmlscan.Scanner) bool {
	*in = append(*in, s.Text(nil)...)
	return true
}

func (m *textsOfMessage) End(of, _ *[]byte, _ *xmlscan.Scanner) bool {
	m.all = append(m.all, string(*of))
	return true
}

// textsOfBody are the names and texts of a body.
type textsOfBody struct{ names, all []string }

func (b *textsOfBody) Name(_ bool, name walk.Piece) (bool, bool) {
	b.names = append(b.names, string(name.Text()))
	return false, false
}
func (b *textsOfBody) Items(bool) bool { return false }
func (b *textsOfBody) Value(_ bool, value walk.Piece) {
	if value.Raw.Kind() == '"' {
		b.all = append(b.all, string(value.Text()))
	}
}

// holdsNothing checks that a document is readable after something in it was hidden, and that none of its texts holds
// a part of a credential or quotes a field.
func holdsNothing(t interface {
	Helper()
	Fatalf(string, ...any)
}, data, raw []byte,
) {
	t.Helper()
	c := &masktest.Choices{Data: data, Words: &words}
	fields, err := mask.NewFields(someFields[c.N(len(someFields))])
	if err != nil {
		t.Fatalf("%v", err)
	}
	credentials, request, isXML := someCredentials(c), c.N(2) == 0, c.N(2) == 0
	if isXML {
		c.Message()
	} else {
		c.Object()
	}
	body := c.Broken()
	if raw != nil {
		body, isXML = raw, bytes.HasPrefix(bytes.TrimLeft(raw, " \ufeff"), []byte("<"))
	}
	before, m, looked := bytes.Clone(body), redactor().Mask(fields), redactor().Credentials(credentials...)
	check := func(how string, kept []byte, ok bool) {
		t.Helper()
		if !bytes.Equal(body, before) {
			t.Fatalf("%s: %q was changed", how, before)
		}
		if !ok {
			return
		}
		var texts, names []string
		if isXML {
			text, _, err := xmlscan.Decode(kept, "")
			of := textsOfMessage{message: text}
			if ok = err == nil && walk.XML(text, &of); ok {
				texts = of.all
			}
		} else {
			var of textsOfBody
			ok = walk.JSON(kept, 1, false, &of) && jsontext.Value(kept).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
			texts, names = of.all, of.names
		}
		if !ok {
			t.Fatalf("%s: of %q is kept what cannot be read: %q", how, body, kept)
		}
		for _, text := range append(texts, names...) {
			if looked.In(text) {
				t.Fatalf("%s: of %q is kept %q, which holds a credential", how, body, text)
			}
		}
		for _, text := range texts {
			if !isXML && m.Text(text) != text && how != "no fields" {
				t.Fatalf("%s: of %q is kept %q, which quotes a field", how, body, text)
			}
		}
	}
	if isXML {
		kept, ok := m.XML(body, "", request, credentials...)
		check("XML", kept, ok)
		return
	}
	kept, ok := m.Body(body, false, credentials...)
	check("a body", kept, ok)
	kept, ok = m.Malformed(body, credentials...)
	check("malformed", kept, ok)
	kept, ok = looked.Document(body)
	check("no fields", kept, ok)
}

// TestNoTextOfWhatIsKeptHoldsAnythingHidden, of documents of any kind, also of broken ones.
func TestNoTextOfWhatIsKeptHoldsAnythingHidden(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range testrun.Whole(t, 1000, 20_000) {
		data := make([]byte, 40+random.IntN(900))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		holdsNothing(t, data, nil)
	}
}

// FuzzDocuments is that test for choices, or for a body itself.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{`{"Auth":{"Token":"t","Sign":"s","Cuit":1},"Msg":[1,2,"$"]}`, `<e><Auth><Token>t</Token></Auth><Msg a="b">$<!--c--></Msg></e>`, `{"DocNro":[1.`, `{"DocNro":22333444,"x":"22.333.444"}`} {
		f.Add([]byte("0123456789"), []byte(seed))
	}
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), []byte(nil))
	f.Fuzz(func(t *testing.T, data, raw []byte) {
		if len(raw) == 0 {
			raw = nil
		}
		holdsNothing(t, data, bytes.ReplaceAll(raw, []byte("$"), []byte(ticketSign[:30])))
	})
}

// TestALotIsKeptButForItsCredentials, and nothing of it where a text echoes one.
func TestALotIsKeptButForItsCredentials(t *testing.T) {
	for _, soap := range []bool{false, true} {
		request, answer := lotOf(30, soap)
		for _, echo := range []string{"", ticketSign[10:40], "no vale: " + ticketToken[:40]} {
			for _, body := range []string{request, answer} {
				sent := strings.ReplaceAll(strings.ReplaceAll(body, "PES", "PES"+echo), `"N"`, `"N`+echo+`"`)
				sent = strings.ReplaceAll(sent, ">N<", ">N"+echo+"<")
				want := sent
				for _, text := range []string{"PES" + echo, "N" + echo, ticketToken, ticketSign} {
					if len(text) < len("PES ") {
						continue
					}
					fingerprint := redactor().Fingerprint([]byte(text))
					want = strings.NewReplacer(`"`+text+`"`, `"`+fingerprint+`"`, ">"+text+"<", ">"+fingerprint+"<").Replace(want)
				}
				var got []byte
				var ok bool
				if soap {
					got, ok = redactor().Mask(nil).XML([]byte(sent), "utf-8", body == request, ticketToken, ticketSign)
				} else {
					got, ok = redactor().Mask(nil).Body([]byte(sent), true, ticketToken, ticketSign)
				}
				if !ok || string(got) != want {
					t.Errorf("%v: %.300s\nwant %.300s", ok, got, want)
				}
			}
		}
	}
}
