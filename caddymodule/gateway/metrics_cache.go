package gateway

import (
	"maps"
	"slices"

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
	tableDifferences = metrics.Counters("wsfev1_table_differences_total",
		"Tables of the service, when they are first seen or have changed, whose codes differ from the built-in one's. Rules refuse no code that the service lists.",
		[]string{"operation"}, metrics.Singly(slices.Sorted(maps.Keys(builtInCodes))...))
)

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
