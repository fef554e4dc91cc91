package walk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/xmlscan"
)

// tokens writes down the tokens of a message with their places, and ends the walk at an element of a name.
type tokens struct {
	text []byte
	ends string
	all  []string
}

func (n *tokens) add(what string, in *string, from, to int) bool {
	place := "-"
	if in != nil {
		place = *in
	}
	n.all = append(n.all, fmt.Sprintf("%s %s %s", what, place, n.text[from:to]))
	return true
}

func (n *tokens) Between(from, to int) bool { return n.add("between", nil, from, to) }

func (n *tokens) Start(in *string, s *xmlscan.Scanner) (string, bool) {
	n.add("start", in, s.Offset(), s.Pos())
	return string(s.Local()), string(s.Local()) != n.ends
}

func (n *tokens) Text(in *string, s *xmlscan.Scanner) bool {
	return n.add("text", in, s.Offset(), s.Pos())
}

func (n *tokens) End(of, in *string, s *xmlscan.Scanner) bool {
	return n.add("end of "+*of, in, s.Offset(), s.Pos())
}

func TestTokensHavePlaces(t *testing.T) {
	for _, test := range []struct {
		message, ends string
		ok            bool
		want          []string
	}{
		{`<?xml version="1.0"?><a><b>x<!--y--><![CDATA[z]]></b><c/></a> `, "", true, []string{
			`between - <?xml version="1.0"?>`, "start - <a>", "start a <b>", "text b x", "between - <!--y-->", "text b <![CDATA[z]]>", "end of b a </b>", "start a <c/>", "end of c a ", "end of a - </a>", "between -  ",
		}},
		{`<a>x<b></a>`, "", false, []string{"start - <a>", "text a x", "start a <b>"}},
		{`<a><b>x</b></a>`, "b", false, []string{"start - <a>", "start a <b>"}},
		{``, "", false, nil},
	} {
		n := tokens{text: []byte(test.message), ends: test.ends}
		if ok := walk.XML(n.text, &n); ok != test.ok || !slices.Equal(n.all, test.want) {
			t.Errorf("%s: %v, %q, want %q", test.message, ok, n.all, test.want)
		}
	}
}

func TestEditsAreApplied(t *testing.T) {
	document := []byte("abcdef")
	quoted := func(out, text []byte) []byte { return append(append(append(out, '<'), text...), '>') }
	if got := walk.Apply(document, []walk.Edit{{From: 0, To: 1, Text: []byte("1")}, {From: 3, To: 3}, {From: 5, To: 6, Text: []byte("long")}}, quoted); string(got) != "<1>bc<>de<long>" || string(document) != "abcdef" {
		t.Errorf("%s of %s", got, document)
	}
	if got := walk.Apply(document, nil, quoted); &got[0] != &document[0] {
		t.Errorf("without edits: %s", got)
	}
}
