package trail

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/caddymodule/internal/redaction"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/mask"
)

// Options configure a trail. Handlers that share a store must agree on them, and so must a
// configuration with the one that it replaces: an open trail keeps the options with which it
// was opened (see Agree).
type Options struct {
	// Key is the private key that signs the trail's checkpoints: the path of a file,
	// which is created with mode 0600 at the first start, or a placeholder such as
	// `{env.NAME}` or `{file.PATH}` for the key itself, or `agent <socket> <fingerprint>`
	// for a key that an ssh-agent has. Default: the path of the SQLite
	// database followed by `.key`, or `wsfev1/<node>.key` in Caddy's data folder for a
	// PostgreSQL store.
	Key string `json:"key,omitempty"`

	// LogReads records each read of the trail by a command: when, by which user, on
	// which host, and what was asked for. Default: false.
	LogReads bool `json:"log_reads,omitempty"`

	// LogStarts records each start of the gateway: its version, commit and settings of the
	// build, and the SHA-256 of the program's file. Default: false.
	LogStarts bool `json:"log_starts,omitempty"`

	// Retention is for how many whole years after the year of a voucher its content must be
	// kept, 0 to 100. `audit purge` removes nothing earlier without a reason. Default: 12.
	Retention *int `json:"retention,omitempty"`

	// OnFailure is what to do with an exchange that cannot be recorded. `refuse`
	// answers 503 and sends nothing; `forward` continues, and writes the record later
	// if possible. Default: `refuse`.
	OnFailure string `json:"on_failure,omitempty"`

	// Redact are members of requests and answers that are not kept, in addition to the
	// credentials, as JSON Pointers in which `*` matches each item of a list, such as
	// `/FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro`. Each is replaced by a keyed
	// fingerprint.
	Redact []string `json:"redact,omitempty"`

	// CheckpointTo are the places to which the newest checkpoint is published.
	CheckpointTo []checkpoint.Options `json:"checkpoint_to,omitempty"`

	// Origin is the first line of the checkpoints of a new log, which names it to its witnesses and readers: a domain, a
	// slash, and the usual origin of the log, such as `ejemplo.com.ar/fielato/gw-1`. A log keeps the origin that it began
	// with. Default: `fielato/` and the log's name.
	Origin string `json:"origin,omitempty"`

	// Witnesses are the parties that cosign the checkpoints.
	Witnesses []cosigned.Options `json:"witness,omitempty"`

	// Quorum is how many witnesses must have cosigned a checkpoint for it to be handed out as witnessed. Default: a
	// majority, more than half of them.
	Quorum int `json:"quorum,omitempty"`

	// WitnessPolicy is the path of a file that names the witnesses, with their URLs, and those that must have cosigned a
	// checkpoint, in place of Witnesses and Quorum: C2SP's tlog-policy. Default: none.
	WitnessPolicy string `json:"witness_policy,omitempty"`

	// RequireWitnesses keeps the gateway from starting until a quorum has cosigned the newest checkpoint. Default:
	// false, it starts with an alert.
	RequireWitnesses bool `json:"require_witnesses,omitempty"`

	// Timestamp is the time-stamping authority that stamps the checkpoints.
	Timestamp timestamped.Options `json:"timestamp,omitzero"`

	// EncryptionKey is the key that encrypts the content of records at rest, that is
	// their bodies and what quotes them: the path of a file with mode 0600, or a
	// placeholder such as `{env.NAME}` or `{file.PATH}` for the key itself. The fields
	// that a record is found by are not encrypted. Default: no encryption.
	EncryptionKey string `json:"encryption_key,omitempty"`

	keys         signingkey.Source
	content      *audit.ContentKey
	fields       *mask.Fields
	destinations []checkpoint.Destination // of CheckpointTo
	folder       string                   // of a store that is a file
	policy       *cosigned.Policy         // of Witnesses or WitnessPolicy, nil for none
	authority    *timestamped.Authority   // of Timestamp, nil for none
}

const (
	onFailureRefuse  = "refuse"
	onFailureForward = "forward"
)

// Forwards reports whether exchanges continue although they cannot be recorded.
func (o *Options) Forwards() bool { return o.OnFailure == onFailureForward }

// retention returns Retention or its default.
func (o *Options) retention() int {
	if o.Retention == nil {
		return audit.DefaultRetention
	}
	return *o.Retention
}

// FailureMode returns OnFailure or its default.
func (o *Options) FailureMode() string { return cmp.Or(o.OnFailure, onFailureRefuse) }

// checkOnFailure checks a value of OnFailure, where empty is the default.
func checkOnFailure(value string) error {
	switch value {
	case "", onFailureRefuse, onFailureForward:
		return nil
	}
	return fmt.Errorf("unknown on_failure %q: use refuse or forward", value)
}

