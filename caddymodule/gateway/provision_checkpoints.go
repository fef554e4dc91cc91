package gateway

import (
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// provisionWitnesses has the trail's checkpoints cosigned, and returns the group that asks for it, nil if there is no
// witness.
func (g *Gateway) provisionWitnesses(a *app.App) *cosigned.Group {
	policy := g.Trail.Policy()
	if policy == nil {
		return nil
	}
	return cosigned.Run(a, cosigned.New(policy, trail.WitnessedBy(g.trailHandle), g.logger, cosigned.Clock{Now: time.Now, After: time.After}))
}

// provisionStamper has the trail's checkpoints stamped, if there is an authority.
func (g *Gateway) provisionStamper(a *app.App) {
	if authority := g.Trail.Authority(); authority != nil {
		timestamped.Run(a, timestamped.New(authority, trail.StampedBy(g.trailHandle), g.logger, timestamped.Clock{Now: time.Now, After: time.After}))
	}
}

// provisionPublishers starts the publishers of the trail's checkpoints.
func (g *Gateway) provisionPublishers(a *app.App) error {
	for i, p := range g.Trail.Destinations() {
		a.Try(g.Line, func() error { return p.Look(g.Trail.Folder()) })
		if err := checkpoint.Run(a, checkpoint.New(p, g.Trail.CheckpointTo[i].Every(), trail.CheckpointsOf(g.trailHandle), g.logger)); err != nil {
			return err
		}
	}
	return nil
}
