package directive

import (
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"

	"github.com/fielato/fielato/wsfev1"
)

// The functions of this file make the Read of an option. of returns the field that it sets, and an error names
// the option by its own name.

// OneOf reads one of the words.
func OneOf[T any](of func(*T) *string, words ...string) func(*T, *caddyfile.Dispenser) error {
	return func(target *T, d *caddyfile.Dispenser) error { return Word(d, of(target), d.Val(), words...) }
}

// OnOff reads on or off.
func OnOff[T any](of func(*T) *bool) func(*T, *caddyfile.Dispenser) error {
	return func(target *T, d *caddyfile.Dispenser) error {
		var word string
		err := Word(d, &word, d.Val(), "on", "off")
		*of(target) = word == "on"
		return err
	}
}

// Duration reads a duration of more than 0.
func Duration[T any](of func(*T) *caddy.Duration, example string) func(*T, *caddyfile.Dispenser) error {
	return func(target *T, d *caddyfile.Dispenser) error {
		return DurationArgument(d, d.Val(), example, of(target))
	}
}

// Bounds are the least and the largest size that an option takes, in bytes, and one for the error.
type Bounds struct {
	Least, Most uint64
	Example     string
}

// Check returns an error that names the option if the size is out of bounds. A configuration in JSON does
// not pass through Size.
func (b Bounds) Check(option string, size int64) error {
	if size < 0 || uint64(size) < b.Least || uint64(size) > b.Most {
		return fmt.Errorf("%s %d: %s", option, size, b)
	}
	return nil
}

// String says what to give.
func (b Bounds) String() string {
	return fmt.Sprintf("give a size from %s to %s, such as %s", sizeText(b.Least), sizeText(b.Most), b.Example)
}

// Size reads a size within bounds.
func Size[T any](of func(*T) *int64, bounds Bounds) func(*T, *caddyfile.Dispenser) error {
	return func(target *T, d *caddyfile.Dispenser) error {
		option, text := d.Val(), ""
		if err := OneArgument(d, &text); err != nil {
			return err
		}
		size, err := humanize.ParseBytes(text)
		if err != nil || size < bounds.Least || size > bounds.Most {
			return d.Errf("%s %q: %s", option, text, bounds)
		}
		*of(target) = int64(size)
		return nil
	}
}

// Amount reads an amount of 0 or more.
func Amount[T any](of func(*T) *wsfev1.Amount) func(*T, *caddyfile.Dispenser) error {
	return func(target *T, d *caddyfile.Dispenser) error {
		var text string
		if err := OneArgument(d, &text); err != nil {
			return err
		}
		parsed, err := wsfev1.ParseAmount(text)
		if err != nil || parsed.Sign() < 0 || !parsed.Exact() {
			return d.Errf("%q: give a number of 0 or more with a point before its decimals and no thousands mark, such as 0.01", text)
		}
		*of(target) = parsed
		return nil
	}
}

// CUITs reads one CUIT or more.
func CUITs[T any](of func(*T) *[]CUIT) func(*T, *caddyfile.Dispenser) error {
	return func(target *T, d *caddyfile.Dispenser) error {
		option, all := d.Val(), of(target)
		for d.NextArg() {
			var cuit CUIT
			if err := ReadCUIT(d, option, &cuit); err != nil {
				return err
			}
			*all = append(*all, cuit)
		}
		if len(*all) == 0 {
			return d.ArgErr()
		}
		return nil
	}
}
