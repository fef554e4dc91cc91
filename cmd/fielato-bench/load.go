package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// load is a client with several connections, each with series of its own: a number is
// sent when the one before it has been answered.
type load struct {
	workers  []*worker
	form     *form
	invoices int // in a request
	// sleep waits until the next request is due.
	sleep func(time.Duration)
}

// worker is one connection.
type worker struct {
	conn   *connection
	series []*series
	turn   int
	body   []byte
}

// leastSeries is how many series there are at least: a real client of one connection
// does not issue in one series alone.
const leastSeries = 64

// newLoad makes a client with connections that dial makes.
func newLoad(f *form, connections, invoices int, dial func() *connection) *load {
	l := &load{form: f, invoices: invoices, sleep: sleepPrecisely}
	for range connections {
		l.workers = append(l.workers, &worker{conn: dial()})
	}
	for n := range max(leastSeries, connections) {
		w := l.workers[n%connections]
		w.series = append(w.series, newSeries(n))
	}
	return l
}

func (l *load) close() {
	for _, w := range l.workers {
		w.conn.close()
	}
}

// issue sends the next request of the worker's next series and checks the answer.
func (w *worker) issue(ctx context.Context, f *form, invoices int) error {
	s := w.series[w.turn%len(w.series)]
	w.turn++
	w.body = f.appendLot(s, w.body[:0], invoices)
	got, err := w.conn.post(ctx, f, w.body)
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return fmt.Errorf("status %d: %.300s", got.status, got.body)
	}
	if err := s.checkApproved(f, got.body, invoices); err != nil {
		return err
	}
	s.next += int64(invoices)
	return nil
}

// failuresMax ends a measurement that has long failed.
const failuresMax = 100

// tally is what a measurement counts.
type tally struct {
	mu        sync.Mutex
	latencies []time.Duration // of what was answered as it should be; mu guards it, failed and first
	failed    int
	first     error // the first failure
	took      time.Duration
}

func (t *tally) fail(n int, err error) (tooMany bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed += n
	if t.first == nil {
		t.first = err
	}
	return t.failed >= failuresMax
}

func (t *tally) add(latencies []time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latencies = append(t.latencies, latencies...)
}

// each runs all workers at a time; work returns the latencies of its own.
func (l *load) each(t *tally, work func(*worker) []time.Duration) {
	began := time.Now()
	var group sync.WaitGroup
	for _, w := range l.workers {
		group.Go(func() { t.add(work(w)) })
	}
	group.Wait()
	t.took = time.Since(began)
}

// saturate is the closed loop: for a time each connection sends its next request as soon
// as it has the answer to the last. It shows how much the target can do, and nothing about
// latencies.
func (l *load) saturate(ctx context.Context, length time.Duration) *tally {
	t := &tally{}
	var stopped atomic.Bool
	until := time.Now().Add(length)
	l.each(t, func(w *worker) (latencies []time.Duration) {
		for sent := time.Now(); sent.Before(until) && !stopped.Load() && ctx.Err() == nil; sent = time.Now() {
			if err := w.issue(ctx, l.form, l.invoices); err != nil {
				stopped.Store(t.fail(1, err))
				continue
			}
			latencies = append(latencies, time.Since(sent))
		}
		return latencies
	})
	return t
}

// offer is the open loop: for a time requests arrive at a constant rate, whatever the
// answers do. One that finds every connection busy waits in a queue. Each latency is
// counted from the moment at which the request was due, so that its wait counts.
//
// A request still in the queue after twice the time and five seconds counts as failed: the target
// cannot do that rate.
func (l *load) offer(ctx context.Context, rate float64, length time.Duration) *tally {
	t := &tally{}
	total := max(int(rate*length.Seconds()), 1)
	arrivals := make(chan time.Time, total) // it has room for all: the clock does not wait
	var stopped atomic.Bool
	go l.arrive(ctx, arrivals, rate, total)
	giveUp := time.Now().Add(2*length + 5*time.Second)
	l.each(t, func(w *worker) (latencies []time.Duration) {
		for due := range arrivals {
			if stopped.Load() || ctx.Err() != nil || time.Now().After(giveUp) {
				t.fail(1, fmt.Errorf("%.0f requests a second are more than the target can do", rate))
				continue
			}
			if err := w.issue(ctx, l.form, l.invoices); err != nil {
				stopped.Store(t.fail(1, err))
				continue
			}
			latencies = append(latencies, time.Since(due))
		}
		return latencies
	})
	return t
}

// arrive sends the moment at which each request is due, at that moment.
func (l *load) arrive(ctx context.Context, arrivals chan<- time.Time, rate float64, total int) {
	defer close(arrivals)
	began := time.Now()
	for i := range total {
		due := began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if wait := time.Until(due); wait > 0 {
			l.sleep(wait)
		}
		if ctx.Err() != nil {
			return
		}
		arrivals <- due
	}
}
