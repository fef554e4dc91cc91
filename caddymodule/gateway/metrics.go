package gateway

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/exchange"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// ticketExpiry exports when the tickets that were checked expire.
var ticketExpiry = metrics.NewExpiryCollector(time.Now)

// Collectors returns the collectors of wsfev1, including the collectors of its trails. They live as long as
// the process, so that their values survive a reload: every configuration registers them anew with its own
// registry.
func Collectors() []prometheus.Collector {
	return slices.Concat(record.Collectors(), exchange.Collectors(), []prometheus.Collector{ticketExpiry, ruleBegins, slots},
		metrics.ProcessCollectors(), trail.Collectors(), checkpoint.Collectors(), cosigned.Collectors(), timestamped.Collectors(), access.Collectors(), tickets.Collectors())
}
