package learned

import (
	"maps"
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

// TableDifferences is the collector of differences between tables.
var TableDifferences = metrics.Counters("wsfev1_table_differences_total",
	"Tables of the service, when they are first seen or have changed, whose codes differ from the built-in one's. Rules refuse no code that the service lists.",
	[]string{"operation"}, metrics.Singly(slices.Sorted(maps.Keys(builtInCodes))...))
