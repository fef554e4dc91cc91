package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/exchange"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/redaction"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// Provision sets the defaults and registers the trail, which opens when the configuration
// starts.
func (g *Gateway) Provision(ctx caddy.Context) error { return directive.At(g.Line, g.provision(ctx)) }

func (g *Gateway) provision(ctx caddy.Context) error {
	g.logger, g.now, g.place = ctx.Logger(), time.Now, app.PlaceOf(ctx)
	g.setDefaults()
	g.way = g.newWay()
	g.way.Service = app.ServiceEnvironment(ctx)
	g.way.Policy.Once.Environment = g.way.Service
	if err := errors.Join(g.provisionRules(rules.Environment(app.Environment(ctx))), g.provisionLimits(), g.Breaker.Validate(), g.checkOpenAPI(), binding.CheckPublicURL(g.PublicURL)); err != nil {
		return err
	}
	if err := metrics.Register(ctx.GetMetricsRegistry(), Collectors()...); err != nil {
		return err
	}
	a, err := app.Of(ctx)
	if err != nil {
		return err
	}
	g.clock, g.way.Flights = a.Clock(), flightsOf(ctx, a)
	// Before the trail: once that is open, there are requests whose tickets are checked.
	if err := g.provisionTickets(a); err != nil {
		return err
	}
	if err := g.provisionClients(a); err != nil {
		return err
	}
	return g.provisionTrail(ctx, a)
}

// provisionTrail registers the trail and the checks of its options.
func (g *Gateway) provisionTrail(ctx caddy.Context, a *app.App) error {
	audit := g.AuditRaw // loading clears it
	opener, err := app.LoadModule[trail.StoreOpener](ctx, g, "AuditRaw", g.AuditRaw, "http.handlers.wsfev1.stores.sqlite")
	if err != nil {
		return err
	}
	if err := a.OneService(opener.Key(), opener.Address(), audit); err != nil {
		return err
	}
	if err := g.Trail.Provision(opener); err != nil {
		return err
	}
	if g.Trail.Forwards() {
		g.logger.Warn("on_failure forward: while the trail cannot be written, exchanges are forwarded without a record")
	}
	if kept := redaction.Namesakes(g.Trail.Redact); len(kept) > 0 {
		g.logger.Warn("members with the same name as redacted ones are not redacted", zap.Strings("pointers", kept))
	}
	options := g.Trail
	open := openingTrail(opener, &options, a.Replaces, g.logger)
	g.trailHandle = app.Lend(a, trail.Trails, opener.Key(), func() (*trail.Trail, error) {
		t, err := open(context.Background(), nil)
		return t, directive.At(g.Line, err)
	})
	g.trailHandle.Reopener = &app.Reopener[*trail.Trail]{Spent: (*trail.Trail).Spent, Reopen: trail.Reopening(open)}
	witnesses := g.provisionWitnesses(a)
	g.trailHandle.Check = func(t *trail.Trail) error {
		err := options.Agree(t)
		if err == nil {
			err = t.CheckService(a.MayBeBuiltIn(audit), trail.AnotherStore(opener))
		}
		if err != nil {
			return directive.At(g.Line, fmt.Errorf("audit %s: %w", opener.Address(), err))
		}
		if err := g.recordClients(t); err != nil {
			return directive.At(g.Line, err)
		}
		g.way.Tune(t)
		g.announceChanges(g.clock.At(g.now()))
		if err := options.Witness(t); err != nil {
			return directive.At(g.Line, err)
		}
		return directive.At(g.Line, witnesses.First(context.Background(), t))
	}
	if err := trail.Of(a).Add(g.place, g.trailHandle, &options); err != nil {
		return err
	}
	join(a, g)
	if err := g.provisionKeepers(a, opener); err != nil {
		return err
	}
	g.provisionStamper(a)
	return g.provisionPublishers(a)
}

// provisionKeepers registers the keepers of access tickets. They open after the trail, a key of which
// seals their tickets.
func (g *Gateway) provisionKeepers(a *app.App, opener trail.StoreOpener) (err error) {
	options := g.Trail
	of := tickets.Trail{Key: opener.Key(), Shared: opener.LogName() != "", Encrypted: options.Encrypts(), Secret: options.Secret}
	of.Opener, _ = opener.(tickets.StoreOpener)
	g.way.Keepers, err = tickets.Provision(a, g.Wsaa, of, g.logger)
	return err
}

