package directive

import (
	"regexp"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// Option is one line that a block of the Caddyfile may have. The parser, its errors and
// the reference (docs/reference.md) read the same tables of these.
type Option[T any] struct {
	Name string
	// Arguments are written as the syntax shows them; none if it is empty.
	Arguments string
	// Repeatable options may be given more than once.
	Repeatable bool
	// Meaning explains the option, Fallback the behaviour without it. Both are Markdown for the reference,
	// from whose folder their links start.
	Meaning, Fallback string
	// Read takes the arguments; the option's name is the current token.
	Read func(*T, *caddyfile.Dispenser) error
}

// InnerBlock is a block inside the one that is read. An error hints at it if one of its options
// stands one block too far out.
type InnerBlock struct {
	// Syntax is its first line, such as "audit <store>".
	Syntax  string
	Options []string
}

// Read reads a directive that has no arguments, and its block. line gets where it stands.
func Read[T any](d *caddyfile.Dispenser, line *string, target *T, options []Option[T], inner ...InnerBlock) error {
	d.Next() // the directive's name
	*line = Line(d)
	if name := d.Val(); d.NextArg() {
		return d.Errf("%s takes no arguments but a matcher, and %q is none: write options in a block, %s { … }", name, d.Val(), name)
	}
	return ReadBlock(d, 0, target, options, inner...)
}

// ReadBlock reads a block that has these options and no others.
func ReadBlock[T any](d *caddyfile.Dispenser, nesting int, target *T, options []Option[T], inner ...InnerBlock) error {
	seen := map[string]bool{}
	for d.NextBlock(nesting) {
		known, err := ReadOption(d, target, options, seen)
		if err != nil {
			return err
		}
		if !known {
			return UnknownOption(d, Names(options), inner...)
		}
	}
	return nil
}

// ReadOption reads the option whose name is the current token, if it is one of these. seen has
// the names of the options read before.
func ReadOption[T any](d *caddyfile.Dispenser, target *T, options []Option[T], seen map[string]bool) (known bool, err error) {
	name := d.Val()
	at := slices.IndexFunc(options, func(o Option[T]) bool { return o.Name == name })
	if at < 0 {
		return false, nil
	}
	if seen[name] && !options[at].Repeatable {
		return true, d.Errf("%s is given twice: keep one of the lines", name)
	}
	seen[name] = true
	if err := checkVariables(d); err != nil {
		return true, err
	}
	return true, withSyntax(d, name, options[at].Arguments, options[at].Read(target, d))
}

// withSpaces are arguments that may have spaces in them.
var withSpaces = regexp.MustCompile(`<(?:file|name|path|place|store|subject)>`)

// withSyntax replaces Caddy's error for too many arguments or too few, which does not say which ones there must be.
func withSyntax(d *caddyfile.Dispenser, name, arguments string, err error) error {
	const count = "wrong argument count"
	if err == nil || !strings.HasPrefix(err.Error(), count) {
		return err
	}
	if arguments == "" {
		return d.Errf("%s takes no arguments: remove what follows it", name)
	}
	quotes := ""
	if d.Val() != name && withSpaces.MatchString(arguments) {
		quotes = `; an argument with spaces stands between quotes ("…")`
	}
	return d.Errf("%s: %s: write %s %s%s", name, count, name, arguments, quotes)
}

// Names returns the names of the options.
func Names[T any](options []Option[T]) (names []string) {
	for _, o := range options {
		names = append(names, o.Name)
	}
	return names
}
