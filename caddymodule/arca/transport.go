package arca

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/wsfev1/soap"
)

func init() { caddy.RegisterModule(new(Transport)) }

// Transport is a transport of `reverse_proxy` to a service that speaks SOAP. A `wsfev1` must stand
// in front. It has every option of the transport `http`, and speaks HTTP/1.1 unless `versions`
// names others.
//
// A request of a client that speaks SOAP is sent as it came, unless the service might read something in
// it differently. Any other is written in SOAP.
type Transport struct {
	reverseproxy.HTTPTransport

	// SOAP is the version of the messages that are written: `1.1` or `1.2`. A client's own message
	// keeps its version. Default: `1.1`.
	SOAP string `json:"soap,omitempty"`

	// Path is the path of the service. Default: `/wsfev1/service.asmx`.
	Path string `json:"path,omitempty"`

	// LegacyTLS also offers cipher suites without forward secrecy, for servers that have no others
	// which Go knows. Whoever records the traffic and gets the server's key later can read it.
	// Default: false.
	LegacyTLS bool `json:"legacy_tls,omitempty"`

	// PassHeaders are headers that the service gets besides the message's own, with the values that
	// the client or `header_up` gives them. Default: none.
	PassHeaders []string `json:"pass_headers,omitempty"`

	version soap.Version
	logger  *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (*Transport) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.reverse_proxy.transport.wsfev1_soap", New: func() caddy.Module { return new(Transport) }}
}

// Provision checks the options and prepares the connections.
func (t *Transport) Provision(ctx caddy.Context) error {
	t.logger = ctx.Logger()
	switch t.SOAP {
	case "", soap.V11.String():
	case soap.V12.String():
		t.version = soap.V12
	default:
		return fmt.Errorf("soap %q: use 1.1 or 1.2", t.SOAP)
	}
	if t.Path == "" {
		t.Path = binding.SOAPPath
	}
	if err := t.checkPath(); err != nil {
		return err
	}
	if err := t.checkHeaders(); err != nil {
		return err
	}
	if len(t.Versions) == 0 {
		t.Versions = []string{"1.1"}
	}
	t.limitHandshake()
	if err := t.HTTPTransport.Provision(ctx); err != nil {
		return fmt.Errorf("preparing the connections: %w", err)
	}
	if t.LegacyTLS {
		if err := t.offerLegacy(); err != nil {
			return err
		}
	}
	return metrics.Register(ctx.GetMetricsRegistry(), Collectors()...)
}

// checkPath checks the option path.
func (t *Transport) checkPath() error {
	if !strings.HasPrefix(t.Path, "/") || strings.ContainsAny(t.Path, "?#") {
		return fmt.Errorf("path %q: give that of the service, such as %s", t.Path, binding.SOAPPath)
	}
	return nil
}

var errNoGateway = errors.New("the transport wsfev1_soap has no request of a gateway: put wsfev1 in front of it")

// RoundTrip implements http.RoundTripper. It sends a request once.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	wire := binding.WireOf(r.Context())
	if wire == nil {
		if r.Context().Value(http.ServerContextKey) != nil { // it came from a client
			return nil, errNoGateway
		}
		return t.checkHealth(r)
	}
	m, err := t.write(wire)
	if err != nil {
		wire.ConnRequested.Store(true) // it will be no more, so nothing was sent
		return nil, err
	}
	answer, err := t.send(t.request(m, r))
	wire.SetLeg(m.leg)
	if err != nil {
		return nil, t.explain(err)
	}
	defer answer.Body.Close()
	return t.read(r.Context(), wire, m, answer)
}

// Interface guards
var (
	_ caddy.Provisioner                                = (*Transport)(nil)
	_ caddy.CleanerUpper                               = (*Transport)(nil)
	_ http.RoundTripper                                = (*Transport)(nil)
	_ reverseproxy.TLSTransport                        = (*Transport)(nil)
	_ reverseproxy.HealthCheckSchemeOverriderTransport = (*Transport)(nil)
	_ reverseproxy.ProxyProtocolTransport              = (*Transport)(nil)
)
