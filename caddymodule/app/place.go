package app

import (
	"cmp"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Place is where a handler stands in its configuration.
type Place struct{ server string }

// PlaceOf returns the place of the handler that is being provisioned.
func PlaceOf(ctx caddy.Context) Place {
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		return Place{server.Name()}
	}
	return Place{}
}

// compare orders places by their servers, whose names a Caddyfile numbers: srv2 comes before srv10.
func (p Place) compare(other Place) int {
	return cmp.Or(cmp.Compare(len(p.server), len(other.server)), cmp.Compare(p.server, other.server))
}

// Placed are values of handlers, in the order in which the configuration has the handlers. Caddy provisions the handlers of a
// server in their order, and the servers in none: what counts handlers, or takes the first, would change by chance.
// The zero value is empty.
type Placed[T any] struct {
	places []Place
	values []T
}

// Add adds a value of the handler at a place, behind those that the same server has added before.
func (p *Placed[T]) Add(at Place, value T) {
	i := 0
	for i < len(p.places) && p.places[i].compare(at) <= 0 {
		i++
	}
	p.places, p.values = slices.Insert(p.places, i, at), slices.Insert(p.values, i, value)
}

// All returns the values. They must not be changed.
func (p *Placed[T]) All() []T { return p.values }
