package keeping

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// errNoSecret keeps a store from making a secret that is only looked up.
var errNoSecret = errors.New("it is not there")

// secretOf returns a secret of the store; nil for none.
func secretOf(ctx context.Context, store audit.Store, name string) ([]byte, error) {
	value, err := store.Secret(ctx, name, func() ([]byte, error) { return nil, errNoSecret })
	if errors.Is(err, errNoSecret) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what the store keeps as %s: %w", name, err)
	}
	return value, nil
}

// keepSecret stores a secret unless there is one, and returns the stored one.
func keepSecret(ctx context.Context, store audit.Store, name string, value []byte) ([]byte, error) {
	kept, err := store.Secret(ctx, name, func() ([]byte, error) { return value, nil })
	if err != nil {
		return nil, fmt.Errorf("keeping %s: %w", name, err)
	}
	return kept, nil
}

// checkEncryption requires the key if a store encrypts: a copy must not be in plain text.
func (c *copier) checkEncryption(ctx context.Context) error {
	for name, store := range map[string]audit.Store{"from": c.source.Store, "to": c.target} {
		id, err := secretOf(ctx, store, audit.ContentKeySecret)
		if err != nil {
			return err
		}
		if id != nil && c.key == nil {
			return fmt.Errorf("--%s: content is encrypted with the key %s: give --encryption-key FILE, or the key in %s", name, id, cli.ContentKeyVariable)
		}
	}
	return nil
}

// copyFingerprintKey copies the fingerprint key, and fails if the target has another one.
func (c *copier) copyFingerprintKey(ctx context.Context) error {
	own, err := secretOf(ctx, c.source.Store, trail.FingerprintKey)
	if err != nil {
		return err
	}
	if own == nil {
		return errors.New("--from: no gateway has kept its fingerprint key there")
	}
	kept, err := keepSecret(ctx, c.target, trail.FingerprintKey, own)
	if err != nil || bytes.Equal(kept, own) {
		return err
	}
	logs, err := c.target.Logs(ctx)
	if err != nil {
		return fmt.Errorf("listing the logs: %w", err)
	}
	const why = "--to: the store has a fingerprint key of its own. The gateways of a store share one: by it they recognise a request " +
		"that comes again, its Idempotency-Key and its credentials, and the marks in the copied records would match nothing"
	if len(logs) == 0 {
		return errors.New(why + "; no log is in it, so make it anew (a new file, or new tables) and copy before the first gateway starts there")
	}
	return fmt.Errorf("%s; its own logs need it (%v): copy into a store of its own", why, logs)
}

// copyNames copies the public key of the log. In a store of one gateway it also copies the
// name of the log that this gateway writes.
func (c *copier) copyNames(ctx context.Context, log, verifier string, alone bool) error {
	name := signingkey.VerifierKeyOf(log)
	if _, shared := c.target.(audit.Claimer); !shared {
		own, err := secretOf(ctx, c.target, trail.LogNameKey)
		if err == nil && own == nil {
			if own, err = secretOf(ctx, c.source.Store, trail.LogNameKey); err == nil && own == nil && alone {
				own = []byte(log)
			}
			if err == nil && own != nil {
				own, err = keepSecret(ctx, c.target, trail.LogNameKey, own)
			}
		}
		if err != nil {
			return err
		}
		if string(own) == log {
			name = signingkey.VerifierKey
		}
	}
	kept, err := keepSecret(ctx, c.target, name, []byte(verifier))
	if err == nil && string(kept) != verifier {
		err = fmt.Errorf("--to: the store names another public key of the log %s: %s", log, kept)
	}
	return err
}

// copyBuiltInMark copies the mark that the built-in service has issued into a log, to a log of this or
// another store. It comes before any record of that.
func copyBuiltInMark(ctx context.Context, from audit.Store, log string, to audit.Store, as string) error {
	since, err := trail.InventedSince(ctx, from, log)
	if err != nil || since == "" {
		return err
	}
	if err := to.SetSetting(ctx, trail.BuiltInKey(as), []byte(since)); err != nil {
		return fmt.Errorf("keeping that the built-in service has answered in the log %s: %w", as, err)
	}
	return nil
}

// copyRetention copies how long the content of a log must be kept.
func (c *copier) copyRetention(ctx context.Context, log string) error {
	years, err := audit.Retention(ctx, c.source.Store, log)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	return audit.KeepRetention(ctx, c.target, log, years)
}

// copySettings copies which of the logs goes on after which, and log_reads unless the target has a
// setting of its own.
func (c *copier) copySettings(ctx context.Context, logs []string) error {
	for _, log := range logs {
		if err := sentinel.CopySuccessor(ctx, c.source.Store, c.target, log); err != nil {
			return err
		}
	}
	own, err := c.source.Store.Setting(ctx, trail.LogReadsKey)
	if err != nil {
		return fmt.Errorf("reading whether reads are written down: %w", err)
	}
	kept, err := c.target.Setting(ctx, trail.LogReadsKey)
	if err != nil {
		return fmt.Errorf("reading whether reads are written down: %w", err)
	}
	if own == nil || kept != nil {
		return nil
	}
	if err := c.target.SetSetting(ctx, trail.LogReadsKey, own); err != nil {
		return fmt.Errorf("keeping whether reads are written down: %w", err)
	}
	return nil
}

// copyCosigned copies the newest checkpoint that witnesses have cosigned: proofs rest on it.
func (c *copier) copyCosigned(ctx context.Context, log, verifier string) error {
	_, signed, err := audit.Cosigned(ctx, c.source.Store, log, verifier)
	if err != nil || signed == nil {
		return err
	}
	if err := c.target.SetSetting(ctx, audit.CosignedSetting(log), signed); err != nil {
		return fmt.Errorf("keeping the cosigned checkpoint of log %s: %w", log, err)
	}
	return nil
}

// copyHolds copies the legal holds, and returns how many there are. An existing one stays as it is.
func (c *copier) copyHolds(ctx context.Context) (int, error) {
	var held []audit.Hold
	err := c.withPurger(ctx, c.source.Address, func(p audit.Purger) (err error) {
		held, err = p.Holds(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("--from: reading the legal holds: %w", err)
	}
	if len(held) == 0 {
		return 0, nil
	}
	err = c.withPurger(ctx, c.to, func(p audit.Purger) error {
		for _, hold := range held {
			if err := p.Hold(ctx, hold); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("--to: keeping %s: %w", cli.CountOf(uint64(len(held)), "legal hold"), err)
	}
	return len(held), nil
}

func (c *copier) withPurger(ctx context.Context, store cli.StoreAddress, do func(audit.Purger) error) error {
	purger, err := store.Kind.Purger(ctx, store.Place, c.key)
	if err != nil {
		return err
	}
	return errors.Join(do(purger), purger.Close())
}
