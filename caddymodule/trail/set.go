package trail

import (
	"context"
	"errors"
	"slices"

	"github.com/fielato/fielato/caddymodule/app"
)

// trailSet is the trails of a configuration. Two handlers may share one.
type trailSet struct {
	leases []*app.Handle[*Trail]
	// logReads says of each trail, by the key of its store, whether reads are written
	// down; leaseOf has one of its leases.
	logReads map[string]bool
	leaseOf  map[string]*app.Handle[*Trail]
	// failsClosed: one of the handlers refuses what it cannot record.
	FailsClosed bool
}

// trailSetKey is what the set is shared under.
type trailSetKey struct{}

// Of returns the set of a configuration, which comes to life with its first trail.
func Of(a *app.App) *trailSet {
	return app.Shared(a, trailSetKey{}, func() *trailSet {
		s := &trailSet{logReads: map[string]bool{}, leaseOf: map[string]*app.Handle[*Trail]{}}
		a.Set(s)
		return s
	})
}

// In returns the set of a configuration, nil if it has no trail.
func In(a *app.App) *trailSet {
	s, _ := app.LookUp[*trailSet](a, trailSetKey{})
	return s
}

// Add takes the trail of a handler, and what the handler says of it. Handlers that share a
// trail must agree on what is written down of reads.
func (s *trailSet) Add(hold *app.Handle[*Trail], options *Options) error {
	if said, ok := s.logReads[hold.Key]; ok && said != options.LogReads {
		return errors.New("log_reads: another wsfev1 of this configuration with the same store says otherwise: give it to both or to none")
	}
	s.leases = append(s.leases, hold)
	s.FailsClosed = s.FailsClosed || !options.Forwards()
	s.logReads[hold.Key], s.leaseOf[hold.Key] = options.LogReads, hold
	return nil
}

// Apply makes the stores say what the configuration says of reads. A trail outlives
// configurations, so that this is not settled when it is opened.
func (s *trailSet) Apply() error {
	ctx, cancel := context.WithTimeout(context.Background(), AppendTimeout)
	defer cancel()
	for key, on := range s.logReads {
		t, leave, err := s.leaseOf[key].Enter(ctx)
		if err != nil {
			return err
		}
		err = t.logReads(ctx, on)
		leave()
		if err != nil {
			return err
		}
	}
	return nil
}

// Each hands over each trail once, held open meanwhile, or the error for which it is not
// open.
func (s *trailSet) Each(ctx context.Context, do func(*Trail, error)) {
	var seen []*Trail
	for _, lease := range s.leases {
		t, leave, err := lease.Enter(ctx)
		if err != nil {
			do(nil, err)
			continue
		}
		if !slices.Contains(seen, t) {
			seen = append(seen, t)
			do(t, nil)
		}
		leave()
	}
}
