package tickets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// gatewaysKey is the key under which the gateways of a configuration share their Keepers.
type gatewaysKey struct{}

// gateways are the Keepers of the gateways of a configuration.
type gateways struct{ all []*Keepers }

// share adds the keepers of a gateway to its configuration's.
func (k *Keepers) share(a *app.App) {
	of := app.Shared(a, gatewaysKey{}, func() *gateways { return new(gateways) })
	of.all = append(of.all, k)
}

// In returns the keepers of a configuration that have started, each once.
func In(a *app.App) (all []*keeper.Keeper) {
	of, ok := app.LookUp[*gateways](a, gatewaysKey{})
	if !ok {
		return nil
	}
	for _, k := range of.all {
		select {
		case <-k.ready:
		default:
			continue
		}
		for _, one := range k.opened() {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// Selection says which keeper is meant. An empty field fits any keeper.
type Selection struct {
	// Login is the login service, as in the configuration.
	Login string `json:"login,omitempty"`
	// Certificate is the name of the certificate, or its alias.
	Certificate string `json:"certificate,omitempty"`
	// Cuit is one of those for which the keeper gives its ticket away.
	Cuit wsfev1.CUIT `json:"cuit,omitzero"`
	// Service is the id of the service.
	Service string `json:"service,omitempty"`
}

var (
	// ErrNoKeepers: the configuration has no wsaa.
	ErrNoKeepers = errors.New("the running configuration has no wsaa: it keeps no tickets")
	// ErrNoMatch: no keeper is the one that is meant.
	ErrNoMatch = errors.New("no certificate of the running configuration is meant by that")
	// ErrSeveral: several keepers may be meant.
	ErrSeveral = errors.New("the running configuration keeps several tickets")
)

// Pick returns the one keeper that a selection means. The error is ErrNoKeepers, ErrNoMatch, ErrSeveral, or about
// the login service.
func Pick(all []*keeper.Keeper, by Selection) (*keeper.Keeper, error) {
	for _, u := range Unusables() {
		if by.Cuit != 0 && slices.Contains(u.Cuits, by.Cuit) && !slices.ContainsFunc(all, func(k *keeper.Keeper) bool { return slices.Contains(k.Snapshot().CUITs, by.Cuit) }) {
			return nil, fmt.Errorf("%w: %s", ErrNoMatch, u.Problem)
		}
	}
	if len(all) == 0 {
		return nil, ErrNoKeepers
	}
	var at Place
	if by.Login != "" {
		var err error
		if at, err = ParsePlace(by.Login); err != nil {
			return nil, err
		}
	}
	matching := slices.DeleteFunc(slices.Clone(all), func(k *keeper.Keeper) bool {
		s := k.Snapshot()
		return at.URL != "" && at.URL != s.URL || by.Service != "" && by.Service != s.Service ||
			by.Certificate != "" && by.Certificate != s.Certificate.Name && by.Certificate != s.Certificate.Alias ||
			by.Cuit != 0 && !slices.Contains(s.CUITs, by.Cuit)
	})
	switch len(matching) {
	case 0:
		return nil, fmt.Errorf("%w: it keeps %s", ErrNoMatch, names(all))
	case 1:
		return matching[0], nil
	}
	return nil, fmt.Errorf("%w: name one by one of its CUITs: %s", ErrSeveral, names(matching))
}

// maxNames is how many keepers an error names.
const maxNames = 10

// names lists keepers, each with a CUIT by which it can be picked.
func names(all []*keeper.Keeper) string {
	texts := make([]string, 0, maxNames+1)
	for i, k := range all {
		if i == maxNames {
			texts = append(texts, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		s := k.Snapshot()
		texts = append(texts, fmt.Sprintf("%s (certificate %s at %s)", s.CUITs[0], s.Certificate.Alias, hostOf(s.URL)))
	}
	return strings.Join(texts, ", ")
}
