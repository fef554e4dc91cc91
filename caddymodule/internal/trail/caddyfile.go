package trail

import (
	"slices"
	"strconv"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/redaction"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
)

// OptionTable has the options in the block of audit that are not the store's.
var OptionTable = []directive.Option[Options]{
	{
		Name: "key", Arguments: "<file>|<placeholder>|agent <socket> <fingerprint>",
		Meaning:  "the private key that signs the trail's checkpoints. It is a file, made at first start (0600), or the key itself from `{env.NAME}` or `{file.PATH}`. Keep a copy: without it the gateway does not start on the same trail. With `agent`, [an ssh-agent has it](evidence.md#a-key-in-an-agent)",
		Fallback: "the database's path with `.key` after it; with PostgreSQL `wsfev1/NODE.key` in Caddy's data folder",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.KeyArgument(d, &o.Key) },
	},
	{
		Name: "on_failure", Arguments: "refuse|forward",
		Meaning:  "what happens to an exchange that cannot be recorded, see [when the trail cannot be written](evidence.md#when-the-trail-cannot-be-written)",
		Fallback: "`refuse`",
		Read:     (*Options).unmarshalOnFailure,
	},
	{
		Name: "retention", Arguments: "<years>",
		Meaning:  "for how many whole years after the year of a voucher its content must be kept, 0 to 100. `audit purge` removes nothing earlier without `--override-retention`, see [retention](evidence.md#retention)",
		Fallback: "12",
		Read:     (*Options).unmarshalRetention,
	},
	{
		Name: "redact", Arguments: "<pointer>…", Repeatable: true,
		Meaning:  "members of requests and answers that are not kept, see [what is not kept](evidence.md#what-is-not-kept)",
		Fallback: "none",
		Read:     redactArguments,
	},
	{
		Name: "checkpoint_to", Arguments: "<file>|<url> [<interval>]", Repeatable: true,
		Meaning:  "where else the newest checkpoint is [kept](evidence.md#keep-the-checkpoint-elsewhere), and how often it is checked (1s at least)",
		Fallback: "nowhere; every minute",
		Read:     (*Options).unmarshalCheckpointTo,
	},
	{
		Name: "origin", Arguments: "<domain>/fielato/<log>",
		Meaning:  "what names a new log to its [witnesses](evidence.md#have-checkpoints-cosigned) and readers, where its usual name could be another company's too. A log keeps the origin that it began with",
		Fallback: "`fielato/` and the name of the log",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &o.Origin) },
	},
	{
		Name: "witness", Arguments: "<vkey> <url> [<interval>]", Repeatable: true,
		Meaning:  "another party that [signs each new checkpoint](evidence.md#have-checkpoints-cosigned): its public key and its URL, and how often it is asked if there is a new one (1s at least)",
		Fallback: "none; every minute",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return cosigned.Read(d, &o.Witnesses) },
	},
	{
		Name: "quorum", Arguments: "<number>",
		Meaning:  "how many witnesses must have signed a checkpoint for it to be the [cosigned one](evidence.md#have-checkpoints-cosigned)",
		Fallback: "a majority: more than half of the witnesses",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return cosigned.ReadQuorum(d, &o.Quorum) },
	},
	{
		Name: "witness_policy", Arguments: "<file>",
		Meaning:  "a file that names the witnesses, with their URLs, and which of them must have signed, in place of `witness` and `quorum`: a [policy](evidence.md#have-checkpoints-cosigned) as verifiers take it (C2SP tlog-policy)",
		Fallback: "none",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &o.WitnessPolicy) },
	},
	{
		Name:     "require_witnesses",
		Meaning:  "the gateway does not start before a quorum of its witnesses has signed the newest checkpoint",
		Fallback: "it starts with an alert",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.NoArgument(d, &o.RequireWitnesses) },
	},
	{
		Name: "timestamp", Arguments: "<url> <roots> [<interval>]",
		Meaning:  "a time-stamping authority (RFC 3161) that [says when the newest checkpoint existed](evidence.md#time-from-outside): its URL, a PEM file with its root certificates, and how often it is checked if there is a new checkpoint (1s at least)",
		Fallback: "none; every hour",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return timestamped.Read(d, &o.Timestamp) },
	},
	{
		Name: "timestamp_policy", Arguments: "<oid>",
		Meaning:  "the identifier of the policy under which the authority must stamp, such as `0.4.0.2023.1.1`",
		Fallback: "any",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return timestamped.ReadPolicy(d, &o.Timestamp) },
	},
	{
		Name: "encryption_key", Arguments: "<file>|<placeholder>",
		Meaning:  "the key that encrypts bodies at rest, see [encryption](evidence.md#encryption). It is a file with mode 0600, made by `fielato wsfev1 audit new-key`, or the key itself from `{env.NAME}` or `{file.PATH}`",
		Fallback: "bodies are kept as they are",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &o.EncryptionKey) },
	},
	{
		Name:     "log_reads",
		Meaning:  "records in the trail who reads it, see [who reads the trail](evidence.md#who-reads-the-trail)",
		Fallback: "off",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.NoArgument(d, &o.LogReads) },
	},
	{
		Name:     "log_starts",
		Meaning:  "records in the trail each start of the gateway, with the digest of its program, see [which program has written](evidence.md#which-program-has-written)",
		Fallback: "off",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.NoArgument(d, &o.LogStarts) },
	},
}

