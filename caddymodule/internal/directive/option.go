package directive

import (
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
	if d.NextArg() {
		return d.ArgErr()
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
	return true, options[at].Read(target, d)
}

// Names returns the names of the options.
func Names[T any](options []Option[T]) (names []string) {
	for _, o := range options {
		names = append(names, o.Name)
	}
	return names
}

// nearEnough is the distance up to which a name counts as a misspelling of another: two letters.
const nearEnough = 20

// UnknownOption returns the error for the current token, with the names that are allowed there.
func UnknownOption(d *caddyfile.Dispenser, names []string, inner ...InnerBlock) error {
	wrong := d.Val()
	return d.Errf("unrecognized option %q: use %s%s", wrong, enumerate(names), hint(wrong, names, inner))
}

// hint guesses what was meant. It is empty if no name is near.
func hint(wrong string, names []string, inner []InnerBlock) string {
	for _, block := range inner {
		if slices.Contains(block.Options, wrong) {
			name, _, _ := strings.Cut(block.Syntax, " ")
			return "; " + wrong + " stands in the block of " + name + ": " + block.Syntax + " { " + wrong + " … }"
		}
	}
	if within := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(name, wrong) }); len(within) > 0 && len(wrong) > 3 {
		return "; did you mean " + enumerate(within) + "?"
	}
	nearest := slices.MinFunc(names, func(a, b string) int { return Distance(a, wrong) - Distance(b, wrong) })
	if Distance(nearest, wrong) <= nearEnough && len(wrong) > 2 {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// enumerate returns "a, b or c".
func enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
