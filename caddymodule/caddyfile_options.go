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

// innerBlock is a block inside of the one that is read. An option of it that stands one
// block too far out is named as such.
type innerBlock struct {
	// syntax is its first line, such as "audit <store>".
	syntax  string
	options []string
}

// readBlock reads a block that has these options and no others.
func readBlock[T any](d *caddyfile.Dispenser, nesting int, target *T, options []option[T], inner ...innerBlock) error {
	seen := map[string]bool{}
	for d.NextBlock(nesting) {
		known, err := readOption(d, target, options, seen)
		if err != nil {
			return err
		}
		if !known {
			return unknownOption(d, optionNames(options), inner...)
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

// unknownOption is the error for the current token, with the names that could stand there.
func unknownOption(d *caddyfile.Dispenser, names []string, inner ...innerBlock) error {
	wrong := d.Val()
	return d.Errf("unrecognized option %q: use %s%s", wrong, enumerate(names), hint(wrong, names, inner))
}

// hint guesses what was meant, no text where nothing is near.
func hint(wrong string, names []string, inner []innerBlock) string {
	for _, block := range inner {
		if slices.Contains(block.options, wrong) {
			name, _, _ := strings.Cut(block.syntax, " ")
			return "; " + wrong + " stands in the block of " + name + ": " + block.syntax + " { " + wrong + " … }"
		}
	}
	nearest := slices.MinFunc(names, func(a, b string) int { return distance(a, wrong) - distance(b, wrong) })
	if distance(nearest, wrong) <= nearEnough && len(wrong) > 2 {
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
