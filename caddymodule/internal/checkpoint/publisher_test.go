package checkpoint

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// signedLog is a growing log as a source of checkpoints.
type signedLog struct {
	*audit.Writer
	store          audit.Store
	name, verifier string
}

// openLog returns a log in s that is open until the test ends.
func openLog(t *testing.T, s audit.Store) *signedLog {
	t.Helper()
	l := &signedLog{store: s, name: "gateway-1"}
	key := audittest.Key(t, l.name)
	l.verifier = key.Verifier()
	var err error
	if l.Writer, err = audit.Open(t.Context(), s, l.name, key, audit.Options{First: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (l *signedLog) Verifier() string { return l.verifier }

func (l *signedLog) Continues(ctx context.Context, older, newer audit.Checkpoint) error {
	return audit.CheckExtension(ctx, l.store, l.name, older, newer)
}

// handle leads to the log.
func (l *signedLog) handle() Handle {
	return Handle{Key: "key", Enter: func(context.Context) (Source, func(), error) {
		return l, func() {}, nil
	}}
}

// record appends so many records.
func (l *signedLog) record(t *testing.T, records int) {
	t.Helper()
	for range records {
		if _, err := l.Append(t.Context(), &audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"}); err != nil {
			t.Fatal(err)
		}
	}
}

// sizeOf returns the number of records that a signed checkpoint is over.
func sizeOf(t *testing.T, of *signedLog, signed []byte) uint64 {
	t.Helper()
	checkpoint, err := audit.OpenCheckpoint(signed, of.Verifier())
	if err != nil {
		t.Fatal(err)
	}
	return checkpoint.Size
}

// shelf is a place that takes checkpoints, unless is makes it fail or hang.
type shelf struct {
	sync.Mutex // guards what follows
	failure    error
	hangs      bool
	kept       [][]byte
}

func (*shelf) id() string                          { return "shelf" }
func (*shelf) shared() bool                        { return true }
func (*shelf) address() string                     { return "a shelf" }
func (*shelf) Check(context.Context, Source) error { return nil }
func (*shelf) Look(string) error                   { return nil }

func (s *shelf) publish(ctx context.Context, of Source) ([]byte, error) {
	s.Lock()
	failure, hangs := s.failure, s.hangs
	s.Unlock()
	if hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if failure != nil {
		return nil, failure
	}
	s.Lock()
	defer s.Unlock()
	s.kept = append(s.kept, of.Checkpoint())
	return of.Checkpoint(), nil
}

// is sets how the place behaves from now on.
func (s *shelf) is(failure error, hangs bool) {
	s.Lock()
	defer s.Unlock()
	s.failure, s.hangs = failure, hangs
}

// sizes are the sizes in the kept checkpoints.
func (s *shelf) sizes(t *testing.T, of *signedLog) (sizes []uint64) {
	t.Helper()
	s.Lock()
	defer s.Unlock()
	for _, kept := range s.kept {
		sizes = append(sizes, sizeOf(t, of, kept))
	}
	return sizes
}

// pass lets the time of the bubble go by, and all that is due be done.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// TestPublisherPublishesWhatHasChanged at once, at each interval, and at the end.
func TestPublisherPublishesWhatHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := openLog(t, audittest.NewMemory())
		place := new(shelf)
		k := New(place, time.Minute, log.handle(), zap.NewNop())
		want := func(sizes ...uint64) {
			t.Helper()
			synctest.Wait()
			if got := place.sizes(t, log); !slices.Equal(got, sizes) {
				t.Fatalf("kept at %v, want %v", got, sizes)
			}
		}
		k.Start()
		want(0)
		began := time.Now()
		log.record(t, 3)
		want(0)
		pass(time.Minute)
		want(0, 3)
		pass(5 * time.Minute) // nothing has changed
		want(0, 3)
		if at, problem := k.state(); at.Sub(began) != 6*time.Minute || problem != nil {
			t.Errorf("known to be kept %s after the start, %v", at.Sub(began), problem)
		}
		log.record(t, 2)
		k.Stop()
		want(0, 3, 5)
		log.record(t, 1)
		pass(time.Hour)
		want(0, 3, 5)
	})
}