// openingTrail returns the function that opens the trail and logs it. A reload that begins one in a file is often
// a mistake, and one that issues twice: the path begins in another folder, or a variable in it has another value.
func openingTrail(opener trail.StoreOpener, options *trail.Options, reloads func() bool, logger *zap.Logger) func(context.Context, *trail.Trail) (*trail.Trail, error) {
	return func(ctx context.Context, before *trail.Trail) (*trail.Trail, error) {
		t, err := trail.Open(ctx, opener, options, before)
		if err == nil {
			logger.Info("the trail is open", zap.String("store", opener.Address()),
				zap.String("log", t.Log), zap.Uint64("records", t.Size()), zap.String("public_key", t.Verifier()),
				zap.String("encryption_key", trail.OrNone(t.ContentKey)))
			t.Warn(logger, opener.Address())
			if shared := opener.LogName() != ""; !shared && t.Size() == 0 && reloads() {
				logger.Warn("this reload begins a new trail: the gateway knows nothing of what was issued before, and would issue it again. "+
					"If that is not meant, look at the path of audit, and reload with the variables of the gateway", zap.String("store", opener.Address()))
			}
		}
		return t, err
	}
}

func (g *Gateway) setDefaults() {
	if g.Contract == "" {
		g.Contract = string(validate.ARCA)
	}
	if g.Mode == "" {
		g.Mode = modeEnforce
	}
	if g.Ticket == "" {
		g.Ticket = ticketCheck
	}
	g.Replay, g.Recover = cmp.Or(g.Replay, optionOn), cmp.Or(g.Recover, optionOn)
	g.Sequence = cmp.Or(g.Sequence, sequenceObserve)
	g.Cache, g.SOAP = cmp.Or(g.Cache, optionOn), cmp.Or(g.SOAP, optionOn)
	g.CacheTTL = cmp.Or(g.CacheTTL, caddy.Duration(exchange.DefaultCacheTTL))
	g.CacheStale = cmp.Or(g.CacheStale, max(caddy.Duration(exchange.DefaultCacheStale), g.CacheTTL))
	if g.MaxBody == 0 {
		g.MaxBody = binding.DefaultMaxBody
	}
	g.MaxBodies = cmp.Or(g.MaxBodies, binding.DefaultMaxBodies)
	g.MaxAnswer, g.MaxAnswers = cmp.Or(g.MaxAnswer, binding.DefaultMaxAnswer), cmp.Or(g.MaxAnswers, binding.DefaultMaxAnswers)
	if g.UpstreamTimeout == 0 {
		g.UpstreamTimeout = caddy.Duration(DefaultUpstreamTimeout)
	}
}

// Validate checks the configuration.
func (g *Gateway) Validate() error { return directive.At(g.Line, g.validate()) }

func (g *Gateway) validate() (err error) {
	if g.contract, err = validate.ParseContract(g.Contract); err != nil {
		return err
	}
	if g.Mode != modeEnforce && g.Mode != modeObserve {
		return fmt.Errorf("unknown mode %q: use enforce or observe", g.Mode)
	}
	if g.Ticket != ticketCheck && g.Ticket != ticketOff {
		return fmt.Errorf("unknown ticket %q: use check or off", g.Ticket)
	}
	if g.Ticket == ticketOff && g.TicketCertificate != "" {
		return errors.New("ticket_certificate needs ticket check")
	}
	if err := g.checkSizes(); err != nil {
		return err
	}
	for option, value := range map[string]string{"replay": g.Replay, "recover": g.Recover, "soap": g.SOAP} {
		if value != optionOn && value != optionOff {
			return fmt.Errorf("unknown %s %q: use on or off", option, value)
		}
	}
	if !slices.Contains([]string{sequenceObserve, sequenceEnforce, sequenceOff}, g.Sequence) {
		return fmt.Errorf("unknown sequence %q: use observe, enforce or off", g.Sequence)
	}
	if g.QR != "" && g.QR != qrInHeader && g.QR != optionOff {
		return fmt.Errorf("unknown qr %q: use header or off", g.QR)
	}
	if err := g.checkCache(); err != nil {
		return err
	}
	if g.SeriesWait < 0 || g.RecoverWithin < 0 {
		return errors.New("series_wait or recover within is negative: give a duration such as 10s")
	}
	if g.UpstreamTimeout < 0 {
		return fmt.Errorf("upstream_timeout is negative: give a duration such as 2m")
	}
	for _, cuit := range g.Cuits {
		if err := cuit.Check(); err != nil {
			return fmt.Errorf("cuits: %w", err)
		}
	}
	return nil
}
