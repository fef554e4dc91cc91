package tickets

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

// token is a part of a pattern: a text, or a wildcard as a regular expression.
type token struct{ text, wild string }

// pattern is a path with wildcards.
type pattern []token

// placeholders are kept as they are until a pattern is resolved. Their values have no wildcards.
var placeholders = regexp.MustCompile(`^\{[^{}]*\}`)

// escapes reports whether a backslash takes the meaning from a wildcard. On Windows it separates folders.
const escapes = filepath.Separator != '\\'

// parsePattern reads a path, which may have wildcards as filepath.Match has them.
func parsePattern(path string) (p pattern, err error) {
	if !utf8.ValidString(path) {
		return nil, errUTF8
	}
	for rest := filepath.ToSlash(path); rest != ""; {
		n := 1
		switch c := rest[0]; {
		case c == '{' && placeholders.MatchString(rest):
			n = len(placeholders.FindString(rest))
			p = append(p, token{text: rest[:n]})
		case c == '*':
			p = append(p, token{wild: ".*"})
		case c == '?':
			p = append(p, token{wild: "."})
		case c == '[':
			if n, err = classLength(rest); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			p = append(p, token{wild: classOf(rest[:n])})
		case c == '\\' && escapes && len(rest) > 1:
			n = 2
			p = append(p, token{text: rest[1:n]})
		default:
			p = append(p, token{text: rest[:n]})
		}
		rest = rest[n:]
	}
	return p, nil
}

var (
	errClass = errors.New("[ has no ] that ends it, or nothing between them: write [0-9], or ? for any one character")
	errUTF8  = errors.New("the path is not UTF-8: name the folder otherwise")
)

// classLength returns the length of the class of characters with which a pattern begins.
func classLength(text string) (int, error) {
	for i := strings.IndexByte(text, ']'); i > 0; {
		if _, err := filepath.Match(text[:i+1], "x"); err == nil {
			if _, err := regexp.Compile(classOf(text[:i+1])); err != nil {
				return 0, errClass // a range that ends before it begins
			}
			return i + 1, nil
		}
		next := strings.IndexByte(text[i+1:], ']')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return 0, errClass
}

// classOf returns the regular expression of a class of characters.
func classOf(text string) string {
	var b strings.Builder
	b.WriteByte('[')
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if after, not := strings.CutPrefix(inner, "^"); not {
		b.WriteString("^/")
		inner = after
	}
	escaped := false
	for _, c := range inner {
		switch {
		case c == '\\' && escapes && !escaped:
			escaped = true
			continue
		case c == '-' && !escaped:
			b.WriteByte('-')
		default:
			fmt.Fprintf(&b, `\x{%x}`, c)
		}
		escaped = false
	}
	return b.String() + "]"
}

// wildcards returns how many wildcards the pattern has.
func (p pattern) wildcards() (n int) {
	for _, t := range p {
		if t.wild != "" {
			n++
		}
	}
	return n
}

// resolved returns the pattern with the values of its placeholders.
func (p pattern) resolved() (pattern, error) {
	p = slices.Clone(p)
	for i, t := range p {
		if len(t.text) < 2 {
			continue // only a placeholder has more characters
		}
		value, err := directive.ResolvePath(t.text)
		if err != nil {
			return nil, err
		}
		if !utf8.ValidString(value) {
			return nil, fmt.Errorf("path %s: %w", t.text, errUTF8)
		}
		p[i].text = filepath.ToSlash(value)
	}
	return p, nil
}

// fill returns the path that has these texts in the place of the wildcards.
func (p pattern) fill(by []string) string {
	var b strings.Builder
	for _, t := range p {
		if t.wild != "" {
			b.WriteString(by[0])
			by = by[1:]
		}
		b.WriteString(t.text)
	}
	return filepath.FromSlash(b.String())
}
