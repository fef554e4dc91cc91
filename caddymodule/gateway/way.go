package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/exchange"
	"github.com/fielato/fielato/caddymodule/internal/flights"
	"github.com/fielato/fielato/caddymodule/internal/learned"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/once"
)

// The values of options that switch something.
const (
	optionOn  = "on"
	optionOff = "off"
)

// The values of the option sequence, and of the option qr that is not off.
const (
	sequenceObserve = "observe"
	sequenceEnforce = "enforce"
	sequenceOff     = "off"
	qrInHeader      = "header"
)

// instant is the clock that measures how long a request has been ready. Tests replace it.
var instant = clocks.Now

// newWay returns how this gateway leads exchanges, as far as its options say, whose defaults are set. The
// provisioning adds the book, the limits, the keepers and the flights.
func (g *Gateway) newWay() *exchange.Way {
	return &exchange.Way{
		Policy: g.newPolicy(), Trail: &g.Trail, Breaker: &g.Breaker,
		MaxBody: g.MaxBody, MaxAnswer: g.MaxAnswer,
		Bodies: binding.NewMemoryBudget(max(g.MaxBodies, 1)), Answers: binding.NewAnswerBudget(max(g.MaxAnswers, 1)),
		MaxWait: time.Duration(cmp.Or(g.InFlight.Wait, caddy.Duration(defaultWait))),
		Learned: new(learned.Figures), Announce: g.announceChanges,
		Logger: g.logger, Alarm: alarmLogger(g.logger), StrayLog: exchange.StrayLogger(g.logger),
		Now: func() time.Time { return g.now() }, Effective: func(t time.Time) time.Time { return g.clock.At(t) },
		Instant: func() clocks.Instant { return instant() },
	}
}

// alarmLogger returns a logger that logs each error once in ten seconds, so that a full disk is not filled
// with what every exchange meets.
func alarmLogger(logger *zap.Logger) *zap.Logger {
	return logger.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, 10*time.Second, 1, 0)
	}))
}

// newPolicy resolves the options, whose defaults are set.
func (g *Gateway) newPolicy() exchange.Policy {
	p := exchange.Policy{
		Replay: g.Replay == optionOn, Recover: g.Recover == optionOn, Cache: g.Cache == optionOn, SOAP: g.SOAP == optionOn,
		CacheTTL: time.Duration(g.CacheTTL), CacheStale: time.Duration(g.CacheStale),
		Predict: g.Sequence != sequenceOff, RefuseUnsequenced: g.Sequence == sequenceEnforce, QR: g.QR == qrInHeader,
		QueryTime: cmp.Or(time.Duration(g.RecoverWithin), once.DefaultRecoverWithin),
	}
	p.Once = once.Policy{
		SeriesWait: time.Duration(g.SeriesWait), RecoverWithin: time.Duration(g.RecoverWithin),
		AtWork: time.Duration(g.UpstreamTimeout), NoReplay: !p.Replay, NoRecovery: !p.Recover,
		AllowWithoutJournal: g.Trail.Forwards(),
	}
	return p
}

// checkCache checks the options of the cache.
func (g *Gateway) checkCache() error {
	switch {
	case g.Cache != optionOn && g.Cache != optionOff:
		return fmt.Errorf("unknown cache %q: use on or off", g.Cache)
	case g.CacheTTL < 0 || g.CacheStale < 0:
		return errors.New("cache_ttl or cache_stale is negative: give a duration such as 5m")
	case g.CacheStale < g.CacheTTL:
		return fmt.Errorf("cache: stale %s is shorter than the %s for which an answer is fresh: give a longer one, such as stale 24h",
			time.Duration(g.CacheStale), time.Duration(g.CacheTTL))
	}
	return nil
}

// flightsKey is the key under which the gateways of a configuration share their flights.
type flightsKey struct{}

// flightsOf returns the flights of a configuration, reported when a server of it stops.
func flightsOf(ctx caddy.Context, a *app.App) *flights.Flights {
	f := app.Shared(a, flightsKey{}, flights.New)
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		server.RegisterOnShutdown(func() { f.Report(caddy.Log().Named("http.handlers.wsfev1")) })
	}
	return f
}
