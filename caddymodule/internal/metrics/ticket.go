package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/wsfev1"
)

// ExpiryCollector exports when the first of the access tickets in use expires. It has one
// ticket for each issuer, the one that expires last: a ticket that was renewed does not count
// any more.
type ExpiryCollector struct {
	description *prometheus.Desc
	now         func() time.Time

	mu sync.Mutex
	// latest is when the ticket of each issuer expires, guarded by mu.
	latest map[wsfev1.CUIT]time.Time
}

const (
	// maxIssuers bounds the issuers in latest.
	maxIssuers = 10_000
	// forgetTicketAfter is how long a ticket still counts after it expired without being
	// renewed. Until then it hides all others, as only the first to expire is exported.
	forgetTicketAfter = time.Hour
)

// NewExpiryCollector returns a collector without tickets.
func NewExpiryCollector(now func() time.Time) *ExpiryCollector {
	return &ExpiryCollector{
		description: prometheus.NewDesc("wsfev1_ticket_expiry_timestamp_seconds",
			"When the first of the access tickets in use expires, in seconds since 1970. Absent before the first ticket.", nil, nil),
		now: now, latest: map[wsfev1.CUIT]time.Time{},
	}
}

// Note records a ticket in use.
func (c *ExpiryCollector) Note(issuer wsfev1.CUIT, expires time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.latest[issuer]
	if ok && !expires.After(known) || !ok && len(c.latest) >= maxIssuers {
		return
	}
	c.latest[issuer] = expires
}

// Describe implements prometheus.Collector.
func (c *ExpiryCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.description }

// Collect implements prometheus.Collector.
func (c *ExpiryCollector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first time.Time
	for issuer, expires := range c.latest {
		if c.now().Sub(expires) > forgetTicketAfter {
			delete(c.latest, issuer)
		} else if first.IsZero() || expires.Before(first) {
			first = expires
		}
	}
	if !first.IsZero() {
		ch <- prometheus.MustNewConstMetric(c.description, prometheus.GaugeValue, float64(first.Unix()))
	}
}
