package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// fair is the share of the slowest target's capacity at which latencies are measured:
// a rate that every target bears.
const fair = 0.5

// measure makes every measurement that the options ask for.
func measure(ctx context.Context, o options, progress io.Writer) (*report, error) {
	folder, err := os.MkdirTemp(o.data, "fielato-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the data: %w", err)
	}
	defer os.RemoveAll(folder)
	if o.pgo != "" {
		o.cpuprofile = filepath.Join(folder, "profiles")
	}
	if o.cpuprofile != "" {
		if err := os.MkdirAll(o.cpuprofile, 0o750); err != nil {
			return nil, fmt.Errorf("making the folder for profiles: %w", err)
		}
	}
	r := newReport(o, folder)
	free := newAddresses()
	for _, invoices := range o.invoices {
		for _, connections := range o.connections {
			s := &scenario{
				options: o, progress: progress, connections: connections, invoices: invoices, free: free,
				folder: filepath.Join(folder, fmt.Sprintf("%d-%d", invoices, connections)),
			}
			results, err := s.measure(ctx)
			if err != nil {
				return nil, fmt.Errorf("%d invoices, %d connections: %w", invoices, connections, err)
			}
			r.Results = append(r.Results, results...)
		}
	}
	return r, r.profileForBuilds(o)
}

// scenario is one number of connections and one size of requests, for every target.
type scenario struct {
	options
	progress              io.Writer
	connections, invoices int
	free                  *addresses
	folder                string // for the targets' data, gone afterwards
	subjects              []*subject
}

// measure starts the upstream and all targets, measures these in turn, and ends them.
func (s *scenario) measure(ctx context.Context) ([]result, error) {
	upstream, err := s.free.free()
	if err != nil {
		return nil, err
	}
	stub, err := startChild(ctx, "the upstream", roleStub, upstream)
	if err != nil {
		return nil, err
	}
	defer stub.end()
	defer os.RemoveAll(s.folder)
	defer func() {
		for _, subject := range s.subjects {
			subject.end()
		}
	}()
	for _, t := range s.targets {
		subject, err := s.start(ctx, t, stub, upstream)
		if err != nil {
			return nil, err
		}
		s.subjects = append(s.subjects, subject)
	}
	rate, err := s.measureAll(ctx)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, subject := range s.subjects {
		result, err := subject.result(s, rate)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// measureAll makes both measurements of all targets, and returns the rate of the open loop. With -last
// there is no open loop, and the rate is 0.
func (s *scenario) measureAll(ctx context.Context) (rate float64, err error) {
	err = s.inTurn(ctx, "capacity", func(ctx context.Context, subject *subject) (string, error) {
		r, err := s.quiet(ctx, func(ctx context.Context) (round, error) { return subject.saturate(ctx, s.duration) })
		subject.full = append(subject.full, r)
		return fmt.Sprintf("%.0f requests/s, %.0f µs of CPU each%s", r.rate, r.cost.target, r.remark()), err
	})
	if err != nil || s.last != "" {
		return 0, err
	}
	rate = s.fairRate()
	return rate, s.inTurn(ctx, fmt.Sprintf("%.0f/s", rate), func(ctx context.Context, subject *subject) (string, error) {
		r, err := s.quiet(ctx, func(ctx context.Context) (round, error) { return subject.offer(ctx, rate, s.duration) })
		subject.offered = append(subject.offered, r)
		return fmt.Sprintf("p50 %.3f ms, p99 %.3f ms%s", r.p50, r.p99, r.remark()), err
	})
}

// quiet measures once the target before has come to rest, and again where others disturb it.
func (s *scenario) quiet(ctx context.Context, measure func(context.Context) (round, error)) (round, error) {
	return quietest(ctx, s.repeats, func(ctx context.Context) (round, error) {
		// The work that the previous target has left undone (its collector, its disk) is not this one's.
		if err := pause(ctx, s.duration/20); err != nil {
			return round{}, err
		}
		return measure(ctx)
	})
}

// inTurn measures each target once a round. Every round begins with another one, and every second
// round goes backwards, so that none is always measured after the same.
func (s *scenario) inTurn(ctx context.Context, what string, measure func(context.Context, *subject) (string, error)) error {
	for round := range s.rounds {
		for i := range s.subjects {
			if round%2 == 1 {
				i = len(s.subjects) - 1 - i
			}
			subject := s.subjects[(i+round)%len(s.subjects)]
			figure, err := measure(ctx, subject)
			if err != nil {
				return fmt.Errorf("%s: %w", subject.target.name, err)
			}
			fmt.Fprintf(s.progress, "invoices %d, connections %d, %s, round %d of %d: %s %s\n",
				s.invoices, s.connections, what, round+1, s.rounds, subject.target.name, figure)
		}
	}
	return nil
}

func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}

// fairRate returns the rate asked for, or else a share of the slowest target's capacity.
func (s *scenario) fairRate() float64 {
	if s.rate > 0 {
		return s.rate
	}
	capacity := func(r round) float64 { return r.rate }
	slowest := medianOf(s.subjects[0].full, capacity)
	for _, subject := range s.subjects {
		slowest = min(slowest, medianOf(subject.full, capacity))
	}
	return max(slowest*fair, 1)
}
