package cosigned

import (
	"context"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsfev1"
)

// groups are the groups of a configuration, by the key of their trail.
type groups struct{ all map[string]*Group }

// groupsKey is the key under which handlers share the groups.
type groupsKey struct{}

// Run runs a group with the configuration, and returns it. Two gateways that share a trail share its group too: it
// returns the first one.
func Run(a *app.App, g *Group) *Group {
	running := app.Shared(a, groupsKey{}, func() *groups { return &groups{map[string]*Group{}} })
	if other := running.all[g.source.Key]; other != nil {
		return other
	}
	running.all[g.source.Key] = g
	a.Run(g)
	return g
}

// ShownWitness is how the admin API shows a witness.
type ShownWitness struct {
	Witness string `json:"witness"`
	// Address is the scheme and host of its URL.
	Address string `json:"place"`
	// Records is the size of the newest checkpoint that it has signed. At is when the newest one was last known to be
	// signed, empty for never. Problem is why it is not.
	Records uint64 `json:"records"`
	At      string `json:"at"`
	Problem string `json:"problem"`
}

// Shown returns the witnesses of a trail.
func Shown(ctx context.Context, a *app.App, of Source) (all []ShownWitness) {
	for _, m := range membersOf(ctx, a, of) {
		all = append(all, m.show())
	}
	return all
}

// Asked reports whether the configuration names witnesses for a trail.
func Asked(ctx context.Context, a *app.App, of Source) bool { return len(membersOf(ctx, a, of)) > 0 }

func membersOf(ctx context.Context, a *app.App, of Source) []*member {
	running, ok := app.LookUp[*groups](a, groupsKey{})
	if !ok {
		return nil
	}
	for _, g := range running.all {
		t, leave, err := g.source.Enter(ctx)
		if err != nil {
			continue
		}
		leave()
		if t == of {
			return g.members
		}
	}
	return nil
}

func (m *member) show() ShownWitness {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := ShownWitness{Witness: m.Name(), Address: m.address(), Records: m.state.size}
	if !m.state.at.IsZero() {
		one.At = m.state.at.In(wsfev1.Argentina).Format(time.RFC3339)
	}
	if m.state.problem != nil {
		one.Problem = m.state.problem.Error()
	}
	return one
}
