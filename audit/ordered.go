package audit

import (
	"iter"
	"runtime"
	"sync"
)

// ordered yields do of each item of in, in the order of in, worked out on all
// processors. It ends with in, with the first error of in, which it yields, or with its
// consumer; none of its goroutines outlives it. Few items are under way at a time.
func ordered[In, Out any](in iter.Seq2[In, error], do func(In) Out) iter.Seq2[Out, error] {
	type job struct {
		in  In
		err error
		out chan Out // takes the one result
	}
	return func(yield func(Out, error) bool) {
		workers := runtime.GOMAXPROCS(0)
		work, queue := make(chan *job), make(chan *job, 2*workers)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(stop)
		wg.Go(func() {
			defer close(queue)
			defer close(work)
			for item, err := range in {
				j := &job{in: item, err: err, out: make(chan Out, 1)}
				select {
				case queue <- j:
				case <-stop:
					return
				}
				if err != nil {
					return
				}
				work <- j // the workers take all
			}
		})
		for range workers {
			wg.Go(func() {
				for j := range work {
					j.out <- do(j.in)
				}
			})
		}
		for j := range queue {
			if j.err != nil {
				var none Out
				yield(none, j.err)
				return
			}
			if !yield(<-j.out, nil) {
				return
			}
		}
	}
}