// Provision resolves the keys, the redacted fields and those to whom checkpoints are given.
func (o *Options) Provision(opener StoreOpener) (err error) {
	if err := checkOnFailure(o.OnFailure); err != nil {
		return err
	}
	if err := audit.CheckRetention(o.retention()); err != nil {
		return fmt.Errorf("retention: %w", err)
	}
	for _, pointer := range o.Redact {
		if err := redaction.Check(pointer); err != nil {
			return err
		}
	}
	if o.fields, err = mask.NewFields(o.Redact); err != nil {
		return fmt.Errorf("redact: %w", err)
	}
	if file, ok := opener.(FileOpener); ok {
		if o.folder, err = filepath.Abs(filepath.Dir(file.File())); err != nil {
			return err
		}
	}
	if o.keys, err = signingkey.New(o.Key, opener.KeyFile()); err != nil {
		return err
	}
	origin, err := directive.Resolve(o.Origin)
	if err != nil {
		return fmt.Errorf("origin: %w", err)
	}
	o.keys.Origin = signingkey.Origin(origin)
	if err := o.keys.Origin.Check(); err != nil {
		return err
	}
	if o.content, err = keyfile.Content(o.EncryptionKey); err != nil {
		return err
	}
	for _, written := range o.CheckpointTo {
		resolved, err := written.Resolve()
		if err != nil {
			return err
		}
		o.destinations = append(o.destinations, resolved)
	}
	if o.policy, err = o.witnessing().Resolve(); err != nil {
		return err
	}
	o.authority, err = o.Timestamp.Resolve()
	return err
}

func (o *Options) witnessing() cosigned.Settings {
	return cosigned.Settings{Witnesses: o.Witnesses, Quorum: o.Quorum, File: o.WitnessPolicy, Require: o.RequireWitnesses}
}

// Policy returns who cosigns the checkpoints, nil for nobody. The options must be provisioned.
func (o *Options) Policy() *cosigned.Policy { return o.policy }

// Authority returns who stamps the checkpoints, nil for nobody. The options must be provisioned.
func (o *Options) Authority() *timestamped.Authority { return o.authority }

// Fields returns the fields of Redact. The options must be provisioned.
func (o *Options) Fields() *mask.Fields { return o.fields }

// Destinations returns the destinations of CheckpointTo, in its order. The options must be provisioned.
func (o *Options) Destinations() []checkpoint.Destination { return o.destinations }

// Folder returns the folder of a store that is a file, which its opening makes; empty for another store. The
// options must be provisioned.
func (o *Options) Folder() string { return o.folder }

// Witness compares a trail with its published checkpoints. Nothing may be issued before it
// returns nil.
func (o *Options) Witness(t *Trail) error {
	ctx, cancel := context.WithTimeout(context.Background(), AppendTimeout)
	defer cancel()
	for _, p := range o.destinations {
		if err := p.Check(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// witnessedAs reports whether the options have the same witnesses.
func (o *Options) witnessedAs(other *Options) bool {
	return slices.Equal(o.Witnesses, other.Witnesses) && o.Quorum == other.Quorum && o.WitnessPolicy == other.WitnessPolicy && o.RequireWitnesses == other.RequireWitnesses
}

// Agree returns an error if these options differ from those with which t was opened.
func (o *Options) Agree(t *Trail) error {
	isKey, err := o.keys.Matcher()
	switch {
	case err != nil && o.keys.File != t.keyFile:
		return fmt.Errorf("the trail is open and signed with the key %s: %w", t.publicKey, err)
	case err == nil && !isKey(t.publicKey):
		return fmt.Errorf("the trail is open and signed with the key %s, but key names %s: give the same one", t.publicKey, o.keys.Named())
	case t.agent != o.keys.Agent():
		return fmt.Errorf("the trail is open and signed by %s, but key names %s: to change it, stop and start", cmp.Or(t.agent, "this process"), o.keys.Named())
	}
	if err != nil {
		trailLogger().Error("the private key of the trail cannot be read any more: the gateway goes on, but does not start again without it: put it back",
			zap.String("log", t.Log), zap.String("file", t.keyFile), zap.String("public_key", t.publicKey), zap.Error(err))
	}
	if was, is := t.ContentKey, contentKeyID(o.content); was != is {
		return fmt.Errorf("the trail is open with encryption_key %s, but another handler or the new configuration has %s: "+
			"all handlers that share a store must have the same; to change it, stop and start", OrNone(was), OrNone(is))
	}
	return nil
}

// OrNone returns the ID of a key, or "none" for an empty one.
func OrNone(id string) string {
	if id == "" {
		return "none"
	}
	return id
}
