package access

import (
	"errors"
	"net/http"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/identity"
	"github.com/fielato/fielato/internal/clients"
)

// Tables are the tables of a configuration's gateways.
type Tables struct {
	all []*Access
	// everybody: whoever reaches the console may read everything (option readers).
	everybody bool
}

// tablesKey is the key under which they are shared.
type tablesKey struct{}

// Join adds a gateway's table to its configuration's tables, nil for a gateway without one. everybody: it has the
// option readers.
func Join(a *app.App, one *Access, everybody bool) {
	t := app.Shared(a, tablesKey{}, func() *Tables { return new(Tables) })
	if one != nil {
		t.all = append(t.all, one)
	}
	t.everybody = t.everybody || everybody
}

// In returns the tables of a configuration, nil if it has no gateway.
func In(a *app.App) *Tables {
	t, _ := app.LookUp[*Tables](a, tablesKey{})
	return t
}

// ErrUnproven: nothing at all was proven about who asks.
var ErrUnproven = errors.New("nothing was proven about who asks")

// Reader returns who asks, by the first table that has a reader with what was proven. It returns nil if no table
// bounds who reads: there are none, or a gateway has the option readers. The error wraps clients.ErrNobody,
// clients.ErrSeveral or ErrUnproven.
func (t *Tables) Reader(r *http.Request) (*clients.Reader, error) {
	if t == nil || len(t.all) == 0 {
		return nil, nil //nolint:nilnil // no bound is the rule
	}
	id := identity.Of(r)
	for _, a := range t.all {
		table, _ := a.Table()
		reader, err := table.Reader(&id)
		if !errors.Is(err, clients.ErrNobody) {
			return reader, err //nolint:wrapcheck // it says all
		}
	}
	switch {
	case t.everybody:
		return nil, nil //nolint:nilnil // as above
	case id.User == "" && id.Subject == "" && len(id.PublicKey) == 0:
		return nil, ErrUnproven
	}
	return nil, clients.ErrNobody
}
