package walk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/mask/walk"
)

// noted writes down the pieces of a body with their places, the names on the way to them.
type noted struct {
	whole  string // the value of a member of this name is one piece
	pieces []string
}

func (n *noted) Name(in string, name walk.Piece) (string, bool) {
	n.pieces = append(n.pieces, fmt.Sprintf("%s %d-%d %s:", in, name.From, name.To(), name.Text()))
	return in + "/" + string(name.Text()), n.whole != "" && string(name.Text()) == n.whole
}

func (n *noted) Items(list string) string { return list + "[]" }

func (n *noted) Value(at string, value walk.Piece) {
	text := string(value.Raw)
	if value.Raw.Kind() == '"' {
		text = string(value.Text())
	}
	n.pieces = append(n.pieces, fmt.Sprintf("%s %d-%d %s", at, value.From, value.To(), text))
}

func TestPiecesHavePlaces(t *testing.T) {
	n := noted{whole: "w"}
	body := `{"a":1, "b":[true,{"c":"\u0041\\"}] ,"w":{"x":["]"]},"":null}`
	if !walk.JSON([]byte(body), 1, "$", &n) {
		t.Error("it is JSON")
	}
	want := []string{
		`$ 1-4 a:`, `$/a 5-6 1`, `$ 8-11 b:`, `$/b[] 13-17 true`, `$/b[] 19-22 c:`, `$/b[]/c 23-33 A\`, `$ 37-40 w:`, `$/w 41-52 {"x":["]"]}`, `$ 53-55 :`, `$/ 56-60 null`,
	}
	if !slices.Equal(n.pieces, want) {
		t.Errorf("%q, want %q", n.pieces, want)
	}
}

func TestABodyHasSoManyValues(t *testing.T) {
	for _, test := range []struct {
		body string
		most int
		ok   bool
		told int
	}{
		{`1`, 1, true, 1},
		{` 1 `, 1, true, 1},
		{``, 1, false, 0},
		{` `, 1, false, 0},
		{`1 2`, 1, false, 1},
		{`1 x`, 1, false, 1},
		{``, math.MaxInt, true, 0},
		{`1 "2"{}`, math.MaxInt, true, 2},
		{`truefalse`, math.MaxInt, true, 2},
		{`1 2 x`, math.MaxInt, false, 2},
		{`[1,2`, 1, false, 2},
		{`[1,2,"`, 1, false, 2},
		{`{"a":1,"b`, 1, false, 2},
		{`[tru`, 1, false, 0},
		{`[1.`, 1, false, 0},
		{`{"a" 1}`, 1, false, 1},
		{`{1:2}`, 1, false, 0},
		{`[1]]`, 1, false, 1},
		{strings.Repeat("[", 200_000), 1, false, 0},
	} {
		var n noted
		if ok := walk.JSON([]byte(test.body), test.most, "", &n); ok != test.ok || len(n.pieces) != test.told {
			t.Errorf("%.20s, %d: %v, %q", test.body, test.most, ok, n.pieces)
		}
	}
}

// decoded returns what a decoder reads of a body up to a mistake: names and scalars with their places.
func decoded(body []byte) (pieces []string, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		switch d.PeekKind() {
		case '{', '[', '}', ']':
			if _, err := d.ReadToken(); err != nil {
				return pieces, false
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			return pieces, errors.Is(err, io.EOF)
		}
		pieces = append(pieces, fmt.Sprintf("%d %s", int(d.InputOffset())-len(value), value))
	}
}

// raws are the pieces as they are written.
type raws struct{ pieces []string }

func (r *raws) Name(_ bool, name walk.Piece) (bool, bool) { r.Value(false, name); return false, false }
func (r *raws) Items(bool) bool                           { return false }
func (r *raws) Value(_ bool, value walk.Piece) {
	r.pieces = append(r.pieces, fmt.Sprintf("%d %s", value.From, value.Raw))
}

func asADecoder(t interface{ Fatalf(string, ...any) }, body []byte) {
	var r raws
	ok := walk.JSON(body, math.MaxInt, false, &r)
	if want, wantOK := decoded(body); ok != wantOK || !slices.Equal(r.pieces, want) {
		t.Fatalf("%q: %v, %q, a decoder: %v, %q", body, ok, r.pieces, wantOK, want)
	}
}

// TestThePiecesAreThoseOfADecoder, of any body up to its first mistake.
func TestThePiecesAreThoseOfADecoder(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"{", "}", "[", "]", ",", ":", " ", `"a"`, `"`, `\`, `"\\"`, `"\""`, `"\u0041`, "1", "-", "0.5", "1e3", ".", "e", "+", "true", "fals", "null", "\xff", "\x00", "é", `{"a":`, `":`, "\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		asADecoder(t, []byte(strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "body"), "")))
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b",{"c":null}]}`, `[1.`, `{"a" 1}`, `[1,]`, `{1:2}`, `01`, `1-2`, `"\"`, `truetrue`, "{\"\xff\":\"\\ud800\"}", `[{"a":1}`, `[[]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { asADecoder(t, body) })
}
