package tickets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
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

// Trail is the part of the gateway's trail that the keepers use.
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
	blocks []*block
	// issuers has the CUITs for which there is a certificate.
	issuers atomic.Pointer[map[wsfev1.CUIT]issuer]
	// set gives each CUIT its keeper once ready is closed, as far as there is one.
	set   atomic.Pointer[keeper.Set]
	ready chan struct{}
}

// issuer is a CUIT for which there is a certificate, in this file. always: all its requests get that one's ticket.
type issuer struct {
	file   string
	always bool
}

// Provision registers the keepers of some blocks, which start with the configuration, after the trail. It
// returns nil if there are no blocks. A mistake in the text of a block is an error; a certificate that
// cannot be used is not.
func Provision(a *app.App, all []Options, trail Trail, logger *zap.Logger) (*Keepers, error) {
	if len(all) == 0 {
		return nil, nil
	}
	prepared, err := Prepare(all, time.Now())
	if err != nil {
		return nil, err
	}
	k := &Keepers{ready: make(chan struct{})}
	for i := range prepared.Blocks {
		if err := k.add(a, &prepared.Blocks[i], trail, logger); err != nil {
			return nil, err
		}
	}
	for i := range prepared.Empty {
		o := &prepared.Empty[i]
		if _, err := trail.of(o); err != nil {
			return nil, err
		}
		logger.Warn(o.placed(o.Unmatched()).Error())
	}
	for _, s := range prepared.Spare {
		logger.Warn(s.Options.placed(s.Problem).Error(), Fields(s.Options.identity)...)
	}
	k.noteIssuers()
	a.Open(k)
	k.share(a)
	a.Run(&watch{keepers: k, stop: make(chan struct{})})
	return k, nil
}

var (
	errNoStore = errors.New("the store of the trail keeps no tickets: write store memory")
	errNoSeal  = errors.New("gateways that share the store of the trail share its tickets, sealed with encryption_key: give audit one, or write store memory")
)

// of returns the trail for the tickets of a block, which may keep them in memory.
func (t Trail) of(o *Options) (Trail, error) {
	switch {
	case o.Store == StoreMemory:
		return Trail{Key: StoreMemory}, nil
	case t.Opener == nil:
		return t, o.placed(errNoStore)
	case t.Shared && !t.Encrypted:
		return t, o.placed(errNoSeal)
	}
	return t, nil
}

// add registers the keeper of a block.
func (k *Keepers) add(a *app.App, o *Options, trail Trail, logger *zap.Logger) error {
	trail, err := trail.of(o)
	if err != nil {
		return err
	}
	b := newBlock(o, trail, a.Replaces(), logger)
	k.blocks = append(k.blocks, b)
	a.Open(b)
	return nil
}

// noteIssuers notes the CUITs for which there is a certificate.
func (k *Keepers) noteIssuers() {
	issuers := map[wsfev1.CUIT]issuer{}
	for _, b := range k.blocks {
		for _, cuit := range b.state().cuits {
			issuers[cuit] = issuer{b.options.Certificate, b.options.Tickets == ticketsAlways}
		}
	}
	k.issuers.Store(&issuers)
}

// opened returns the keepers that have started.
func (k *Keepers) opened() (all []*keeper.Keeper) {
	for _, b := range k.blocks {
		if one := b.state().keeper; one != nil {
			all = append(all, one)
		}
	}
	return all
}

// assign gives each CUIT its keeper.
func (k *Keepers) assign() error {
	k.noteIssuers()
	set, err := keeper.NewSet(k.opened()...)
	if err != nil {
		return fmt.Errorf("wsaa: %w", err)
	}
	k.set.Store(set)
	return nil
}

// whole reports whether all certificates can be used.
func (k *Keepers) whole() bool {
	return !slices.ContainsFunc(k.blocks, func(b *block) bool {
		return b.state().problem != nil
	})
}

// look reads the files again that could not be used.
func (k *Keepers) look() {
	changed := false
	for _, b := range k.blocks {
		changed = b.look(k.free) || changed
	}
	if !changed {
		return
	}
	if err := k.assign(); err != nil { // Provision has looked for CUITs that are named twice
		logger().Error("a certificate that can be used again is not used", zap.Error(err))
	}
}

// free returns an error if another block has a CUIT of one that was read again.
func (k *Keepers) free(of *block, o *Options) error {
	for _, other := range k.blocks {
		if other == of {
			continue
		}
		for _, cuit := range other.state().cuits {
			if slices.Contains(o.cuits, cuit) {
				return o.spared(&other.options, cuit)
			}
		}
	}
	return nil
}

// Start implements app.Resource: all keepers are open.
func (k *Keepers) Start() error {
	if err := k.assign(); err != nil {
		return err
	}
	close(k.ready)
	return nil
}

// Stop implements app.Resource. The blocks have stopped before: it waits for the keepers that are in no configuration any
// more. Requests that are still inside get the tickets at hand.
func (k *Keepers) Stop() { awaitClosed() }

// Keeps reports whether requests for an issuer may get a ticket from a keeper, and whether all of
// them do.
func (k *Keepers) Keeps(cuit wsfev1.CUIT) (always, ok bool) {
	if k == nil {
		return false, false
	}
	of, ok := (*k.issuers.Load())[cuit]
	return of.always, ok
}

// Certificate returns the file of the certificate whose ticket requests for an issuer may get, empty for none.
func (k *Keepers) Certificate(cuit wsfev1.CUIT) string {
	if k == nil {
		return ""
	}
	return (*k.issuers.Load())[cuit].file
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
	ticket, err := k.set.Load().Ticket(ctx, wsaa.TicketService, cuit)
	if _, none := errors.AsType[*keeper.NoKeeperError](err); none {
		return nil, &keeper.UnavailableError{Cause: k.problem(cuit), Retry: lookEvery}
	}
	return ticket, err
}

// problem returns why the certificate of an issuer cannot be used.
func (k *Keepers) problem(cuit wsfev1.CUIT) error {
	for _, b := range k.blocks {
		if s := b.state(); s.problem != nil && slices.Contains(s.cuits, cuit) {
			return b.options.placed(s.problem)
		}
	}
	return errNotStarted // its keeper is about to be there
}

// Refused reports that the service has refused the ticket itself.
func (k *Keepers) Refused(cuit wsfev1.CUIT, ticket *client.Ticket) {
	k.set.Load().Refused(cuit, ticket)
}

// Interface guards
var _ app.Resource = (*Keepers)(nil)
