package trail

import (
	"context"
	"errors"
	"slices"

	"github.com/fielato/fielato/caddymodule/app"
)

// trailSet is the trails of a configuration. Two handlers may share one.
type Set struct {
	handles []*app.Handle[*Trail]
	// logReads says of each trail, by the key of its store, whether reads are written
	// down; leaseOf has one of its leases.
	logReads map[string]bool
	handleOf map[string]*app.Handle[*Trail]
	// failsClosed: one of the handlers refuses what it cannot record.
	FailsClosed bool
}

// trailSetKey is what the set is shared under.
type setKey struct{}

// Of returns the set of a configuration, which comes to life with its first trail.
func Of(a *app.App) *Set {
	return app.Shared(a, setKey{}, func() *Set {
		s := &Set{logReads: map[string]bool{}, handleOf: map[string]*app.Handle[*Trail]{}}
		a.Set(s)
		return s
	})
}

// In returns the set of a configuration, nil if it has no trail.
func In(a *app.App) *Set {
	s, _ := app.LookUp[*Set](a, setKey{})
	return s
}

// Add takes the trail of a handler, and what the handler says of it. Handlers that share a
// trail must agree on what is written down of reads.
func (s *Set) Add(handle *app.Handle[*Trail], options *Options) error {
	if said, ok := s.logReads[handle.Key]; ok && said != options.LogReads {
		return errors.New("log_reads: another wsfev1 of this configuration with the same store says otherwise: give it to both or to none")
	}
	s.handles = append(s.handles, handle)
	s.FailsClosed = s.FailsClosed || !options.Forwards()
	s.logReads[handle.Key], s.handleOf[handle.Key] = options.LogReads, handle
	return nil
}

// Apply makes the stores say what the configuration says of reads. A trail outlives
// configurations, so that this is not settled when it is opened.
func (s *Set) Apply() error {
	ctx, cancel := context.WithTimeout(context.Background(), AppendTimeout)
	defer cancel()
	for key, on := range s.logReads {
		t, leave, err := s.handleOf[key].Enter(ctx)
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
func (s *Set) Each(ctx context.Context, do func(*Trail, error)) {
	var seen []*Trail
	for _, handle := range s.handles {
		t, leave, err := handle.Enter(ctx)
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
