package timestamped

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

// Read reads:
//
//	timestamp <url> <roots> [<interval>]
func Read(d *caddyfile.Dispenser, o *Options) (err error) {
	arguments := d.RemainingArgs()
	if len(arguments) < 2 || len(arguments) > 3 {
		return d.Err("timestamp: give the URL of the authority, the PEM file with its root certificates, and perhaps an interval")
	}
	o.URL, o.Roots = arguments[0], arguments[1]
	if len(arguments) == 3 {
		if o.Interval, err = directive.Interval(d, "timestamp", arguments[2], MinInterval, "1h"); err != nil {
			return err
		}
	}
	if err := (Options{URL: o.URL, Interval: o.Interval}).Check(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// ReadPolicy reads:
//
//	timestamp_policy <oid>
func ReadPolicy(d *caddyfile.Dispenser, o *Options) error {
	if err := directive.OneArgument(d, &o.Policy); err != nil {
		return err
	}
	if err := (Options{URL: "{}", Policy: o.Policy}).Check(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}
