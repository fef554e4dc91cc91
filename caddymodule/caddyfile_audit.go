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

// unmarshalAudit reads the store and the options of the trail, which share a block:
//
//	audit <store> [<arguments>…] {
//		<option> <arguments>…
//	}
func (g *Gateway) unmarshalAudit(d *caddyfile.Dispenser) error {
	forStore, err := g.Trail.unmarshal(caddyfile.NewDispenser(d.NextSegment()))
	if err != nil {
		return err
	}
	forStore.Next()
	g.AuditRaw, err = guest(forStore, "http.handlers.wsfev1.stores.", "store", func(m caddy.Module) bool {
		_, ok := m.(StoreOpener)
		return ok
	})
	return err
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

// noArgument reads an option that says what it has to say by being there.
func noArgument(d *caddyfile.Dispenser, value *bool) error {
	if d.NextArg() {
		return d.ArgErr()
	}
	*value = true
	return nil
}
