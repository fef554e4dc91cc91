package checkpoint

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsfev1"
)

// publishers are the publishers of a configuration.
type publishers struct{ all []*Publisher }

// publishersKey is the key under which handlers share the publishers.
type publishersKey struct{}

// Run runs a publisher with the configuration. Two gateways that share a trail share its
// publishers too.
func Run(a *app.App, p *Publisher) error {
	running := app.Shared(a, publishersKey{}, func() *publishers { return new(publishers) })
	for _, other := range running.all {
		switch {
		case other.destination.id() != p.destination.id():
		case other.source.Key == p.source.Key:
			return nil
		case !p.destination.shared():
			return fmt.Errorf("checkpoint_to %s: another trail is kept there: give each a place of its own", p.destination.address())
		}
	}
	running.all = append(running.all, p)
	a.Run(p)
	return nil
}

// ShownDestination is how the admin API shows a destination of checkpoints.
type ShownDestination struct {
	// Address is a file, or the scheme and host of a URL.
	Address string `json:"place"`
	// At is when the newest checkpoint was last known to be there, empty for never. Problem is
	// why it is not.
	At      string `json:"at"`
	Problem string `json:"problem"`
}

// Shown returns the destinations of a trail.
func Shown(ctx context.Context, a *app.App, of Source) (all []ShownDestination) {
	running, ok := app.LookUp[*publishers](a, publishersKey{})
	if !ok {
		return nil
	}
	for _, p := range running.all {
		t, leave, err := p.source.Enter(ctx)
		if err != nil {
			continue
		}
		leave()
		if t != of {
			continue
		}
		at, problem := p.state()
		one := ShownDestination{Address: p.destination.address()}
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
