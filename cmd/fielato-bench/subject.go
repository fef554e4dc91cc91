package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// subject is a target that runs, and what has been measured of it, a figure each round.
type subject struct {
	target target
	child  *child
	load   *load

	// Rounds of the closed loop, then of the open one.
	capacities, fullProcessor []float64
	p50s, p99s, processor     []float64
	answered, failed          int
	fewest                    int // answers in a round of the open loop
	firstFailure              error
	profiled                  bool
}

// start starts a target, sees to it that it does what it promises, and warms it up.
func (s *scenario) start(ctx context.Context, t target, upstream string) (*subject, error) {
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
	u := &subject{target: t, child: child, load: newLoad(t.wire(), s.connections, s.invoices, func() *connection { return connect(address) })}
	if err := u.prepare(ctx, s, address); err != nil {
		u.end()
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return u, nil
}

func (u *subject) prepare(ctx context.Context, s *scenario, address string) error {
	proof := connect(address)
	defer proof.close()
	if err := u.target.promises.prove(ctx, proof, u.target.wire()); err != nil {
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

// observe makes a measurement, and returns with it how many microseconds of a processor
// the target has used for each answer.
func (u *subject) observe(measurement func() *tally) (*tally, float64, error) {
	before, err := u.child.usage()
	if err != nil {
		return nil, 0, err
	}
	t := measurement()
	after, err := u.child.usage()
	if err != nil {
		return nil, 0, err
	}
	u.count(t)
	if len(t.latencies) == 0 {
		return nil, 0, fmt.Errorf("nothing was answered: %w", t.first)
	}
	return t, float64((after.processor - before.processor).Microseconds()) / float64(len(t.latencies)), nil
}

// saturate measures the target's capacity. It returns the figure for people.
func (u *subject) saturate(ctx context.Context, length time.Duration) (string, error) {
	t, processor, err := u.observe(func() *tally { return u.load.saturate(ctx, length) })
	if err != nil {
		return "", err
	}
	u.fullProcessor = append(u.fullProcessor, processor)
	rate := float64(len(t.latencies)) / t.took.Seconds()
	u.capacities = append(u.capacities, rate)
	return fmt.Sprintf("%.0f requests/s%s", rate, t.complaint()), nil
}

// offer measures latencies and the processor's time at a rate.
func (u *subject) offer(ctx context.Context, rate float64, length time.Duration) (string, error) {
	t, processor, err := u.observe(func() *tally { return u.load.offer(ctx, rate, length) })
	if err != nil {
		return "", err
	}
	u.processor = append(u.processor, processor)
	slices.Sort(t.latencies)
	if u.fewest == 0 || len(t.latencies) < u.fewest {
		u.fewest = len(t.latencies)
	}
	p50, p99 := milliseconds(percentile(t.latencies, 50)), milliseconds(percentile(t.latencies, 99))
	u.p50s, u.p99s = append(u.p50s, p50), append(u.p99s, p99)
	return fmt.Sprintf("p50 %.3f ms, p99 %.3f ms%s", p50, p99, t.complaint()), nil
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
			median(u.capacities), median(u.fullProcessor),
			median(u.p50s), median(u.p99s), median(u.processor), float64(used.peak) / (1 << 20),
		},
		Answered: u.answered, Failed: u.failed,
	}
	r.fewest = u.fewest
	if u.firstFailure != nil {
		r.FirstFailure = u.firstFailure.Error()
	}
	return r, nil
}

func (u *subject) end() {
	u.load.close()
	u.child.end()
}
