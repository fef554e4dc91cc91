package postgres

import (
	"sync"
	"sync/atomic"

	"github.com/fielato/fielato/internal/backend"
)

// maxGroup bounds the Updates of one transaction, and so how long the first waits for the
// last.
const maxGroup = 128

// way is how a job is run.
type way int

const (
	// together: in one transaction with jobs of any series.
	together way = iota
	// ownSeries: in one transaction with jobs of the same series, waiting for its row.
	ownSeries
	// alone: in a transaction of its own.
	alone
)

// job is an Update waiting for a writer.
type job struct {
	fn     func(backend.Tx) error
	series backend.Series
	// keyed is set if series is known: fn asks for it first.
	keyed bool
	way   way
	// taken is set by the writer when it runs the job, or by the caller when it gives up
	// on it, whichever is first. begun is set if it was the writer; the queue guards it.
	taken atomic.Bool
	begun bool
	// err is set by the writer before it closes done.
	err  error
	done chan struct{}
}

// take claims the job. It reports false if the other side was first.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// queue holds the jobs waiting for the writers. No two writers have jobs of the same
// series, so a series is delayed only by others that issue in it.
type queue struct {
	mu      sync.Mutex // guards the fields below
	changed sync.Cond
	waiting []*job
	// busy are the series that a writer has jobs of.
	busy map[backend.Series]bool
	// running is how many jobs the writers have. Each of them may come back.
	running int
	closed  bool
}

func newQueue() *queue {
	q := &queue{busy: map[backend.Series]bool{}}
	q.changed.L = &q.mu
	return q
}

// add appends a job. It reports false if the queue is closed.
func (q *queue) add(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, j)
	q.changed.Broadcast() // there are two kinds of writers
	return true
}

// close lets the writers end once no job is left.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// next waits for jobs that may run now. A patient writer gets only jobs that may have to
// wait for a lock, the others get the rest. It returns nil once the queue is closed and no
// job is left.
func (q *queue) next(patient bool) []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if jobs := q.pick(patient); len(jobs) > 0 {
			return jobs
		}
		if q.closed && len(q.waiting) == 0 && q.running == 0 {
			return nil
		}
		q.changed.Wait()
	}
}

// pick takes the first job that may run and the later ones that may run with it. It does
// not wait for more: under load, the jobs that arrive during a commit form the next group.
func (q *queue) pick(patient bool) (jobs []*job) {
	// A job that is passed over is not overtaken by a later one of its series.
	passed := map[backend.Series]bool{}
	rest := q.waiting[:0]
	for _, j := range q.waiting {
		switch {
		case patient != (j.way != together), !q.fits(j, jobs, passed):
			rest = append(rest, j)
			if j.keyed {
				passed[j.series] = true
			}
		case !j.begun && !j.take(): // its caller has given up
		default:
			j.begun = true
			jobs = append(jobs, j)
		}
	}
	clear(q.waiting[len(rest):])
	q.waiting = rest
	q.running += len(jobs)
	for _, j := range jobs {
		if j.keyed {
			q.busy[j.series] = true
		}
	}
	return jobs
}

func (q *queue) fits(j *job, jobs []*job, passed map[backend.Series]bool) bool {
	if j.keyed && (q.busy[j.series] || passed[j.series]) {
		return false
	}
	if len(jobs) == 0 {
		return true
	}
	first := jobs[0]
	switch {
	case len(jobs) == maxGroup, first.way == alone, j.way == alone:
		return false
	case first.way == ownSeries:
		return j.series == first.series
	}
	return true
}

// release frees the series of the jobs that a writer has run. The jobs to be run again go
// to the front of the queue.
func (q *queue) release(jobs, again []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running -= len(jobs)
	for _, j := range jobs {
		if j.keyed {
			delete(q.busy, j.series)
		}
	}
	if len(again) > 0 {
		q.waiting = append(append(make([]*job, 0, len(again)+len(q.waiting)), again...), q.waiting...)
	}
	q.changed.Broadcast()
}
