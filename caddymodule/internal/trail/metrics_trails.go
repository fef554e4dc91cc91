package trail

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
)

// openTrails are the trails that the metrics cover.
var openTrails metrics.Live[*Trail]

// Collectors returns the collectors of the open trails. They are made once: a collector that is
// registered twice must be the same value.
var Collectors = sync.OnceValue(func() []prometheus.Collector {
	return slices.Concat([]prometheus.Collector{
		appendDuration, auditRecords, pendingOutcomes, UnrecordedExchanges, LostRecords,
		recoveries, recoveryDuration, seriesWaitDuration, newOutageCollector(),
	}, auditGauges(), seriesGauges(), sentinel.Collectors())
})
