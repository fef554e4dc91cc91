package members

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/mask/walk"
)

// set gives one member a value.
func set(text, pointer, value string) (string, bool) {
	spot, ok := Find([]byte(text), pointer)[pointer]
	if !ok {
		return text, false
	}
	return string(walk.Apply([]byte(text), []walk.Edit{spot.Edit(value)}, Write)), true
}

func TestAMemberIsRewrittenOrAdded(t *testing.T) {
	for _, test := range []struct{ text, pointer, want string }{
		{`{"a":1,"b":2.50}`, "/b", `{"a":1,"b":7}`},
		{` { "a" : [ {"b":1} , {"b" : 1.0 , "c":3} ] } `, "/a/1/b", ` { "a" : [ {"b":1} , {"b" : 7 , "c":3} ] } `},
		{`{"a/b":{"c~d":1},"a":1}`, "/a~1b/c~0d", `{"a/b":{"c~d":7},"a":1}`},
		{`{"\u0061":{"x":[1]}}`, "/a", `{"\u0061":7}`},
		{"{\n  \"a\": 1,\n  \"b\": 2\n}", "/c", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 7\n}"},
		{"{\n  \"a\": 1\n}", "/c", "{\n  \"a\": 1,\n  \"c\": 7\n}"},
		{`{"a":{}}`, "/a/b~1c", `{"a":{"b/c":7}}`},
		{`{"":1}`, "/", `{"":7}`},
		{`{"a":1,"a":2}`, "/a", ""},
		{`{"a":{"b":1},"a":{}}`, "/a/b", ""},
		{`{"a":{},"a":{}}`, "/a/b", ""},
		{`{"a":1}`, "/a/b", ""},
		{`{"a":[1]}`, "/a/0", ""}, // it is no member
		{`{"a":1`, "/a", ""},
		{`{"a":1}{"a":1}`, "/a", ""},
		{``, "/a", ""},
	} {
		got, ok := set(test.text, test.pointer, "7")
		if test.want == "" && ok || test.want != "" && got != test.want {
			t.Errorf("%s at %s: %s, %v, want %s", test.text, test.pointer, got, ok, test.want)
		}
	}
	both := Find([]byte(`{"o":{}}`), "/o/x", "/o/y")
	if got := string(walk.Apply([]byte(`{"o":{}}`), []walk.Edit{both["/o/x"].Edit("1"), both["/o/y"].Edit("2")}, Write)); got != `{"o":{"x":1,"y":2}}` {
		t.Errorf("two in an empty object: %s", got)
	}
	if !both["/o/x"].Absent() || Find([]byte(`{"o":1}`), "/o")["/o"].Absent() {
		t.Error("what is there is not told from what is not")
	}
}

