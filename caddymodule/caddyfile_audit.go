package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// trailOptions are the options in the block of audit that are not the store's.
var trailOptions = []option[TrailOptions]{
	{
		name: "key", arguments: "<file>|<placeholder>",
		meaning:  "the private key that signs the trail's checkpoints: a file, made at first start (0600), or `{env.NAME}`, `{file.PATH}` for the key itself. Keep a copy: without it the gateway does not start on the same trail",
		fallback: "the database's path with `.key` after it; with PostgreSQL `wsfev1/NODE.key` in Caddy's data folder",
		read:     func(o *TrailOptions, d *caddyfile.Dispenser) error { return oneArgument(d, &o.Key) },
	},
	{
		name: "on_failure", arguments: "refuse|forward",
		meaning:  "what becomes of an exchange that cannot be recorded, see [when the trail cannot be written](../audit/README.md#when-the-trail-cannot-be-written)",
		fallback: "`refuse`",
		read:     (*TrailOptions).unmarshalOnFailure,
	},
	{
		name: "redact", arguments: "<pointer>…", repeatable: true,
		meaning:  "members of requests and answers that are not kept, see [what is not kept](../audit/README.md#what-is-not-kept)",
		fallback: "none",
		read:     redactArguments,
	},
	{
		name: "checkpoint_to", arguments: "<file>|<url> [<interval>]", repeatable: true,
		meaning:  "where the newest checkpoint is [kept besides](../audit/README.md#keep-the-checkpoint-elsewhere), and how often it is looked at (1s at least)",
		fallback: "nowhere; every minute",
		read:     (*TrailOptions).unmarshalCheckpointTo,
	},
	{
		name: "encryption_key", arguments: "<file>|<placeholder>",
		meaning:  "the key that encrypts bodies at rest, see [encryption](../audit/README.md#encryption): a file with mode 0600 that `fielato wsfev1 audit new-key` makes, or `{env.NAME}`, `{file.PATH}` for the key itself",
		fallback: "bodies are kept as they are",
		read:     func(o *TrailOptions, d *caddyfile.Dispenser) error { return oneArgument(d, &o.EncryptionKey) },
	},
	{
		name:     "log_reads",
		meaning:  "who reads the trail is written down in it, see [who reads the trail](../audit/README.md#who-reads-the-trail)",
		fallback: "off",
		read:     func(o *TrailOptions, d *caddyfile.Dispenser) error { return noArgument(d, &o.LogReads) },
	},
}

func (o *TrailOptions) unmarshalOnFailure(d *caddyfile.Dispenser) error {
	if err := oneArgument(d, &o.OnFailure); err != nil {
		return err
	}
	if err := checkOnFailure(o.OnFailure); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// unmarshal takes the options that are the trail's, and returns the line and the block
// without them.
func (o *TrailOptions) unmarshal(d *caddyfile.Dispenser) (*caddyfile.Dispenser, error) {
	d.Next()
	rest := []caddyfile.Token{d.Token()}
	for d.NextArg() {
		rest = append(rest, d.Token())
	}
	last := rest[len(rest)-1]
	var block []caddyfile.Token
	seen := map[string]bool{}
	for d.NextBlock(0) {
		ours, err := readOption(d, o, trailOptions, seen)
		if err != nil {
			return nil, err
		}
		if !ours {
			block = append(block, d.NextSegment()...)
		}
	}
	if len(block) > 0 {
		rest = append(rest, caddyfile.Token{File: last.File, Line: last.Line, Text: "{"})
		rest = append(rest, block...)
		rest = append(rest, caddyfile.Token{File: last.File, Line: d.Line() + 1, Text: "}"})
	}
	return caddyfile.NewDispenser(rest), nil
}

// unmarshalCheckpointTo reads:
//
//	checkpoint_to <file|URL> [<interval>]
func (o *TrailOptions) unmarshalCheckpointTo(d *caddyfile.Dispenser) error {
	arguments := d.RemainingArgs()
	if len(arguments) == 0 || len(arguments) > 2 {
		return d.ArgErr()
	}
	one := CheckpointPlace{To: arguments[0]}
	if len(arguments) == 2 {
		interval, err := caddy.ParseDuration(arguments[1])
		if err != nil || interval < minKeepInterval {
			return d.Errf("checkpoint_to: %q is no interval: give a duration of 1s at least, such as 1m", arguments[1])
		}
		one.Interval = caddy.Duration(interval)
	}
	o.CheckpointTo = append(o.CheckpointTo, one)
	return nil
}
