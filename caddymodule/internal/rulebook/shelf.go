package rulebook

import (
	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/intake"
)

// Shelf has the books of a configuration, in the order of its gateways.
type Shelf struct {
	Books []*intake.Book
	// placed has them as they were added.
	placed app.Placed[*intake.Book]
	// Counts returns what all gateways of the process have counted about a rule since its start.
	Counts func(code int32) Counts
}

// Counts are what was counted about a rule.
type Counts struct {
	// Refused and Observed are findings, by what followed from them.
	Refused, Observed uint64
	// Service is how often the service has answered with the code.
	Service uint64
	// Both, GatewayAlone and ServiceAlone are invoices that both judged, by who has found the code.
	Both, GatewayAlone, ServiceAlone uint64
}

// shelfKey is the key under which the shelf is shared.
type shelfKey struct{}

// Add puts the book of the gateway at a place on the shelf of its configuration.
func Add(a *app.App, at app.Place, book *intake.Book, counts func(code int32) Counts) {
	s := app.Shared(a, shelfKey{}, func() *Shelf { return new(Shelf) })
	s.placed.Add(at, book)
	s.Books, s.Counts = s.placed.All(), counts
}

// In returns the shelf of a configuration, nil if it has no gateway.
func In(a *app.App) *Shelf {
	s, _ := app.LookUp[*Shelf](a, shelfKey{})
	return s
}
