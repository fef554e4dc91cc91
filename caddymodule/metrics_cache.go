package caddymodule

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/wsfev1"
)

var (
	cacheRequests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_cache_requests_total",
		Help: "Requests whose answers may be given again, by where the answer came from.",
	}, []string{"operation", "result"})
	tableChanges = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsfev1_table_changes_total",
		Help: "Answers of the service that were another than the one before to the same question.",
	}, []string{"operation"})
)

// cacheResults are the values of the label result.
var cacheResults = map[cache.Freshness]string{
	cache.Fetched: "fetched", cache.Fresh: "fresh", cache.Joined: "joined", cache.Stale: "stale",
}

func init() {
	for _, op := range wsfev1.Operations {
		if !isCacheable(op) {
			continue
		}
		for _, result := range cacheResults {
			cacheRequests.WithLabelValues(op.Name, result)
		}
		tableChanges.WithLabelValues(op.Name)
	}
	collectors = append(collectors, cacheRequests, tableChanges)
}
