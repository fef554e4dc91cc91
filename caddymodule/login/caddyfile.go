package login

import (
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/wsaa"
)

func parseService(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	s := new(Service)
	return s, s.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads:
//
//	wsfev1_wsaa [<matcher>] {
//		<option> <arguments>…
//	}
//
// The options are OptionTable; docs/reference.md has them all. Every option may be left
// out, and so may the block.
func (s *Service) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return directive.Read(d, &s.Line, s, OptionTable)
}

// OptionTable has the options of the directive wsfev1_wsaa.
var OptionTable = []directive.Option[Service]{
	{
		Name: "trust", Arguments: "open|<file>",
		Meaning:  "which certificates may log in. `open`: any that has not expired. Otherwise a PEM file with the certificates of authorities, [such as ARCA's](built-in-service.md#whom-it-trusts)",
		Fallback: "`open`",
		Read:     func(s *Service, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &s.Trust) },
	},
	{
		Name: "represents", Arguments: "<cuit> <cuit>…", Repeatable: true,
		Meaning:  "certificates of the first CUIT also act for the others, as after a delegation. A ticket keeps what held when it was made",
		Fallback: "each acts for its own",
		Read:     (*Service).unmarshalRepresents,
	},
	{
		Name: "services", Arguments: "<id>…",
		Meaning:  "the services for which there are tickets. For any other there is `wsn.notFound`",
		Fallback: "`wsfe`",
		Read: func(s *Service, d *caddyfile.Dispenser) error {
			if s.Services = d.RemainingArgs(); len(s.Services) == 0 {
				return d.ArgErr()
			}
			for _, id := range s.Services {
				if !wsaa.IsService(id) {
					return d.Errf("services: %q is not the id of a service, such as wsfe", id)
				}
			}
			return nil
		},
	},
	{
		Name: "life", Arguments: "<duration>",
		Meaning:  "how long a ticket lives, whatever the client asks for",
		Fallback: "12h, as ARCA's",
		Read:     directive.Duration(func(s *Service) *caddy.Duration { return &s.Life }, "12h"),
	},
	{
		Name: "window", Arguments: "off|<duration>",
		Meaning:  "for how long a client that has a ticket gets no other for the same service, but `coe.alreadyAuthenticated`. ARCA: 10m in testing, 2m in production",
		Fallback: "`off`",
		Read:     (*Service).unmarshalWindow,
	},
	{
		Name: "fail", Arguments: "<code>",
		Meaning:  "every login that would succeed gets this fault, such as `wsaa.unavailable`",
		Fallback: "none",
		Read: func(s *Service, d *caddyfile.Dispenser) error {
			return directive.Word(d, &s.Fail, "code", wsaa.FaultCodes()...)
		},
	},
	{
		Name: "key", Arguments: "<file>",
		Meaning:  "the private key that signs the tickets, made at the first start. Its certificate is written beside it, as `.crt`",
		Fallback: "`wsfev1/wsaa.key` in Caddy's data folder",
		Read:     func(s *Service, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &s.Key) },
	},
	{
		Name: "public_url", Arguments: "<url>",
		Meaning:  "the address of the site that clients know. The WSDL sends them there",
		Fallback: "as they asked, also through a trusted proxy",
		Read: func(s *Service, d *caddyfile.Dispenser) error {
			if err := directive.OneArgument(d, &s.PublicURL); err != nil {
				return err
			}
			if err := checkPublicURL(s.PublicURL); err != nil {
				return d.WrapErr(err)
			}
			return nil
		},
	},
}

// unmarshalRepresents reads "represents <cuit> <cuit>…".
func (s *Service) unmarshalRepresents(d *caddyfile.Dispenser) error {
	var cuits []directive.CUIT
	for d.NextArg() {
		var cuit directive.CUIT
		if err := directive.ReadCUIT(d, "represents", &cuit); err != nil {
			return err
		}
		cuits = append(cuits, cuit)
	}
	if len(cuits) < 2 {
		return d.Err("represents: give the CUIT of the certificate, and then those for which it acts")
	}
	if s.Represents == nil {
		s.Represents = map[directive.CUIT][]directive.CUIT{}
	}
	for _, cuit := range cuits[1:] {
		if cuit == cuits[0] || slices.Contains(s.Represents[cuits[0]], cuit) {
			return d.Errf("represents: %d is given twice", cuit)
		}
		s.Represents[cuits[0]] = append(s.Represents[cuits[0]], cuit)
	}
	return nil
}

// unmarshalWindow reads "window off|<duration>".
func (s *Service) unmarshalWindow(d *caddyfile.Dispenser) error {
	if !d.NextArg() {
		return d.ArgErr()
	}
	if d.Val() == "off" {
		s.Window = 0
		if d.NextArg() {
			return d.ArgErr()
		}
		return nil
	}
	d.Prev()
	return directive.DurationArgument(d, "window", "10m, or off", &s.Window)
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Service)(nil)
