package console_test

import (
	"time"
)

const (
	// mostBytes is the largest size that the first page may have over the wire, with all its files and
	// their headers. No page of the console takes more.
	mostBytes = 150_000
	// soon is how long a page may take until it can be used. On a machine at rest it takes a
	// hundredth of that; the tests run beside others, with the race detector.
	soon = 30 * time.Second
)

// light fails the test if the page that was just opened, without anything from a cache, is heavy or late.
func (p *tab) light(name string) {
	p.t.Helper()
	p.until(`document.readyState === "complete"`)
	usable := time.Duration(ask[float64](p, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`) * float64(time.Millisecond))
	p.mu.Lock()
	defer p.mu.Unlock()
	total := 0.0
	for _, one := range p.received {
		total += one.bytes
	}
	p.t.Logf("%s: %.0f bytes, can be used after %v", name, total, usable.Round(time.Millisecond))
	if total > mostBytes {
		p.t.Errorf("%s takes %.0f bytes, want %d at most", name, total, mostBytes)
	}
	if usable > soon {
		p.t.Errorf("%s can be used after %v", name, usable)
	}
	clear(p.received)
}
