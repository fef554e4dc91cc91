package console

import (
	"context"
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// ownStore is a store that the console has opened itself, for reading.
type ownStore struct{ audit.Store }

// readerOpener is a store that can be opened for reading alone, beside the gateway that writes it.
type readerOpener interface {
	// Key identifies the store. It is written to no log.
	Key() string
	// OpenReader opens the store for reading. It decrypts content with the key, if that is not nil. It
	// fails if no gateway has written the store yet.
	OpenReader(ctx context.Context, content *audit.ContentKey) (audit.Store, error)
}

// ownStores are the stores of all configurations: a reload that keeps the store keeps it open.
var ownStores = caddy.NewUsagePool()

// provisionStore prepares the store of the option audit, which is opened when the configuration starts.
func (c *Console) provisionStore(ctx caddy.Context) error {
	if c.StoreRaw == nil {
		if c.EncryptionKey != "" {
			return errors.New("encryption_key is the key of a store that audit names: without audit the gateway's own is used")
		}
		return nil
	}
	module, err := ctx.LoadModule(c, "StoreRaw")
	if err != nil {
		return fmt.Errorf("loading the store: %w", err)
	}
	opener, ok := module.(readerOpener)
	if !ok {
		return fmt.Errorf("audit: the store %T cannot be opened for reading alone", module)
	}
	key, err := keyfile.Content(c.EncryptionKey)
	if err != nil {
		return err
	}
	c.own = app.Lend(c.app, ownStores, opener.Key(), func() (*ownStore, error) {
		store, err := opener.OpenReader(context.Background(), key)
		if err != nil {
			return nil, fmt.Errorf("opening the store of wsfev1_console: %w", err)
		}
		return &ownStore{store}, nil
	})
	return nil
}

// openOwn calls do with the console's own store.
func (c *Console) openOwn(ctx context.Context, do func([]site.Source) error) error {
	store, leave, err := c.own.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	logs, err := store.Logs(ctx)
	if err != nil {
		return fmt.Errorf("listing the logs: %w", err)
	}
	return do([]site.Source{{Store: store, Logs: logs}})
}

// openGateways calls do with the stores of the gateways in the configuration.
func openGateways(ctx context.Context, a *app.App, do func([]site.Source) error) error {
	set := trail.In(a)
	if set == nil {
		return site.ErrNoTrail
	}
	return set.Within(ctx, func(trails []*trail.Trail) error {
		var sources []site.Source
		for _, t := range trails {
			logs, err := t.Store.Logs(ctx)
			if err != nil {
				return fmt.Errorf("listing the logs: %w", err)
			}
			kept := func(ctx context.Context) []checkpoint.ShownDestination { return checkpoint.Shown(ctx, a, t) }
			sources = append(sources, site.Source{Store: t.Store, Logs: logs, Trail: t, Kept: kept})
		}
		return do(sources)
	})
}
