package access

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/identity"
	"github.com/fielato/fielato/internal/clients"
)

// Tables are the tables of a configuration's gateways.
type Tables struct {
	all app.Placed[*Access]
	// everybody: whoever reaches a console may read everything (option readers of a gateway).
	everybody bool
}

// tablesKey is the key under which they are shared.
type tablesKey struct{}

// Join adds the table of the gateway at a place to its configuration's tables, nil for a gateway without one. everybody:
// it has the option readers.
func Join(a *app.App, at app.Place, one *Access, everybody bool) {
	t := app.Shared(a, tablesKey{}, func() *Tables { return new(Tables) })
	if one != nil {
		t.all.Add(at, one)
	}
	t.everybody = t.everybody || everybody
}

// CheckReaders returns an error if the option readers, of a gateway or a console, has another value than clients.All.
func CheckReaders(value string) error {
	if value != "" && value != clients.All {
		return fmt.Errorf("readers %q: write readers %s, so that everybody who gets through the authentication in front of the console sees all, or a row reader <name> for each in the block of wsfev1", value, clients.All)
	}
	return nil
}

// ReadersOption is the option readers of a directive.
func ReadersOption[T any](field func(*T) *string, fallback string) directive.Option[T] {
	return directive.Option[T]{
		Name: "readers", Arguments: clients.All,
		Meaning:  "everybody who gets through the authentication in front sees all records in the console, but for those who have a row `reader`",
		Fallback: fallback,
		Read:     func(to *T, d *caddyfile.Dispenser) error { return directive.OneArgument(d, field(to)) },
	}
}

// Decides reports whether these tables say who may see what.
func (t *Tables) Decides() bool { return t != nil && (t.everybody || len(t.all.All()) > 0) }

// In returns the tables of a configuration, nil if it has no gateway.
func In(a *app.App) *Tables {
	t, _ := app.LookUp[*Tables](a, tablesKey{})
	return t
}

// ErrUnproven: nothing at all was proven about who asks.
var ErrUnproven = errors.New("nothing was proven about who asks")

// Reader returns who asks a console, by the first table of the configuration that has a reader with what was proven. It
// returns nil if no table bounds who reads: there are none, or a gateway has the option readers, or everybody says that
// this console has it. The error wraps clients.ErrNobody, clients.ErrSeveral or ErrUnproven.
func (t *Tables) Reader(r *http.Request, everybody bool) (*clients.Reader, error) {
	if t == nil || len(t.all.All()) == 0 {
		return nil, nil //nolint:nilnil // no bound is the rule
	}
	id := identity.Of(r)
	for _, a := range t.all.All() {
		table, _ := a.Table()
		reader, err := table.Reader(&id)
		if !errors.Is(err, clients.ErrNobody) {
			return reader, err //nolint:wrapcheck // it says all
		}
	}
	switch {
	case everybody || t.everybody:
		return nil, nil //nolint:nilnil // as above
	case id.User == "" && id.Subject == "" && len(id.PublicKey) == 0:
		return nil, ErrUnproven
	}
	return nil, clients.ErrNobody
}
