package fielato_test

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// vague are words of comments that point at a thing in place of naming it.
var vague = map[string]*regexp.Regexp{
	"that of, those of":  regexp.MustCompile(`(?i)\b(that|those) of\b`),
	"what is, what the…": regexp.MustCompile(`\b[Ww]hat (is|the)\b`),
}

// TestCommentsNameTheThing: in a thousand lines of comments, each kind of vague words stands less than once.
func TestCommentsNameTheThing(t *testing.T) {
	lines, found := 0, map[string][]string{}
	for _, s := range sources(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, s.file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			lines += strings.Count(group.Text(), "\n")
			for _, comment := range group.List {
				for kind, words := range vague {
					if words.MatchString(comment.Text) {
						found[kind] = append(found[kind], set.Position(comment.Pos()).String()+": "+comment.Text)
					}
				}
			}
		}
	}
	for kind, places := range found {
		if len(places)*1000 >= lines {
			t.Errorf("%s: %d times in %d lines of comments:\n%s", kind, len(places), lines, strings.Join(places[:min(20, len(places))], "\n"))
		}
	}
	if lines < 10_000 {
		t.Errorf("only %d lines of comments were looked at", lines)
	}
}