func (o *Options) unmarshalRetention(d *caddyfile.Dispenser) error {
	var text string
	if err := directive.OneArgument(d, &text); err != nil {
		return err
	}
	years, err := strconv.Atoi(text)
	if err != nil || audit.CheckRetention(years) != nil {
		return d.Errf("retention: %q is not a number of years from 0 to %d", text, audit.MaxRetention)
	}
	o.Retention = &years
	return nil
}

func (o *Options) unmarshalOnFailure(d *caddyfile.Dispenser) error {
	if err := directive.OneArgument(d, &o.OnFailure); err != nil {
		return err
	}
	if err := checkOnFailure(o.OnFailure); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// Unmarshal reads the trail's options, and returns the line and the block without them, for the
// store.
func (o *Options) Unmarshal(d *caddyfile.Dispenser) (*caddyfile.Dispenser, error) {
	d.Next()
	rest := []caddyfile.Token{d.Token()}
	for d.NextArg() {
		rest = append(rest, d.Token())
	}
	last := rest[len(rest)-1]
	var block []caddyfile.Token
	seen := map[string]bool{}
	for d.NextBlock(0) {
		ours, err := directive.ReadOption(d, o, OptionTable, seen)
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
func (o *Options) unmarshalCheckpointTo(d *caddyfile.Dispenser) error {
	arguments := d.RemainingArgs()
	if len(arguments) == 0 || len(arguments) > 2 {
		return d.ArgErr()
	}
	one := checkpoint.Options{To: arguments[0]}
	if len(arguments) == 2 {
		var err error
		if one.Interval, err = directive.Interval(d, "checkpoint_to", arguments[1], checkpoint.MinInterval, "1m"); err != nil {
			return err
		}
	}
	o.CheckpointTo = append(o.CheckpointTo, one)
	return nil
}

// redactArguments reads "redact <pointer>…". It checks each pointer here, where the line is
// known.
func redactArguments(o *Options, d *caddyfile.Dispenser) error {
	pointers := d.RemainingArgs()
	if len(pointers) == 0 {
		return d.Err("give one or more JSON Pointers, such as: redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro")
	}
	for _, pointer := range pointers {
		if err := redaction.Check(pointer); err != nil {
			return d.WrapErr(err)
		}
		if slices.Contains(o.Redact, pointer) {
			return d.Errf("redact %s is given twice", pointer)
		}
		o.Redact = append(o.Redact, pointer)
	}
	return nil
}
