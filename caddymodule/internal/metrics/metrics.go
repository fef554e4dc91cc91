package metrics

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/wsfev1"
)

// UpstreamBuckets are the buckets of durations in seconds. They reach beyond the minute that
// the service can take.
var UpstreamBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 120}

// Histogram returns the options of a histogram with classic buckets, for every scraper, and
// native ones, for scrapers that can read them.
func Histogram(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}
}

// Other is the value of a bounded label for everything that is not in its list.
const Other = "other"

// Register registers collectors with the registry of a configuration. Collectors that another
// handler of the configuration has already registered are left as they are.
func Register(registry *prometheus.Registry, collectors ...prometheus.Collector) error {
	if registry == nil {
		return nil
	}
	prepared.makeSeries()
	for _, c := range collectors {
		var already prometheus.AlreadyRegisteredError
		if err := registry.Register(safeCollector{c}); err != nil && !errors.As(err, &already) {
			return fmt.Errorf("registering metrics: %w", err)
		}
	}
	return nil
}

// preparation makes the series whose labels are known. There are thousands of them, and most commands of the program
// register none.
type preparation struct {
	mu    sync.Mutex
	steps []func() // guarded by mu; every package adds its own before the first registration
}

var prepared preparation

func (p *preparation) add(step func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(p.steps, step)
}

func (p *preparation) makeSeries() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, step := range p.steps {
		step()
	}
	p.steps = nil
}

// Counters returns a counter with labels. Every given combination of values exists as soon as a collector is
// registered: a dashboard shows zeros, not gaps.
func Counters(name, help string, labels []string, values [][]string) *prometheus.CounterVec {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	prepared.add(func() {
		for _, each := range values {
			vec.WithLabelValues(each...)
		}
	})
	return vec
}

// Histograms is Counters for a histogram with classic and native buckets.
func Histograms(name, help string, buckets []float64, labels []string, values [][]string) *prometheus.HistogramVec {
	vec := prometheus.NewHistogramVec(Histogram(name, help, buckets), labels)
	prepared.add(func() {
		for _, each := range values {
			vec.WithLabelValues(each...)
		}
	})
	return vec
}

// Combinations returns each value of the first label with each of the second.
func Combinations(first, second []string) (all [][]string) {
	for _, a := range first {
		for _, b := range second {
			all = append(all, []string{a, b})
		}
	}
	return all
}

// Singly returns the combinations for a single label.
func Singly(values ...string) (all [][]string) {
	for _, value := range values {
		all = append(all, []string{value})
	}
	return all
}

// CodeLabel returns the value of a label for a code of the service.
func CodeLabel(code int32) string { return strconv.Itoa(int(code)) }

// VoucherLabel returns the value of a label for a voucher type, Other for an unknown one.
func VoucherLabel(cbteTipo int32) string {
	if wsfev1.ClassOf(cbteTipo) == "" {
		return Other
	}
	return strconv.Itoa(int(cbteTipo))
}
