package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// trailOptions are the options in the block of audit that are not the store's.
var trailOptions = map[string]func(*TrailOptions, *caddyfile.Dispenser) error{
	"on_failure": func(o *TrailOptions, d *caddyfile.Dispenser) error {
		if err := oneArgument(d, &o.OnFailure); err != nil {
			return err
		}
		if err := checkOnFailure(o.OnFailure); err != nil {
			return d.WrapErr(err)
		}
		return nil
	},
	"key":            func(o *TrailOptions, d *caddyfile.Dispenser) error { return oneArgument(d, &o.Key) },
	"log_reads":      func(o *TrailOptions, d *caddyfile.Dispenser) error { return noArgument(d, &o.LogReads) },
	"redact":         redactArguments,
	"checkpoint_to":  (*TrailOptions).unmarshalCheckpointTo,
	"encryption_key": func(o *TrailOptions, d *caddyfile.Dispenser) error { return oneArgument(d, &o.EncryptionKey) },
}

// repeatedOptions may be given more than once.
var repeatedOptions = map[string]bool{"redact": true, "checkpoint_to": true}

// unmarshalAudit reads the store and the options of the trail, which share a block:
//
//	audit <store> [<arguments>…] {
//		key        <file>|<placeholder>
//		log_reads
//		on_failure refuse|forward
//		redact     <pointer>…
//		checkpoint_to <file|URL> [<interval>]
//		encryption_key <file>|<placeholder>
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
		name := d.Val()
		read, ours := trailOptions[name]
		if !ours {
			block = append(block, d.NextSegment()...)
			continue
		}
		if seen[name] && !repeatedOptions[name] {
			return nil, d.Errf("%s is given twice", name)
		}
		seen[name] = true
		if err := read(o, d); err != nil {
			return nil, err
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
