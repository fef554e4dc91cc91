package login

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/wsaa"
)

func init() {
	caddy.RegisterModule(new(Service))
	httpcaddyfile.RegisterHandlerDirective("wsfev1_wsaa", parseService)
	// Before encode, and so before wsfev1, which answers whatever it gets.
	httpcaddyfile.RegisterDirectiveOrder("wsfev1_wsaa", httpcaddyfile.Before, "encode")
}

// Service is a login service like WSAA, for development, tests and demonstrations. A client that
// signs its request with a certificate gets an access ticket, which the built-in service accepts.
// It is not ARCA's: no other service accepts its tickets.
//
// It answers at `/ws/services/LoginCms` and hands every other request on. Put it in the same site as
// `wsfev1` or `wsfev1_backend`.
type Service struct {
	// Trust is which certificates may log in. `open` trusts every one that has not expired;
	// otherwise it is the path of a PEM file with the certificates of authorities. Default: `open`.
	Trust string `json:"trust,omitempty"`

	// Services are the ids of the services for which there are tickets. Default: `wsfe`.
	Services []string `json:"services,omitempty"`

	// Represents are the CUITs for which the certificates of a CUIT act, besides their own.
	Represents map[directive.CUIT][]directive.CUIT `json:"represents,omitempty"`

	// Life is how long a ticket lives. Default: 12h.
	Life caddy.Duration `json:"life,omitempty"`

	// Window is for how long a client that has a ticket is refused another one for the same
	// service, with `coe.alreadyAuthenticated`. Default: 0, it always gets one.
	Window caddy.Duration `json:"window,omitempty"`

	// Fail is the code of the fault with which every login ends that would otherwise succeed.
	// Default: none.
	Fail string `json:"fail,omitempty"`

	// Key is the path of the file with the private key that signs the tickets. It is made at the
	// first start. The certificate is written beside it, with the ending .crt. All handlers of a
	// configuration share one key. Default: wsfev1/wsaa.key in Caddy's data folder.
	Key string `json:"key,omitempty"`

	// PublicURL is the address of the site that its clients know, such as
	// https://wsaahomo.afip.gov.ar. The WSDL names it. Default: as the client asked.
	PublicURL string `json:"public_url,omitempty"`

	// Line is where the directive stands, such as `Caddyfile:12`. It is for messages alone.
	Line string `json:"line,omitempty"`

	server wsaa.Server // without the parts that room has
	room   *room
	logger *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (*Service) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_wsaa", New: func() caddy.Module { return new(Service) }}
}

// Provision checks the options and reads the file of Trust. The key is opened, or made, when the
// configuration starts.
func (s *Service) Provision(ctx caddy.Context) error { return directive.At(s.Line, s.provision(ctx)) }

func (s *Service) provision(ctx caddy.Context) error {
	s.logger = ctx.Logger()
	a, err := app.Of(ctx)
	if err != nil {
		return err
	}
	s.server.Clock = a.Clock().Now
	if err := s.provisionOptions(); err != nil {
		return err
	}
	if err := metrics.Register(ctx.GetMetricsRegistry(), Collectors()...); err != nil {
		return err
	}
	a.Try(s.Line, func() error { return tryKey(s.Key) })
	s.room, err = share(a, s.Key, s.Line, s.logger)
	return err
}

// ServeHTTP answers a request for the path of the service.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if r.URL.Path != wsaa.Path {
		return next.ServeHTTP(w, r)
	}
	switch r.Method {
	case http.MethodPost:
		return s.serveLogin(w, r)
	case http.MethodGet, http.MethodHead:
		return s.serveDescription(w, r)
	}
	w.Header().Set("Allow", "GET, HEAD, POST")
	return caddyhttp.Error(http.StatusMethodNotAllowed, nil)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Service)(nil)
	_ caddyhttp.MiddlewareHandler = (*Service)(nil)
)
