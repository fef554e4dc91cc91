package exchange

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/learned"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/wsfev1"
)

var (
	cacheRequests = metrics.Counters("wsfev1_cache_requests_total",
		"Requests that the cache may answer, by where the answer came from.",
		[]string{"operation", "result"}, metrics.Combinations(cacheableNames(), slices.Sorted(maps.Values(cacheResults))))
	tableChanges = metrics.Counters("wsfev1_table_changes_total",
		"Answers of the service that differ from its previous answer to the same question.",
		[]string{"operation"}, metrics.Singly(cacheableNames()...))
)

// Collectors returns the collectors of what exchanges share.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{cacheRequests, tableChanges, learned.TableDifferences, inFlight}
}

// cacheResults are the values of the label result.
var cacheResults = map[cache.Freshness]string{
	cache.Fetched: "fetched", cache.Fresh: "fresh", cache.Joined: "joined", cache.Stale: "stale",
}

// cacheableNames returns the operations whose answers may be cached.
func cacheableNames() (names []string) {
	for _, op := range wsfev1.Operations {
		if isCacheable(op) {
			names = append(names, op.Name)
		}
	}
	return names
}
