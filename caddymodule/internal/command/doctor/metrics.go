package doctor

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

// metricsResult says where the metrics are, and whether somebody asks for them.
func metricsResult(ctx context.Context, c *config) result {
	const check = "metrics"
	switch {
	case c.admin == "" && c.metrics:
		return ok(check, "served by a site; the admin API is off")
	case c.admin == "":
		return warn(check, "put the handler metrics into a site, or leave the admin API on", "served nowhere: the admin API is off")
	}
	address, err := caddy.ParseNetworkAddress(c.admin)
	if err != nil || address.IsUnixNetwork() || address.IsFdNetwork() {
		return ok(check, "served by the admin API at %s", c.admin)
	}
	at := "http://" + address.JoinHostPort(0) + "/metrics"
	scraped, running := scrapes(ctx, c.admin)
	switch {
	case !running:
		return ok(check, "served at %s once the gateway runs; let Prometheus ask there", at)
	case !scraped && !c.metrics:
		return warn(check, "let Prometheus ask there, or by a site with the handler metrics: alarms need them", "%s: no Prometheus has read them yet", at)
	}
	return ok(check, "served at %s", at)
}

// scrapes asks for the metrics, and reports whether anybody asked before, as Caddy counts it.
func scrapes(ctx context.Context, admin string) (scraped, running bool) {
	body, err := readAdmin(ctx, admin, "/metrics")
	for line := range strings.Lines(string(body)) {
		if strings.HasPrefix(line, "caddy_admin_http_requests_total{") && strings.Contains(line, `path="/metrics"`) {
			scraped = true
		}
	}
	return scraped, err == nil
}

// readAdmin asks the admin API of a gateway that may be at work.
func readAdmin(ctx context.Context, admin, path string) ([]byte, error) {
	if admin == "" {
		return nil, errors.New("the admin API is off")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return cli.AskAdmin(ctx, admin, http.MethodGet, path, nil)
}
