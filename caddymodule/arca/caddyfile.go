package arca

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/headers"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("wsfev1_arca", parseARCA)
	httpcaddyfile.RegisterDirectiveOrder("wsfev1_arca", httpcaddyfile.Before, "reverse_proxy")
}

// OptionTable lists the options that the transport wsfev1_soap has beyond the transport http. The
// directive wsfev1_arca has them too.
var OptionTable = []directive.Option[Transport]{
	{
		Name: "soap", Arguments: "1.1|1.2",
		Meaning:  "the version of the messages that the gateway writes. A client's own message keeps its version",
		Fallback: "1.1",
		Read: func(t *Transport, d *caddyfile.Dispenser) error {
			return directive.Word(d, &t.SOAP, "version of SOAP", "1.1", "1.2")
		},
	},
	{
		Name: "path", Arguments: "<path>",
		Meaning:  "the path of the service",
		Fallback: "`/wsfev1/service.asmx`",
		Read: func(t *Transport, d *caddyfile.Dispenser) error {
			if err := directive.OneArgument(d, &t.Path); err != nil {
				return err
			}
			if err := t.checkPath(); err != nil {
				return d.WrapErr(err)
			}
			return nil
		},
	},
	{
		Name: "pass_headers", Arguments: "<name>…",
		Meaning:  "headers that the service gets besides [the message's own](arca.md#headers), as the client or `header_up` sets them",
		Fallback: "none",
		Read: func(t *Transport, d *caddyfile.Dispenser) error {
			if t.PassHeaders = d.RemainingArgs(); len(t.PassHeaders) == 0 {
				return d.ArgErr()
			}
			if err := t.checkHeaders(); err != nil {
				return d.WrapErr(err)
			}
			return nil
		},
	},
	{
		Name: "legacy_tls", Arguments: "on|off",
		Meaning:  "also offer cipher suites without forward secrecy, [for old servers](arca.md#tls)",
		Fallback: "`off`",
		Read:     directive.OnOff(func(t *Transport) *bool { return &t.LegacyTLS }),
	},
}

// UnmarshalCaddyfile reads:
//
//	transport wsfev1_soap {
//		<option> <arguments>…
//	}
//
// The options are OptionTable and the options of the transport http.
func (t *Transport) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the transport's name
	seen := map[string]bool{}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		if !slices.Contains(directive.Names(OptionTable), d.Val()) {
			d.NextSegment()
			continue
		}
		option := d.NewFromNextSegment()
		option.Next()
		if _, err := directive.ReadOption(option, t, OptionTable, seen); err != nil {
			return err
		}
		option.Reset()
		for option.Next() {
			d.DeleteN(1)
		}
	}
	d.Reset()
	return t.HTTPTransport.UnmarshalCaddyfile(d)
}

// The addresses of the authority's service, which wsfev1_arca knows by name (docs/sources.md#soap).
var addresses = map[string]string{
	"homo": "https://wswhomo.afip.gov.ar",
	"prod": "https://servicios1.afip.gov.ar",
}

// parseARCA reads:
//
//	wsfev1_arca [<matcher>] homo|prod|<url> {
//		<option> <arguments>…
//	}
//
// which is short for:
//
//	reverse_proxy [<matcher>] <url> {
//		header_up Host {http.reverse_proxy.upstream.host}
//		transport wsfev1_soap {
//			<options of the transport>
//		}
//		<other options>
//	}
func parseARCA(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	d := h.Dispenser
	d.Next() // the directive's name
	name := d.Token()
	if !d.NextArg() {
		return nil, d.Err("name the service: homo, prod, or the address of another one")
	}
	address, path, err := serviceAddress(d.Val())
	if err != nil {
		return nil, d.WrapErr(err)
	}
	at := d.Token()
	if d.NextArg() {
		return nil, d.ArgErr()
	}
	written := func(line int, text string) caddyfile.Token {
		token := name // an argument may be quoted, and then a brace made from it would be one too
		token.Line, token.Text = line, text
		return token
	}
	proxy := []caddyfile.Token{written(at.Line, "reverse_proxy"), written(at.Line, address), written(at.Line, "{")}
	transport := []caddyfile.Token{written(at.Line, "wsfev1_soap"), written(at.Line, "{")}
	last := at
	for d.NextBlock(0) {
		into := &proxy
		if isOfTransport(d.Val()) {
			into = &transport
		}
		if d.Val() == "transport" {
			return nil, d.Err("wsfev1_arca has its own transport: write the options of it here, or use reverse_proxy with transport wsfev1_soap")
		}
		*into = append(*into, d.NextSegment()...)
		last = d.Token()
	}
	end := written(last.Line+last.NumLineBreaks()+1, "}")
	proxy, transport = append(proxy, end), append(transport, end)
	host := "{http.reverse_proxy.upstream.host}"
	if hasPort(address) {
		host = "{http.reverse_proxy.upstream.hostport}"
	}
	return proxyTo(h, path, host, proxy, transport)
}

