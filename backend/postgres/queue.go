package postgres

import (
	"sync"
	"sync/atomic"

	"github.com/fielato/fielato/backend"
)

// maxGroup bounds the Updates of one transaction, and with it how long the first of them
// waits for the last.
const maxGroup = 128

// way is how a job is run.
type way int

const (
	// together: in one transaction with jobs of any series.
	together way = iota
	// ownSeries: in one with jobs of the same series. Its row may have to be waited for.
	ownSeries
	// alone: in one of its own.
	alone
)

// job is one Update that waits for a writer.
type job struct {
	fn     func(backend.Tx) error
	series backend.Series
	// keyed says that series is the one that fn asks for first.
	keyed bool
	way   way
	// taken is set by the first of two: the writer that runs the job, or the caller
	// that gives up on it. begun says that it was the writer; the queue guards it.
	taken atomic.Bool
	begun bool
	// err is written by the writer before it closes done.
	err  error
	done chan struct{}
}

// take reports whether the caller is the one who decides on the job.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// queue is what waits for the writers. No two of them have jobs of the same series.
type queue struct {
	mu      sync.Mutex // guards what follows
	changed sync.Cond
	waiting []*job
	// busy are the series that a writer is at.
	busy map[backend.Series]bool
	// running is how many jobs the writers have: each may come back.
	running int
	closed  bool
}

func newQueue() *queue {
	q := &queue{busy: map[backend.Series]bool{}}
	q.changed.L = &q.mu
	return q
}

// add reports false if the queue is closed.
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

// close lets the writers end when nothing waits any more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// next waits for jobs that a writer may run now, only such as may have to wait for somebody
// else or only others. It returns none when there will be none.
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

// pick takes the first job that may run, and those behind it that may run with it. It
// does not wait for more: under load, what arrives during a commit is the next group.
func (q *queue) pick(patient bool) (jobs []*job) {
	// What is passed over is not overtaken by later jobs of its series.
	passed := map[backend.Series]bool{}
	rest := q.waiting[:0]
	for _, j := range q.waiting {
		switch {
		case patient != (j.way != together), !q.fits(j, jobs, passed):
			rest = append(rest, j)
			if j.keyed {
				passed[j.series] = true
			}
		case !j.begun && !j.take(): // its caller has left
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

// release frees the series of jobs that a writer has run. Those that are to be run again
// in another way come first.
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
