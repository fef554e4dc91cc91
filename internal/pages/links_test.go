package pages_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const root = "../.."

// page is a Markdown file of the repository; file is its path from the root, and anchors are its headings, as
// links name them.
type page struct {
	file, text string
	anchors    []string
}

var (
	fence   = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```$")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// walk calls visit with each text file of the repository and its path from the root.
func walk(t *testing.T, visit func(file, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "testdata", "data", "node_modules"}, entry.Name()):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		relative, err := filepath.Rel(root, file)
		visit(filepath.ToSlash(relative), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// pages are all Markdown files, by their paths from the root.
func pages(t *testing.T) map[string]page {
	t.Helper()
	all := map[string]page{}
	walk(t, func(file, text string) {
		if filepath.Ext(file) == ".md" {
			p := page{file: file, text: text}
			p.anchors = p.headings()
			all[file] = p
		}
	})
	if len(all) < 10 {
		t.Fatalf("only %d pages", len(all))
	}
	return all
}

// prose is the text of a page without its blocks of code.
func (p page) prose() string { return fence.ReplaceAllString(p.text, "") }

// headings returns the anchors of a page: a heading that comes again has its number after it.
func (p page) headings() (all []string) {
	for _, found := range heading.FindAllStringSubmatch(p.prose(), -1) {
		title := link.ReplaceAllString(found[1], "]")
		anchor := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
		name := anchor
		for n := 1; slices.Contains(all, name); n++ {
			name = anchor + "-" + strconv.Itoa(n)
		}
		all = append(all, name)
	}
	return all
}

// leads reports an error of t if a link leads nowhere. target is a path from the root.
func leads(t *testing.T, all map[string]page, from, target, anchor string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, target)); err != nil {
		t.Errorf("%s: %s: %v", from, target, err)
		return
	}
	if p, isPage := all[target]; anchor != "" && (!isPage || !slices.Contains(p.anchors, anchor)) {
		t.Errorf("%s: %s#%s: no such heading", from, target, anchor)
	}
}

// TestLinksInThePagesLeadSomewhere: to a file that exists, and to a heading of it.
func TestLinksInThePagesLeadSomewhere(t *testing.T) {
	all := pages(t)
	checked := 0
	for _, p := range all {
		for _, found := range link.FindAllStringSubmatch(p.prose(), -1) {
			file, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			checked++
			target := p.file
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(p.file), file))
			}
			leads(t, all, p.file, target, anchor)
		}
	}
	if checked < 200 {
		t.Errorf("only %d links", checked)
	}
}

// mention is how anything but a page names one: by its address, or by its path.
var mention = regexp.MustCompile(`github\.com/fielato/fielato(?:/(?:blob|tree)/main/([\w./-]*\w))?(?:#([\w-]+))?|` +
	`\b((?:docs/[\w-]+|(?:[\w-]+/)*README|CONTRIBUTING)\.md)(?:#([\w-]+))?`)

// mentions finds them in the lines that may have one: the expression takes a hundred times as long as this.
func mentions(text string) (found [][]string) {
	for line := range strings.Lines(text) {
		mayHave := func(part string) bool { return strings.Contains(line, part) }
		if slices.ContainsFunc([]string{".md", "fielato/blob/", "fielato/tree/", "fielato#"}, mayHave) {
			found = append(found, mention.FindAllStringSubmatch(line, -1)...)
		}
	}
	return found
}

// TestWhatTheCodeSaysOfPagesIsThere: the links of alerts and errors, and the pages that
// comments, configurations and units name.
func TestWhatTheCodeSaysOfPagesIsThere(t *testing.T) {
	all := pages(t)
	checked := 0
	walk(t, func(file, text string) {
		if filepath.Ext(file) == ".sum" || filepath.Ext(file) == ".mod" {
			return
		}
		for _, found := range mentions(text) {
			target, anchor := found[1]+found[3], found[2]+found[4]
			if target == "" && anchor != "" {
				target = "README.md"
			}
			// The other links of a page are TestLinksInThePagesLeadSomewhere's.
			if target == "" || found[3] != "" && filepath.Ext(file) == ".md" {
				continue
			}
			checked++
			leads(t, all, file, target, anchor)
		}
	})
	if checked < 60 {
		t.Errorf("only %d were found", checked)
	}
}

// TestEveryPageIsListed in the index of docs.
func TestEveryPageIsListed(t *testing.T) {
	all := pages(t)
	for file := range all {
		name, inside := strings.CutPrefix(file, "docs/")
		if inside && name != "README.md" && !strings.Contains(all["docs/README.md"].text, "]("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}