// hasPort reports whether an address names its port. Only then does the Host: what stands in front of
// the authority's service may know the plain name alone.
func hasPort(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Port() != ""
}

// proxyTo returns the reverse_proxy of the tokens of its block and of its transport's.
func proxyTo(h httpcaddyfile.Helper, path, host string, proxy, transport []caddyfile.Token) (caddyhttp.MiddlewareHandler, error) {
	t := new(Transport)
	if err := t.UnmarshalCaddyfile(caddyfile.NewDispenser(transport)); err != nil {
		return nil, err
	}
	if t.Path == "" {
		t.Path = path
	}
	made := new(reverseproxy.Handler)
	if err := made.UnmarshalCaddyfile(caddyfile.NewDispenser(proxy)); err != nil {
		return nil, err // it has the place in the Caddyfile
	}
	if err := made.FinalizeUnmarshalCaddyfile(h); err != nil {
		return nil, err // so has it
	}
	if made.TransportRaw != nil && !t.TLSEnabled() { // reverse_proxy has one of its own for https
		if err := t.EnableTLS(new(reverseproxy.TLSConfig)); err != nil {
			return nil, fmt.Errorf("turning TLS on: %w", err)
		}
	}
	made.TransportRaw = caddyconfig.JSONModuleObject(t, "protocol", "wsfev1_soap", nil)
	setHost(made, host)
	return made, nil
}

// setHost lets the service be asked by its own name, unless the block names another.
func setHost(proxy *reverseproxy.Handler, host string) {
	if proxy.Headers == nil {
		proxy.Headers = new(headers.Handler)
	}
	if proxy.Headers.Request == nil {
		proxy.Headers.Request = new(headers.HeaderOps)
	}
	ops := proxy.Headers.Request
	if ops.Set.Get("Host") != "" {
		return
	}
	if ops.Set == nil {
		ops.Set = map[string][]string{}
	}
	ops.Set.Set("Host", host)
}

// serviceAddress returns what reverse_proxy takes for an address, and the path of the service.
func serviceAddress(text string) (address, path string, err error) {
	if known, ok := addresses[text]; ok {
		return known, "", nil
	}
	if strings.ContainsAny(text, "@?#") { // an error with the text would show a password, or a key
		return "", "", errors.New("wsfev1_arca: the address has more than a host and a path: give it without user and query")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", "", fmt.Errorf("wsfev1_arca %q: use homo, prod, or an address such as https://wswhomo.afip.gov.ar/wsfev1/service.asmx", text)
	case u.Path == "/":
		u.Path = ""
	}
	return u.Scheme + "://" + u.Host, u.Path, nil
}

// transportOptions are the options of the transport http, besides those that begin with tls and
// keepalive.
var transportOptions = []string{
	"read_buffer", "write_buffer", "read_timeout", "write_timeout", "max_response_header", "proxy_protocol", "network_proxy",
	"dial_timeout", "dial_fallback_delay", "response_header_timeout", "expect_continue_timeout", "resolvers", "local_address",
	"versions", "compression", "max_conns_per_host",
}

// isOfTransport reports whether an option of wsfev1_arca is one of its transport.
func isOfTransport(option string) bool {
	return slices.Contains(directive.Names(OptionTable), option) || slices.Contains(transportOptions, option) ||
		option == "tls" || strings.HasPrefix(option, "tls_") || strings.HasPrefix(option, "keepalive")
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Transport)(nil)
