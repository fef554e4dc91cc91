// Package ordered does the work of a sequence on all processors and keeps its order.
//
// It is a package of its own because exports and the closing of a month read the trail in this way.
package ordered

import (
	"iter"
	"runtime"
	"sync"

	"github.com/fielato/fielato/internal/panics"
)

// taskRead names the work in the error of a panic.
const taskRead = "reading the trail"

// Do yields do of each item of in, in the order of in, worked out on all
// processors. It ends with in, with the first error of in, which it yields, or with its
// consumer; none of its goroutines outlives it. Few items are under way at a time.
func Do[In, Out any](in iter.Seq2[In, error], do func(In) Out) iter.Seq2[Out, error] {
	type job struct {
		in  In
		err error // of in, or of do where that panics
		out Out
		// done is closed when the rest is set.
		done chan struct{}
	}
	return func(yield func(Out, error) bool) {
		workers := runtime.GOMAXPROCS(0)
		work, queue := make(chan *job), make(chan *job, 2*workers)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(stop)
		var failed error // of reading in, set before queue is closed
		wg.Go(func() {
			defer close(queue)
			defer close(work)
			failed = panics.Do(taskRead, func() error {
				for item, err := range in {
					j := &job{in: item, err: err, done: make(chan struct{})}
					if err != nil {
						close(j.done)
					}
					select {
					case queue <- j:
					case <-stop:
						return nil
					}
					if err != nil {
						return nil
					}
					work <- j // the workers take all
				}
				return nil
			})
		})
		for range workers {
			panics.Go(&wg, taskRead, func() {
				for j := range work {
					j.err = panics.Do(taskRead, func() error {
						j.out = do(j.in)
						return nil
					})
					close(j.done)
				}
			})
		}
		var none Out
		for j := range queue {
			<-j.done
			if j.err != nil {
				yield(none, j.err)
				return
			}
			if !yield(j.out, nil) {
				return
			}
		}
		if failed != nil {
			yield(none, failed)
		}
	}
}