func TestMembersAreRemoved(t *testing.T) {
	for text, want := range map[string]string{
		`{"Auth":{"T":"x","S":"y","C":1},"b":1}`:            `{"Auth":{"C":1},"b":1}`,
		`{"Auth":{"C":1,"T":"x","S":"y"}}`:                  `{"Auth":{"C":1}}`,
		`{"Auth":{"T":"x","C":1,"S":"y"}}`:                  `{"Auth":{"C":1}}`,
		`{"Auth":{"T":"x","S":"y"}}`:                        `{"Auth":{}}`,
		`{"Auth":{"T":"x","T":"z"}}`:                        `{"Auth":{}}`,
		"{\n \"Auth\": {\n  \"T\": [1],\n  \"C\": 1\n }\n}": "{\n \"Auth\": {\n  \"C\": 1\n }\n}",
		`{"Auth":{"T":"x"},"Auth":{"C":1}}`:                 `{"Auth":{"T":"x"},"Auth":{"C":1}}`,
		`{"auth":{"T":"x"}}`:                                `{"auth":{"T":"x"}}`,
		`{"Auth":"T"}`:                                      `{"Auth":"T"}`,
		`{"Auth":{"T":`:                                     `{"Auth":{"T":`,
		`{"b":{"T":1}}`:                                     `{"b":{"T":1}}`,
	} {
		if got := string(Remove([]byte(text), "/Auth", "T", "S")); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// drawn writes a random value, with random blanks, and returns the pointers of its members.
func drawn(t *rapid.T, at string, depth int, pointers *[]string) string {
	blank := func() string { return rapid.SampledFrom([]string{"", " ", "\n  ", "\t", "\r\n"}).Draw(t, "blank") }
	kind := rapid.IntRange(0, 3).Draw(t, "kind")
	if depth == 0 || kind == 0 {
		return rapid.SampledFrom([]string{`1.50`, `"x/~\u0000\""`, `null`, `-0e+1`, `"{"`}).Draw(t, "scalar")
	}
	var parts []string
	n := rapid.IntRange(0, 3).Draw(t, "n")
	for i := range n {
		if kind == 1 {
			parts = append(parts, blank()+drawn(t, at+"/"+strconv.Itoa(i), depth-1, pointers)+blank())
			continue
		}
		name := []string{"a", "b/c", "d~e", "~1", ""}[i]
		pointer := at + "/" + escape.Replace(name)
		*pointers = append(*pointers, pointer)
		quoted, _ := jsontext.AppendQuote(nil, name)
		parts = append(parts, blank()+string(quoted)+blank()+":"+blank()+drawn(t, pointer, depth-1, pointers)+blank())
	}
	if kind == 1 {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "{" + strings.Join(parts, ",") + blank() + "}"
}

// TestNothingElseChanges, whatever the text is: the rewritten text differs in the one value, also as package json
// reads it.
func TestNothingElseChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pointers []string
		text := drawn(t, "", 3, &pointers)
		if len(pointers) == 0 {
			return
		}
		pointer := rapid.SampledFrom(pointers).Draw(t, "pointer")
		got, ok := set(text, pointer, "12345678901234567.25")
		if !ok {
			t.Fatalf("%s is not found in %s", pointer, text)
		}
		before, after, _ := strings.Cut(got, "12345678901234567.25")
		if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) || len(before)+len(after) > len(text) {
			t.Fatalf("%s became %s", text, got)
		}
		was := text[len(before) : len(text)-len(after)]
		if back, ok := set(got, pointer, was); !ok || back != text {
			t.Fatalf("%s is not undone in %s: %s", pointer, got, back)
		}
		if value := valueAt(t, got, pointer); value != "12345678901234567.25" {
			t.Fatalf("%s has %s in %s", pointer, value, got)
		}
	})
}

// valueAt reads a value as package json finds it.
func valueAt(t *rapid.T, text, pointer string) string {
	at := jsontext.Value(text)
	for step := range strings.SplitSeq(pointer[1:], "/") {
		var items []jsontext.Value
		if json.Unmarshal(at, &items) == nil {
			i, err := strconv.Atoi(step)
			if err != nil {
				t.Fatal(err)
			}
			at = items[i]
			continue
		}
		var object map[string]jsontext.Value
		if err := json.Unmarshal(at, &object); err != nil {
			t.Fatal(err)
		}
		at = object[unescape.Replace(step)]
	}
	return strings.TrimSpace(string(at))
}

// TestALotIsOnePass: a member of each of many items is found as quickly as all are read.
func TestALotIsOnePass(t *testing.T) {
	var items, pointers []string
	for i := range 2000 {
		items = append(items, fmt.Sprintf(`{"x":%d,"y":"%d"}`, i, rand.N(100)))
		pointers = append(pointers, fmt.Sprintf("/l/%d/x", i))
	}
	text := []byte(`{"l":[` + strings.Join(items, ",") + `]}`)
	var edits []walk.Edit
	spots := Find(text, pointers...)
	for _, pointer := range pointers {
		edits = append(edits, spots[pointer].Edit("7"))
	}
	slices.SortStableFunc(edits, func(a, b walk.Edit) int { return a.From - b.From })
	if got := strings.Count(string(walk.Apply(text, edits, Write)), `{"x":7,`); got != 2000 {
		t.Errorf("%d are rewritten", got)
	}
}
