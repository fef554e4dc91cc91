package trail

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
)

// Set is the trails of a configuration. Two handlers may share one.
type Set struct {
	handles app.Placed[*app.Handle[*Trail]]
	// said has for each trail, by the key of its store, what a handler says; handleOf has one of its
	// handles.
	said     map[string]*Options
	handleOf map[string]*app.Handle[*Trail]
	// starts has the stores in whose trails a handler wants starts recorded.
	starts map[string]bool
	// FailsClosed: one of the handlers refuses what it cannot record.
	FailsClosed bool
}

// setKey is the key under which handlers share the set.
type setKey struct{}

// Of returns the set of a configuration. The first trail makes it.
func Of(a *app.App) *Set {
	return app.Shared(a, setKey{}, func() *Set {
		s := &Set{said: map[string]*Options{}, handleOf: map[string]*app.Handle[*Trail]{}, starts: map[string]bool{}}
		a.Set(s)
		return s
	})
}

// In returns the set of a configuration, nil if it has no trail.
func In(a *app.App) *Set {
	s, _ := app.LookUp[*Set](a, setKey{})
	return s
}

// Add takes the trail of a handler at a place, and the handler's options. Handlers that share a trail must
// agree on LogReads, Retention, Witnesses and Timestamp.
func (s *Set) Add(at app.Place, handle *app.Handle[*Trail], options *Options) error {
	switch said, ok := s.said[handle.Key]; {
	case !ok:
	case said.LogReads != options.LogReads:
		return errors.New("log_reads: another wsfev1 of this configuration with the same store differs: set it for both or for none")
	case said.retention() != options.retention():
		return errors.New("retention: another wsfev1 of this configuration with the same store differs: give both the same")
	case !said.witnessedAs(options):
		return errors.New("witness: another wsfev1 of this configuration with the same store differs: give both the same witnesses, quorum and require_witnesses")
	case said.Timestamp != options.Timestamp:
		return errors.New("timestamp: another wsfev1 of this configuration with the same store differs: give both the same timestamp and timestamp_policy")
	}
	s.handles.Add(at, handle)
	s.FailsClosed = s.FailsClosed || !options.Forwards()
	s.starts[handle.Key] = s.starts[handle.Key] || options.LogStarts
	s.said[handle.Key], s.handleOf[handle.Key] = options, handle
	return nil
}

// Apply sets in the stores whether reads are logged and how long content is kept, and records starts. A trail outlives configurations, so opening
// it does not settle this.
func (s *Set) Apply() error {
	ctx, cancel := context.WithTimeout(context.Background(), AppendTimeout)
	defer cancel()
	for key, said := range s.said {
		t, leave, err := s.handleOf[key].Enter(ctx)
		if err != nil {
			return err
		}
		if err = t.logReads(ctx, said.LogReads); err == nil {
			err = t.keepRetention(ctx, said.retention())
		}
		if err == nil && s.starts[key] {
			err = t.logStart(time.Now())
		}
		leave()
		if err != nil {
			return err
		}
	}
	return nil
}

// Each calls do once for each trail, which stays open during the call, or with the error that
// keeps it from being open.
func (s *Set) Each(ctx context.Context, do func(*Trail, error)) {
	var seen []*Trail
	for _, handle := range s.handles.All() {
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

// Within calls do with all trails, which stay open during the call. It returns the error that keeps one of
// them from being open.
func (s *Set) Within(ctx context.Context, do func([]*Trail) error) error {
	var open []*Trail
	for _, handle := range s.handles.All() {
		t, leave, err := handle.Enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		if !slices.Contains(open, t) {
			open = append(open, t)
		}
	}
	return do(open)
}
