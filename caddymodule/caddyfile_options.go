package caddymodule

import (
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// option is one line that a block of the Caddyfile may have. The parser, its errors and
// the reference (REFERENCE.md) read the same tables of these.
type option[T any] struct {
	name string
	// arguments are written as the syntax shows them; none where it is empty.
	arguments string
	// repeatable options may be given more than once.
	repeatable bool
	// meaning says what the option does, fallback what holds without it. Both are Markdown
	// for the reference, whose folder their links start from.
	meaning, fallback string
	// read takes the arguments; the option's name is the current token.
	read func(*T, *caddyfile.Dispenser) error
}

// readBlock reads a block that has these options and no others.
func readBlock[T any](d *caddyfile.Dispenser, nesting int, target *T, options []option[T]) error {
	seen := map[string]bool{}
	for d.NextBlock(nesting) {
		known, err := readOption(d, target, options, seen)
		if err != nil {
			return err
		}
		if !known {
			return unknownOption(d, optionNames(options))
		}
	}
	return nil
}

// readOption reads the option whose name is the current token, if it is one of these.
// seen holds the names of those that the block had before.
func readOption[T any](d *caddyfile.Dispenser, target *T, options []option[T], seen map[string]bool) (known bool, err error) {
	name := d.Val()
	at := slices.IndexFunc(options, func(o option[T]) bool { return o.name == name })
	if at < 0 {
		return false, nil
	}
	if seen[name] && !options[at].repeatable {
		return true, d.Errf("%s is given twice", name)
	}
	seen[name] = true
	return true, options[at].read(target, d)
}

func optionNames[T any](options []option[T]) (names []string) {
	for _, o := range options {
		names = append(names, o.name)
	}
	return names
}

// nearEnough is the distance up to which one name is taken for a misspelling of another:
// two letters.
const nearEnough = 20

// inAuditBlock are the names of options that are looked for one block too far out. They are
// set by init, as the options' own errors look here.
var inAuditBlock []string

func init() { inAuditBlock = optionNames(trailOptions) }

// unknownOption is the error for the current token, with the names that could stand there.
func unknownOption(d *caddyfile.Dispenser, names []string) error {
	wrong := d.Val()
	hint := ""
	nearest := slices.MinFunc(names, func(a, b string) int { return distance(a, wrong) - distance(b, wrong) })
	switch {
	case slices.Contains(inAuditBlock, wrong):
		hint = "; " + wrong + " stands in the block of audit: audit <store> { " + wrong + " … }"
	case distance(nearest, wrong) <= nearEnough && len(wrong) > 2:
		hint = "; did you mean " + nearest + "?"
	}
	return d.Errf("unrecognized option %q: use %s%s", wrong, enumerate(names), hint)
}

// enumerate returns "a, b or c".
func enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
