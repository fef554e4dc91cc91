package trail

import (
	"cmp"
	"context"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/redact"
	"github.com/fielato/fielato/caddymodule/checkpoint"
)

// Options say how a trail is kept. Handlers that share a store must agree on them, and so must
// two configurations of which one replaces the other: an open trail goes on as it was opened
// (see Agree).
type Options struct {
	// Key is where the private key is that signs the trail's checkpoints: a file,
	// which is made at first start (0600), or a placeholder such as `{env.NAME}` or
	// `{file.PATH}` that stands for the key itself. Default: beside the store's
	// database, with `.key` after its name.
	Key string `json:"key,omitempty"`

	// LogReads says that whoever reads the trail by a command is written down in it:
	// when, as which user, on which host, and what was asked for. Default: false.
	LogReads bool `json:"log_reads,omitempty"`

	// OnFailure says what becomes of an exchange that cannot be recorded: `refuse`
	// answers 503 and sends nothing; `forward` goes on without a record, which is
	// written later if it can be. Default: `refuse`.
	OnFailure string `json:"on_failure,omitempty"`

	// Redact are the members of requests and answers that are not kept, besides the
	// credentials: JSON Pointers in which `*` stands for each item of a list, such as
	// `/FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro`. A keyed fingerprint stands for them.
	Redact []string `json:"redact,omitempty"`

	// CheckpointTo is where the newest checkpoint is kept besides.
	CheckpointTo []checkpoint.Options `json:"checkpoint_to,omitempty"`

	// EncryptionKey is where the key is that encrypts the content of records at rest,
	// their bodies and what quotes them: a file with mode 0600, or a placeholder such as
	// `{env.NAME}` or `{file.PATH}` that stands for the key itself. What a record is found
	// by is not encrypted. Default: content is kept as it is.
	EncryptionKey string `json:"encryption_key,omitempty"`

	keys         KeySource
	content      *audit.ContentKey
	fields       *redact.Fields
	destinations []checkpoint.Destination // those of CheckpointTo
}

const (
	onFailureRefuse  = "refuse"
	onFailureForward = "forward"
)

// Forwards reports whether exchanges go on although they cannot be recorded.
func (o *Options) Forwards() bool { return o.OnFailure == onFailureForward }

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

// Provision resolves the keys, the redacted fields and the destinations of checkpoints.
func (o *Options) Provision(opener StoreOpener) (err error) {
	if err := checkOnFailure(o.OnFailure); err != nil {
		return err
	}
	for _, pointer := range o.Redact {
		if err := checkRedacted(pointer); err != nil {
			return err
		}
	}
	if o.fields, err = redact.NewFields(o.Redact); err != nil {
		return fmt.Errorf("redact: %w", err)
	}
	if o.keys, err = newKeySource(o.Key, opener.KeyFile()); err != nil {
		return err
	}
	if o.content, err = newContentKey(o.EncryptionKey); err != nil {
		return err
	}
	for _, written := range o.CheckpointTo {
		resolved, err := written.Resolve()
		if err != nil {
			return err
		}
		o.destinations = append(o.destinations, resolved)
	}
	return nil
}

// Fields returns the fields of Redact. The options must be provisioned.
func (o *Options) Fields() *redact.Fields { return o.fields }

// Destinations returns those of CheckpointTo, in its order. The options must be provisioned.
func (o *Options) Destinations() []checkpoint.Destination { return o.destinations }

// Witness compares a trail with the checkpoints that were published of it. Nothing may be issued
// before it returns nil.
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

// Agree returns an error if these options differ from those with which t was opened.
func (o *Options) Agree(t *Trail) error {
	verifier, err := o.keys.verifier()
	switch {
	case err != nil && o.keys.File != t.keyFile:
		return fmt.Errorf("the trail is open and signed with the key %s: %w", t.publicKey, err)
	case err == nil && verifier != t.publicKey:
		return fmt.Errorf("the trail is open and signed with the key %s, but key names %s: give the same one", t.publicKey, verifier)
	}
	if was, is := t.ContentKey, contentKeyID(o.content); was != is {
		return fmt.Errorf("the trail is open with encryption_key %s, and another handler or the new configuration says %s: "+
			"all that share a store must say the same; to change it, stop and start", OrNone(was), OrNone(is))
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
