package checkpoint

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsfev1"
)

// keepers are those of a configuration.
type keepers struct{ all []*keeper }

// keepersKey is what they are shared under.
type keepersKey struct{}

// Run has a keeper run with the configuration. Two gateways that share a trail share its
// keepers too.
func Run(a *app.App, k *keeper) error {
	ks := app.Shared(a, keepersKey{}, func() *keepers { return new(keepers) })
	for _, other := range ks.all {
		switch {
		case other.place.id() != k.place.id():
		case other.source.Key == k.source.Key:
			return nil
		case !k.place.shared():
			return fmt.Errorf("checkpoint_to %s: another trail is kept there: give each a place of its own", k.place.address())
		}
	}
	ks.all = append(ks.all, k)
	a.Run(k)
	return nil
}

// ShownDestination is how the admin API shows a place where checkpoints are kept besides.
type ShownDestination struct {
	// Place is a file, or the scheme and host of a URL.
	Place string `json:"place"`
	// At is when the newest checkpoint was last known to be there, no text for never;
	// Problem why it is not.
	At      string `json:"at"`
	Problem string `json:"problem"`
}

// Shown shows the places of a trail.
func Shown(ctx context.Context, a *app.App, of Source) (all []ShownDestination) {
	ks, ok := app.LookUp[*keepers](a, keepersKey{})
	if !ok {
		return nil
	}
	for _, k := range ks.all {
		t, leave, err := k.source.Enter(ctx)
		if err != nil {
			continue
		}
		leave()
		if t != of {
			continue
		}
		at, problem := k.state()
		one := ShownDestination{Place: k.place.address()}
		if !at.IsZero() {
			one.At = at.In(wsfev1.Argentina).Format(time.RFC3339)
		}
		if problem != nil {
			one.Problem = problem.Error()
		}
		all = append(all, one)
	}
	return all
}
