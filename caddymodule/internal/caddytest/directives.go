package caddytest

import (
	"crypto/tls"
	"io"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	caddy.RegisterModule(panicking{})
	caddy.RegisterModule(tooEarly{})
	caddy.RegisterModule(calling{})
	httpcaddyfile.RegisterHandlerDirective("test_panic", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return panicking{}, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_panic", httpcaddyfile.Before, "reverse_proxy")
	httpcaddyfile.RegisterHandlerDirective("test_early", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return tooEarly{}, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_early", httpcaddyfile.Before, "encode")
	httpcaddyfile.RegisterHandlerDirective("test_call", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return calling{}, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_call", httpcaddyfile.Before, "templates")
}

// OnTheWay is what calling calls. It is changed while nothing is under way.
var OnTheWay = func() {}

// calling lets a test do something between the gateway and the next handler.
type calling struct{}

func (calling) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_call", New: func() caddy.Module { return new(calling) }}
}

func (calling) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	OnTheWay()
	return next.ServeHTTP(w, r)
}

// panicking is a next handler that panics with the body that it was given.
type panicking struct{}

func (panicking) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_panic", New: func() caddy.Module { return new(panicking) }}
}

func (panicking) ServeHTTP(_ http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	body, _ := io.ReadAll(r.Body)
	panic("cannot handle " + string(body))
}

// tooEarly makes a request look as if it had come as TLS early data.
type tooEarly struct{}

func (tooEarly) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_early", New: func() caddy.Module { return new(tooEarly) }}
}

func (tooEarly) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	r.TLS = &tls.ConnectionState{HandshakeComplete: false}
	return next.ServeHTTP(w, r)
}
