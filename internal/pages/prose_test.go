package pages_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sentence is one sentence of a page; a cell of a table or an item of a list ends one too.
type sentence struct {
	file, text string
	words      int
}

var (
	boundary  = regexp.MustCompile(`[.!?]["”)*]*\s+|\s+\|\s+|\n\s*(?:[-*#>|]|\d+\.)\s*|\n\n+`)
	target    = regexp.MustCompile(`\]\([^)]*\)`)
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	generated = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// sentences splits a page. A span of code counts as one word, and so does what it quotes.
func sentences(p page) (all []sentence) {
	text := generated.ReplaceAllString(p.prose(), "")
	text = codeSpan.ReplaceAllString(target.ReplaceAllString(text, "]"), "CODE")
	for _, part := range boundary.Split(text, -1) {
		part = strings.TrimLeft(strings.Join(strings.Fields(part), " "), "|-* ")
		all = append(all, sentence{p.file, part, len(strings.Fields(part))})
	}
	return all
}

// TestProse prints the ten longest sentences and those with two parentheses: run it with -v.
// It fails only where it finds no sentences at all.
func TestProse(t *testing.T) {
	var all []sentence
	for file, p := range pages(t) {
		if strings.HasPrefix(file, "docs/") || file == "README.md" {
			all = append(all, sentences(p)...)
		}
	}
	if len(all) < 1000 {
		t.Fatalf("only %d sentences", len(all))
	}
	slices.SortFunc(all, func(a, b sentence) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(a.file+a.text, b.file+b.text))
	})
	for _, s := range all[:10] {
		t.Logf("%d words: %s: %s", s.words, s.file, s.text)
	}
	for _, s := range all {
		if strings.Count(s.text, "(") > 1 {
			t.Logf("two parentheses: %s: %s", s.file, s.text)
		}
	}
}

// TestTheReadmeIsReadInFiveMinutes: everything else belongs on a page.
func TestTheReadmeIsReadInFiveMinutes(t *testing.T) {
	text := read(t, root+"/README.md")
	if words := len(strings.Fields(text)); words > 900 || len(text) > 7000 {
		t.Errorf("README.md has %d words and %d bytes: 900 and 7000 are the most", words, len(text))
	}
}
