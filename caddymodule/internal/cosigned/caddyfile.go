package cosigned

import (
	"strconv"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

// Read reads:
//
//	witness <vkey> <url> [<interval>]
func Read(d *caddyfile.Dispenser, all *[]Options) error {
	arguments := d.RemainingArgs()
	if len(arguments) < 2 || len(arguments) > 3 {
		return d.Err("witness: give the public key of a witness, which it prints when it starts, its URL, and perhaps an interval")
	}
	one := Options{Key: arguments[0], URL: arguments[1]}
	if len(arguments) == 3 {
		var err error
		if one.Interval, err = directive.Interval(d, "witness", arguments[2], MinInterval, "10m"); err != nil {
			return err
		}
	}
	if err := one.Check(); err != nil {
		return d.WrapErr(err)
	}
	*all = append(*all, one)
	return nil
}

// ReadQuorum reads:
//
//	quorum <number>
func ReadQuorum(d *caddyfile.Dispenser, quorum *int) (err error) {
	var text string
	if err := directive.OneArgument(d, &text); err != nil {
		return err
	}
	if *quorum, err = strconv.Atoi(text); err != nil || *quorum < 1 {
		return d.Errf("quorum: %q is not a number of witnesses: give 1 or more", text)
	}
	return nil
}
