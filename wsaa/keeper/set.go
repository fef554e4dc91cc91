package keeper

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
)

// Set gives each CUIT to the Keeper of its certificate. It does not change.
type Set struct {
	keepers []*Keeper
	// of has the Keepers of a CUIT, one for each service.
	of map[wsfev1.CUIT][]*Keeper
}

// NewSet returns the Set of some Keepers. A CUIT may belong to one of them for each service.
func NewSet(keepers ...*Keeper) (*Set, error) {
	s := &Set{keepers: keepers, of: map[wsfev1.CUIT][]*Keeper{}}
	for _, k := range keepers {
		for _, cuit := range k.config.CUITs {
			if other := s.find(k.config.Service, cuit); other != nil {
				return nil, fmt.Errorf("the CUIT %s has two certificates (%s; %s): name it with one of them",
					cuit, other.config.Credential.Identity(), k.config.Credential.Identity())
			}
			s.of[cuit] = append(s.of[cuit], k)
		}
	}
	return s, nil
}

// find returns the Keeper of a CUIT for a service, nil for none.
func (s *Set) find(service string, cuit wsfev1.CUIT) *Keeper {
	for _, k := range s.of[cuit] {
		if k.config.Service == service {
			return k
		}
	}
	return nil
}

// Keepers returns the Keepers of the Set, in their order.
func (s *Set) Keepers() []*Keeper { return s.keepers }

// Ticket returns a ticket of a service for a CUIT, as Keeper.Ticket does. The error is a *NoKeeperError if
// no certificate is configured for it.
func (s *Set) Ticket(ctx context.Context, service string, cuit wsfev1.CUIT) (*client.Ticket, error) {
	k := s.find(service, cuit)
	if k == nil {
		return nil, &NoKeeperError{cuit, service}
	}
	return k.Ticket(ctx, cuit)
}

// Refused reports that the service has refused a ticket itself, as Keeper.Refused does.
func (s *Set) Refused(cuit wsfev1.CUIT, ticket *client.Ticket) {
	if k := s.find(ticket.Service, cuit); k != nil {
		k.Refused(ticket)
	}
}

// Start starts all Keepers.
func (s *Set) Start() {
	for _, k := range s.keepers {
		k.Start()
	}
}

// Close closes all Keepers, each until the context ends.
func (s *Set) Close(ctx context.Context) error {
	errs := make([]error, len(s.keepers))
	for _, k := range s.keepers {
		k.halt() // all at once: each may have a login under way
	}
	for i, k := range s.keepers {
		errs[i] = k.Close(ctx)
	}
	return errors.Join(errs...)
}
