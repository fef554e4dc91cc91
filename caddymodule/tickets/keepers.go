package tickets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// Store keeps tickets where other gateways and the next start find them.
type Store interface {
	keeper.Store
	Close() error
}

// StoreOpener is a store of the trail (trail.StoreOpener) that can also keep tickets.
type StoreOpener interface {
	// OpenTickets opens the part of the store that keeps them. The caller closes it.
	OpenTickets(ctx context.Context) (Store, error)
}

// Trail is what the keepers use of the trail of their gateway.
type Trail struct {
	// Opener opens the store, nil if that keeps no tickets. Key identifies it.
	Opener StoreOpener
	Key    string
	// Shared: other gateways use the store, and have other keys that sign. Encrypted: all of them have
	// the key that encrypts content.
	Shared, Encrypted bool
	// Secret returns the key that seals tickets. The trail is open by then.
	Secret func() ([]byte, error)
}

// Keepers are the keepers of a gateway. nil is one without any.
type Keepers struct {
	always map[wsfev1.CUIT]bool
	// opened are those that have started; set gives each CUIT its own once ready is closed.
	opened []*keeper.Keeper
	set    *keeper.Set
	ready  chan struct{}
}

// Provision registers the keepers of some blocks, which start with the configuration, after the
// trail. It returns nil if there are no blocks.
func Provision(a *app.App, blocks []Options, trail Trail, logger *zap.Logger) (*Keepers, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	k := &Keepers{always: map[wsfev1.CUIT]bool{}, ready: make(chan struct{})}
	for i := range blocks {
		o := blocks[i]
		if err := k.add(a, &o, trail, logger); err != nil {
			return nil, fmt.Errorf("wsaa %s: %w", o.Login, err)
		}
	}
	a.Open(k)
	return k, nil
}

var (
	errNoStore = errors.New("the store of the trail keeps no tickets: write store memory")
	errNoSeal  = errors.New("gateways that share the store of the trail share its tickets, sealed with encryption_key: give audit one, or write store memory")
)

// add registers the keeper of a block.
func (k *Keepers) add(a *app.App, o *Options, trail Trail, logger *zap.Logger) error {
	if err := o.provision(logger, time.Now()); err != nil {
		return err
	}
	switch {
	case o.Store == StoreMemory:
		trail = Trail{Key: StoreMemory}
	case trail.Opener == nil:
		return errNoStore
	case trail.Shared && !trail.Encrypted:
		return errNoSeal
	}
	for _, cuit := range o.cuits {
		if _, twice := k.always[cuit]; twice {
			return fmt.Errorf("cuits: %s has a certificate already: name it with one of them", cuit)
		}
		k.always[cuit] = o.Tickets == ticketsAlways
	}
	post, err := NewPost(o.tlsCA, "tls_ca")
	if err != nil {
		return err
	}
	handle := app.Lend(a, keepers, o.poolKey(trail.Key), func() (*pooled, error) { return open(o, trail, post) })
	handle.Check = func(p *pooled) error {
		k.opened = append(k.opened, p.keeper)
		return nil
	}
	return nil
}

// Start implements app.Resource: all keepers are open.
func (k *Keepers) Start() (err error) {
	if k.set, err = keeper.NewSet(k.opened...); err != nil {
		return fmt.Errorf("wsaa: %w", err)
	}
	close(k.ready)
	return nil
}

// Stop implements app.Resource. Requests that are still inside get the tickets at hand.
func (k *Keepers) Stop() {}

// Keeps reports whether requests for an issuer may get a ticket from a keeper, and whether all of
// them do.
func (k *Keepers) Keeps(cuit wsfev1.CUIT) (always, ok bool) {
	if k == nil {
		return false, false
	}
	always, ok = k.always[cuit]
	return always, ok
}

// errNotStarted: a request came before the configuration had started.
var errNotStarted = errors.New("the keeper of tickets has not started")

// Ticket returns a ticket for an issuer, for which Keeps must hold. It waits for a login under way until
// the context ends. The error is a *keeper.UnavailableError, or a *keeper.NotRepresentedError.
func (k *Keepers) Ticket(ctx context.Context, cuit wsfev1.CUIT) (*client.Ticket, error) {
	select {
	case <-k.ready:
	case <-ctx.Done():
		return nil, &keeper.UnavailableError{Cause: errNotStarted, Retry: time.Second}
	}
	return k.set.Ticket(ctx, wsaa.TicketService, cuit)
}

// Refused reports that the service has refused the ticket itself.
func (k *Keepers) Refused(cuit wsfev1.CUIT, ticket *client.Ticket) { k.set.Refused(cuit, ticket) }

// Interface guards
var _ app.Resource = (*Keepers)(nil)
