package app

import (
	"errors"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/layout"
)

// review refuses what layout.Review does, and logs the rest of its findings, each once.
func (a *App) review(ctx caddy.Context, server *caddyhttp.Server) error {
	var grace time.Duration
	if http := httpOf(ctx); http != nil {
		grace = time.Duration(http.GracePeriod)
	}
	for _, f := range layout.Review(server, grace) {
		switch {
		case f.Refused:
			return errors.New(f.String())
		case !slices.Contains(a.told, f):
			a.told = append(a.told, f)
			a.logger.Warn(f.String())
		}
	}
	return nil
}