// TestPublisherLogsEachChangeOnce: a receiver that is down for a day is one line of the
// log, and counted each time; exchanges do not wait for it.
func TestPublisherLogsEachChangeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := openLog(t, audittest.NewMemory())
		core, logged := observer.New(zap.InfoLevel)
		down := errors.New("connection refused")
		place := &shelf{failure: down}
		k := New(place, time.Minute, log.handle(), zap.New(core))
		counted := func() (counts [3]float64) {
			for i, result := range []string{resultKept, resultNotKept, resultUnsound} {
				counts[i] = values(t, checkpointPosts.WithLabelValues(result))[0]
			}
			return counts
		}
		before := counted()
		k.Start()
		pass(4*time.Minute + time.Second)
		if at, problem := k.state(); !at.IsZero() || !errors.Is(problem, down) {
			t.Errorf("state: %v %v", at, problem)
		}
		place.is(audit.ErrUnsound, false)
		pass(2 * time.Minute)
		place.is(nil, false)
		pass(2 * time.Minute)
		place.is(nil, true)
		log.record(t, 1)
		pass(3 * time.Minute)
		place.is(nil, false)
		k.Stop()
		after, want := counted(), [3]float64{2, 5 + 2, 2} // the third that hung was cut off
		for i := range after {
			after[i] -= before[i]
		}
		if after != want {
			t.Errorf("kept, failed, unsound: %v, want %v", after, want)
		}
		var said []string
		for _, entry := range logged.All() {
			said = append(said, entry.Level.String()+" "+entry.Message)
		}
		if want := []string{
			"error the newest checkpoint could not be kept elsewhere",
			"error the trail does not continue the checkpoint that is kept elsewhere, which stays as it is",
			"info the newest checkpoint is kept elsewhere again",
			"error the newest checkpoint could not be kept elsewhere",
			"info the newest checkpoint is kept elsewhere again",
		}; !slices.Equal(said, want) {
			t.Errorf("logged\n%q\nwant\n%q", said, want)
		}
	})
}

// TestPublisherDoesNotHoldAStopUp: an attempt under way is interrupted, and the last one ends.
func TestPublisherDoesNotHoldAStopUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := openLog(t, audittest.NewMemory())
		k := New(&shelf{hangs: true}, time.Minute, log.handle(), zap.NewNop())
		k.Start()
		synctest.Wait()
		began := time.Now()
		k.Stop()
		if took := time.Since(began); took != lastPublishTimeout {
			t.Errorf("the stop took %s, want %s", took, lastPublishTimeout)
		}
	})
}

// values returns the values of a collector, in the order of its series.
func values(t *testing.T, c prometheus.Collector) (all []float64) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			all = append(all, metric.GetCounter().GetValue()+metric.GetGauge().GetValue())
		}
	}
	return all
}

// TestKeptMetricIsThatOfTheWorstPlace.
func TestKeptMetricIsThatOfTheWorstPlace(t *testing.T) {
	c := newKeptCollector()
	if got := values(t, c); len(got) != 0 {
		t.Errorf("without a place: %v", got)
	}
	at := time.Unix(1_800_000_000, 0)
	first, second := &Publisher{at: at}, &Publisher{at: at.Add(-time.Minute)}
	c.Add(first)
	c.Add(second)
	if got := values(t, c)[0]; got != 1_799_999_940 {
		t.Errorf("%f", got)
	}
	c.Remove(second)
	if got := values(t, c)[0]; got != 1_800_000_000 {
		t.Errorf("%f", got)
	}
	c.Add(new(Publisher))
	if got := values(t, c)[0]; got != 0 {
		t.Errorf("%f, want 0: there is one that never was kept", got)
	}
}
