package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// subject is a target that runs, and what has been measured of it.
type subject struct {
	target   target
	child    *child
	upstream *child
	load     *load
	reader   *reader // nil without a console
	folder   string  // for its data

	full, offered    []round // of the closed loop and of the open one
	answered, failed int
	firstFailure     error
	profiled         bool
}

// start starts a target, sees to it that it does what it promises, and warms it up.
func (s *scenario) start(ctx context.Context, t target, stub *child, upstream string) (*subject, error) {
	address, err := s.free.free()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(s.folder, t.name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for the data: %w", err)
	}
	role := []string{t.role, address, upstream}
	if t.handlers != nil {
		role = []string{t.role, caddyfile(address, t.handlers(upstream, folder))}
	}
	child, err := startChild(ctx, t.name, role...)
	if err != nil {
		return nil, err
	}
	u := &subject{
		target: t, child: child, upstream: stub, folder: folder,
		load: newLoad(t.wire(), s.connections, s.invoices, func() *connection { return connect(address) }),
	}
	if t.pages != nil {
		u.reader = &reader{conn: connect(address), pages: t.pages}
	}
	if err := u.prepare(ctx, s, address); err != nil {
		u.end()
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return u, nil
}

func (u *subject) prepare(ctx context.Context, s *scenario, address string) error {
	proof := connect(address)
	defer proof.close()
	if err := u.target.promises.prove(ctx, proof, u.target.wire(), u.folder); err != nil {
		return fmt.Errorf("it does not do what it is measured for: %w", err)
	}
	u.count(u.load.saturate(ctx, s.duration/4))
	if s.cpuprofile == "" {
		return nil
	}
	file, err := filepath.Abs(filepath.Join(s.cpuprofile, fmt.Sprintf("%s-%dc-%di.pprof", u.target.name, s.connections, s.invoices)))
	if err != nil {
		return fmt.Errorf("naming the profile: %w", err)
	}
	_, err = u.child.ask("profile " + file)
	u.profiled = err == nil
	return err
}

// count keeps the failures of a measurement.
func (u *subject) count(t *tally) {
	u.answered += len(t.latencies)
	u.failed += t.failed
	if u.firstFailure == nil {
		u.firstFailure = t.first
	}
}

// saturate measures the target's capacity.
func (u *subject) saturate(ctx context.Context, length time.Duration) (round, error) {
	return u.observe(ctx, func() *tally { return u.load.saturate(ctx, length) })
}

// offer measures latencies and the processor's time at a rate.
func (u *subject) offer(ctx context.Context, rate float64, length time.Duration) (round, error) {
	return u.observe(ctx, func() *tally { return u.load.offer(ctx, rate, length) })
}

// complaint describes the failures.
func (t *tally) complaint() string {
	if t.failed == 0 {
		return ""
	}
	return fmt.Sprintf(", %d FAILED, the first: %v", t.failed, t.first)
}

// result is the median of the rounds, and the memory that the target has taken at most.
func (u *subject) result(s *scenario, rate float64) (result, error) {
	used, err := u.child.usage()
	if err != nil {
		return result{}, err
	}
	if u.profiled {
		if _, err := u.child.ask("profiled"); err != nil {
			return result{}, err
		}
	}
	r := result{
		Target: u.target.name, title: u.target.title, Invoices: s.invoices, Connections: s.connections, Rate: rate,
		figures: figures{
			medianOf(u.full, func(r round) float64 { return r.rate }),
			medianOf(u.full, func(r round) float64 { return r.cost.target }),
			medianOf(u.full, func(r round) float64 { return r.cost.client }),
			medianOf(u.full, func(r round) float64 { return r.cost.upstream }),
			medianOf(u.full, func(r round) float64 { return r.cost.objects }),
			medianOf(u.offered, func(r round) float64 { return r.p50 }),
			medianOf(u.offered, func(r round) float64 { return r.p99 }),
			medianOf(u.offered, func(r round) float64 { return r.cost.target }),
			float64(used.peak) / (1 << 20),
		},
		Answered: u.answered, Failed: u.failed,
	}
	for _, one := range u.offered {
		if r.fewest == 0 || one.answers < r.fewest {
			r.fewest = one.answers
		}
	}
	for _, one := range slices.Concat(u.full, u.offered) {
		if one.disturbed() {
			r.Disturbed++
		}
	}
	if u.firstFailure != nil {
		r.FirstFailure = u.firstFailure.Error()
	}
	return r, nil
}

func (u *subject) end() {
	u.load.close()
	u.reader.close()
	u.child.end()
}
