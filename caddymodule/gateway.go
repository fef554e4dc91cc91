package caddymodule

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func init() { caddy.RegisterModule(new(Gateway)) }

// Gateway is the checkpoint in front of an invoicing service that speaks WSFEv1 as
// JSON over HTTP. It checks every request, keeps evidence of every exchange before
// the client gets its answer, and hands what is right to the next handler: Caddy's
// own reverse_proxy, or wsfev1_backend. Within its matcher nothing passes that is
// not one of the operations.
//
// Once a request was admitted these placeholders are set:
//
// Placeholder | Description
// ------------|------------
// `{http.wsfev1.operation}` | The operation's name
// `{http.wsfev1.outcome}` | What became of it, one word
// `{http.wsfev1.certainty}` | `answered`, `not_sent` or `unknown`
// `{http.wsfev1.record}` | The record's address: log/index
type Gateway struct {
	// Audit is the store of the trail, a module in the namespace
	// `http.handlers.wsfev1.stores`. Default: `sqlite` in Caddy's data folder.
	// There is no way to do without.
	AuditRaw json.RawMessage `json:"audit,omitempty" caddy:"namespace=http.handlers.wsfev1.stores inline_key=store"`

	// Contract says what is allowed: `base`, exactly the twenty operations and
	// their members; or `arca`, also what the live service has beyond them.
	// Default: `arca`.
	Contract string `json:"contract,omitempty"`

	// Mode says what rules do: `enforce` refuses what they find, as the service
	// would; `observe` only writes it down and forwards. What breaks the
	// contract's shape is refused in both. Default: `enforce`.
	Mode string `json:"mode,omitempty"`

	// MaxBody is the largest request body in bytes. Default: 4 MiB.
	MaxBody int64 `json:"max_body,omitempty"`

	// Cuits are the issuers that may pass; all if there are none.
	Cuits []int64 `json:"cuits,omitempty"`

	// UpstreamTimeout is how long the next handler may take in all. It is the last
	// resort where reverse_proxy has no time-outs of its own: its
	// response_header_timeout should be shorter. Default: 2 minutes.
	UpstreamTimeout caddy.Duration `json:"upstream_timeout,omitempty"`

	contract validate.Contract
	cuits    map[wsfev1.CUIT]struct{}
	rules    *validate.Rules
	lease    *lease[*trail]
	logger   *zap.Logger
	// alarm is for errors that every exchange meets while they last: it writes
	// each of them once in ten seconds, so that a full disk is not filled with it.
	alarm *zap.Logger
	now   func() time.Time
}

// DefaultUpstreamTimeout is longer than the minute that the service can take.
const DefaultUpstreamTimeout = 2 * time.Minute

const (
	modeEnforce = "enforce"
	modeObserve = "observe"
)

// recordHeader tells the client where its exchange stands in the trail: log/index.
const recordHeader = "Wsfev1-Record"

var errorBodyShape = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.ErrorBody]())

// CaddyModule returns the Caddy module information.
func (*Gateway) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1", New: func() caddy.Module { return new(Gateway) }}
}

// Provision sets the defaults and asks for the trail, which opens when the
// configuration starts.
func (g *Gateway) Provision(ctx caddy.Context) error {
	g.logger, g.now, g.rules = ctx.Logger(), time.Now, validate.NewRules()
	g.alarm = g.logger.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, 10*time.Second, 1, 0)
	}))
	g.setDefaults()
	if err := registerMetrics(ctx.GetMetricsRegistry()); err != nil {
		return err
	}
	opener, err := loadOpener[StoreOpener](ctx, g, "AuditRaw", g.AuditRaw, "http.handlers.wsfev1.stores.sqlite")
	if err != nil {
		return err
	}
	logger := g.logger
	g.lease, err = lend(ctx, trails, opener.Key(), func() (*trail, error) {
		t, err := openTrail(opener)
		if err == nil {
			logger.Info("the trail is open", zap.String("store", opener.Address()),
				zap.String("log", t.log), zap.Uint64("records", t.Size()))
		}
		return t, err
	})
	return err
}

func (g *Gateway) setDefaults() {
	if g.Contract == "" {
		g.Contract = string(validate.ARCA)
	}
	if g.Mode == "" {
		g.Mode = modeEnforce
	}
	if g.MaxBody == 0 {
		g.MaxBody = DefaultMaxBody
	}
	if g.UpstreamTimeout == 0 {
		g.UpstreamTimeout = caddy.Duration(DefaultUpstreamTimeout)
	}
	if len(g.Cuits) > 0 {
		g.cuits = make(map[wsfev1.CUIT]struct{}, len(g.Cuits))
		for _, c := range g.Cuits {
			g.cuits[wsfev1.CUIT(c)] = struct{}{}
		}
	}
}

// Validate checks what the configuration says.
func (g *Gateway) Validate() (err error) {
	if g.contract, err = validate.ParseContract(g.Contract); err != nil {
		return err
	}
	if g.Mode != modeEnforce && g.Mode != modeObserve {
		return fmt.Errorf("unknown mode %q: use enforce or observe", g.Mode)
	}
	if g.MaxBody < 0 {
		return fmt.Errorf("max_body is negative: give a size such as 4MiB")
	}
	if g.UpstreamTimeout < 0 {
		return fmt.Errorf("upstream_timeout is negative: give a duration such as 2m")
	}
	for cuit := range g.cuits {
		if !cuit.Valid() {
			return fmt.Errorf("cuits: %s is no CUIT: it has eleven digits, the last of them a check digit", cuit)
		}
	}
	return nil
}

func (g *Gateway) admission() admission {
	return admission{contract: g.contract, maxBody: g.MaxBody}
}

func (g *Gateway) upstreamTimeout() time.Duration { return time.Duration(g.UpstreamTimeout) }

func (g *Gateway) allowsCuit(cuit wsfev1.CUIT) bool {
	_, ok := g.cuits[cuit]
	return ok || g.cuits == nil
}

// action says what is made of a finding of the rules.
func (g *Gateway) action(f validate.Finding) string {
	if g.Mode == modeObserve || !f.Severity.Rejects() {
		return actionObserve
	}
	return actionRefuse
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Gateway)(nil)
	_ caddy.Validator             = (*Gateway)(nil)
	_ caddyhttp.MiddlewareHandler = (*Gateway)(nil)
)
