package tickets

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// maxMatches bounds how many files a pattern stands for: each is a certificate with a keeper of its own.
const maxMatches = 10_000

var errTooMany = fmt.Errorf("the pattern matches more than %d files: name a folder that has certificates alone", maxMatches)

// match is a file that a pattern matches.
type match struct {
	path string
	// by has the text that each wildcard matches.
	by []string
	// err is why a folder could not be read, in which there may be files: path is the folder then.
	err error
}

// find returns the files that a resolved pattern matches, by their paths. As in a shell, a wildcard at the
// beginning of a name does not stand for a point: editors and mounts make such files.
func (p pattern) find() ([]match, error) {
	found := []match{{}}
	for part := range p.parts() {
		var next []match
		for _, m := range found {
			if m.err != nil {
				next = append(next, m)
				continue
			}
			next = append(next, m.step(part)...)
			if len(next) > maxMatches {
				return nil, errTooMany
			}
		}
		found = next
	}
	found = slices.DeleteFunc(found, func(m match) bool { return m.err == nil && !m.isFile() })
	slices.SortFunc(found, func(a, b match) int { return cmp.Compare(a.path, b.path) })
	return found, nil
}

// parts splits the pattern into names without wildcards, with the separators beside them, and names with
// wildcards.
func (p pattern) parts() func(yield func(pattern) bool) {
	return func(yield func(pattern) bool) {
		text := p.split()
		for len(text) > 0 {
			n := slices.IndexFunc(text, func(t token) bool { return t.text == "/" })
			switch {
			case n < 0:
				n = len(text)
			case n == 0:
				n = 1
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// split returns the pattern with a token for each character of its texts.
func (p pattern) split() (all pattern) {
	for _, t := range p {
		if t.wild != "" {
			all = append(all, t)
		}
		for c := range strings.SplitSeq(t.text, "") {
			all = append(all, token{text: c})
		}
	}
	return all
}

// step returns what a part of a pattern, a name or a separator, matches below a path.
func (m match) step(part pattern) (all []match) {
	if part.wildcards() == 0 {
		return []match{{path: m.path + part.fill(nil), by: m.by}}
	}
	entries, err := os.ReadDir(cmp.Or(m.path, "."))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return []match{{path: m.path, by: m.by, err: err}}
	}
	name, hidden := part.expression(), part[0].text == "."
	for _, entry := range entries {
		by := name.FindStringSubmatch(entry.Name())
		if by != nil && (hidden || !strings.HasPrefix(entry.Name(), ".")) {
			all = append(all, match{path: m.path + entry.Name(), by: slices.Concat(m.by, by[1:])})
		}
	}
	return all
}

// expression returns the regular expression of a name.
func (p pattern) expression() *regexp.Regexp {
	var b strings.Builder
	for _, t := range p {
		if t.wild != "" {
			b.WriteString("(" + t.wild + ")")
		}
		b.WriteString(regexp.QuoteMeta(t.text))
	}
	return regexp.MustCompile(`(?s)^` + b.String() + `$`)
}

// isFile reports whether there is a file, also one that cannot be looked at.
func (m match) isFile() bool {
	info, err := os.Stat(m.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
	}
	return !info.IsDir()
}
