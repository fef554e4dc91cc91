package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// quietEnough is the share of the machine that other processes may take during a round.
const quietEnough = 0.15

// round is what one measurement of a target has found.
type round struct {
	answers  int
	rate     float64 // answers a second
	p50, p99 float64 // in milliseconds
	cost     cost    // of an answer
	// others is the share of the machine that neither target nor client nor upstream took; 0 where
	// it is unknown.
	others float64
	// complaint describes the failures, if there were any.
	complaint string
}

// cost is what three processes spend: microseconds of a processor each, and the objects that the
// target makes on its heap.
type cost struct{ target, client, upstream, objects float64 }

// disturbed reports whether the round should be measured again.
func (r round) disturbed() bool { return r.others > quietEnough }

// remark tells what spoils the round.
func (r round) remark() string {
	if r.disturbed() {
		return fmt.Sprintf(", others took %.0f %% of the machine%s", 100*r.others, r.complaint)
	}
	return r.complaint
}

// reading has the use of the processes and the machine at a moment.
type reading struct {
	at               time.Time
	target, upstream usage
	client           time.Duration
	machine          machine
}

func (u *subject) read() (r reading, err error) {
	if r.target, err = u.child.usage(); err != nil {
		return r, err
	}
	if r.upstream, err = u.upstream.usage(); err != nil {
		return r, err
	}
	r.client, r.machine, r.at = processorTime(), machineNow(), time.Now()
	return r, nil
}

// costSince returns the cost of each answer since another reading.
func (r reading) costSince(before reading, answers int) cost {
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(answers) }
	return cost{
		target:   each(r.target.processor - before.target.processor),
		client:   each(r.client - before.client),
		upstream: each(r.upstream.processor - before.upstream.processor),
		objects:  float64(r.target.objects-before.target.objects) / float64(answers),
	}
}

// othersSince returns the share of the machine that others took since another reading.
func (r reading) othersSince(before reading) float64 {
	ours := r.target.processor - before.target.processor + r.client - before.client + r.upstream.processor - before.upstream.processor
	all := r.at.Sub(before.at) * time.Duration(r.machine.processors)
	if all <= 0 || before.machine.processors == 0 {
		return 0
	}
	return max(float64(r.machine.busy-before.machine.busy-ours)/float64(all), 0)
}

// observe makes a measurement, and reads before and after it what was used.
func (u *subject) observe(ctx context.Context, measurement func() *tally) (round, error) {
	before, err := u.read()
	if err != nil {
		return round{}, err
	}
	t := u.reader.beside(ctx, measurement)
	after, err := u.read()
	if err != nil {
		return round{}, err
	}
	u.count(t)
	answers := len(t.latencies)
	if answers == 0 {
		return round{}, fmt.Errorf("nothing was answered: %w", t.first)
	}
	slices.Sort(t.latencies)
	return round{
		answers: answers, rate: float64(answers) / t.took.Seconds(),
		p50: milliseconds(percentile(t.latencies, 50)), p99: milliseconds(percentile(t.latencies, 99)),
		cost: after.costSince(before, answers), others: after.othersSince(before), complaint: t.complaint(),
	}, nil
}

// quietest measures, and again up to so many times while others disturb it. It returns the round
// that they disturbed least.
func quietest(ctx context.Context, repeats int, measure func(context.Context) (round, error)) (round, error) {
	best, err := measure(ctx)
	for range repeats {
		if err != nil || !best.disturbed() {
			break
		}
		var again round
		if again, err = measure(ctx); err == nil && again.others < best.others {
			best = again
		}
	}
	return best, err
}

// medianOf returns the median of a figure of some rounds, 0 for none.
func medianOf(rounds []round, figure func(round) float64) float64 {
	if len(rounds) == 0 {
		return 0
	}
	values := make([]float64, len(rounds))
	for i, r := range rounds {
		values[i] = figure(r)
	}
	return median(values)
}
