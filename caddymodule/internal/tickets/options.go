package tickets

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// Options is a certificate, and what its tickets are used for.
type Options struct {
	// Login is the login service: `homo`, `prod`, or its address.
	Login string `json:"login"`

	// Certificate is the path of the certificate, PEM or DER, or of a PKCS #12 with its private key.
	// Placeholders such as {env.NAME} are replaced when the configuration is loaded. A path with `*`, `?`
	// or `[` is a pattern, which stands for a block for each file that it matches then.
	Certificate string `json:"certificate"`

	// Key is the path of the private key, which only its owner may be able to read. Default: it is in
	// the file of the certificate. Beside a pattern each wildcard takes the text that the same wildcard of
	// Certificate matches; without wildcards one key is for all. `agent <socket> <fingerprint>` is a key
	// that an ssh-agent has.
	Key string `json:"key,omitempty"`

	// Passphrase opens the private key: a placeholder such as `{env.NAME}` or `{file.PATH}`, never the
	// passphrase itself.
	Passphrase string `json:"passphrase,omitempty"`

	// Cuits are the issuers for which the ticket may be used, one or more. Whoever may use the
	// gateway can issue for them. None with a pattern: each certificate is for its own CUIT.
	Cuits []directive.CUIT `json:"cuits,omitempty"`

	// Tickets: with `missing`, requests without Token and Sign get the keeper's; with `always`, all
	// requests for these issuers do, and what they bring is ignored. Default: `missing`.
	Tickets string `json:"tickets,omitempty"`

	// Store is where the ticket is kept for other gateways and the next start: `trail`, the store of
	// the trail, sealed with a key of the trail's; or `memory`. Default: `trail`.
	Store string `json:"store,omitempty"`

	// TLSCA is the path of the certificates of authorities, PEM, one of which must have issued the
	// certificate of the login service. Default: the authorities of the system.
	TLSCA string `json:"tls_ca,omitempty"`

	// LegacyTLS also offers cipher suites without forward secrecy to the login service, if it has no
	// others. Default: false.
	LegacyTLS bool `json:"legacy_tls,omitempty"`

	// Line is where the block stands, such as `Caddyfile:12`. It is for messages alone.
	Line string `json:"line,omitempty"`

	at         Place
	credential *credential.Credential
	// identity is known also of a certificate that cannot be used, if it can be read.
	identity credential.Identity
	cuits    []wsfev1.CUIT
	// match is the file of a pattern for which the block stands, nil for none: Certificate and Key are its
	// paths then.
	match *match
	// problem is why the certificate cannot be used, nil if it can or has not been read.
	problem error
	tlsCA   string
	// authorities is the content of the file tlsCA.
	authorities []byte
}

const (
	ticketsMissing = "missing"
	ticketsAlways  = "always"
	storeTrail     = "trail"

	// StoreMemory: the ticket is kept nowhere else.
	StoreMemory = "memory"
)

var (
	errNoCertificate = errors.New("certificate: name the file of the certificate, and with key that of its private key")
	errNoCUITs       = errors.New("cuits: name the CUITs for which its ticket may be used; whoever may use the gateway can issue for them")
	errNotHTTPS      = errors.New("legacy_tls is on, but the address of the login service is not https")
	errPassphrase    = errors.New("passphrase: the passphrase must not be in the configuration: give {env.NAME} or {file.PATH}")
)

// check checks what needs no file.
func (o *Options) check() (err error) {
	if o.match != nil {
		return nil // its pattern was checked
	}
	o.Tickets, o.Store = cmp.Or(o.Tickets, ticketsMissing), cmp.Or(o.Store, storeTrail)
	if o.at, err = ParsePlace(o.Login); err != nil {
		return err
	}
	switch {
	case o.Certificate == "":
		return errNoCertificate
	case o.Tickets != ticketsMissing && o.Tickets != ticketsAlways:
		return fmt.Errorf("unknown tickets %q: use missing or always", o.Tickets)
	case o.Store != storeTrail && o.Store != StoreMemory:
		return fmt.Errorf("unknown store %q: use trail or memory", o.Store)
	case o.LegacyTLS && !strings.HasPrefix(o.at.URL, "https://"):
		return errNotHTTPS
	case o.Passphrase != "" && !strings.HasPrefix(o.Passphrase, "{"):
		return errPassphrase
	}
	return o.checkIssuers()
}

// checkIssuers checks the CUITs, which a block names and a pattern does not.
func (o *Options) checkIssuers() error {
	p, err := parsePattern(o.Certificate)
	if err != nil {
		return fmt.Errorf("certificate %w", err)
	}
	if p.wildcards() > 0 {
		return o.checkPattern(p)
	}
	if len(o.Cuits) == 0 {
		return errNoCUITs
	}
	o.cuits = nil
	for _, cuit := range o.Cuits {
		if err := cuit.Check(); err != nil {
			return fmt.Errorf("cuits: %w", err)
		}
		o.cuits = append(o.cuits, wsfev1.CUIT(cuit))
	}
	return nil
}

// OptionTable has the options in the block of wsaa.
var OptionTable = []directive.Option[Options]{
	{
		Name: "certificate", Arguments: "<file>|<pattern>",
		Meaning:  "the certificate, PEM or DER, or a PKCS #12 with its private key. With `*`, `?` or `[…]` in it, the block [stands for one of each file](wsaa.md#many-certificates) that matches when the configuration is loaded. One that has expired, or is of the other environment, [keeps this block alone from working](wsaa.md#a-certificate-that-cannot-be-used)",
		Fallback: "there is none: it must be given",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &o.Certificate) },
	},
	{
		Name: "key", Arguments: "<file>|<pattern>|agent <socket> <fingerprint>",
		Meaning:  "its private key, PKCS #8 or PKCS #1. Only its owner may be able to read it. Beside a pattern: as many wildcards, each of which stands for what the certificate's matches; or none, for one key of all. With `agent`, an ssh-agent has it, or [a token behind it](wsaa.md#a-key-in-an-agent)",
		Fallback: "in the file of the certificate",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.KeyArgument(d, &o.Key) },
	},
	{
		Name: "passphrase", Arguments: "{env.NAME}|{file.PATH}",
		Meaning:  "what opens the private key. The passphrase itself is refused",
		Fallback: "the key is not encrypted",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &o.Passphrase) },
	},
	{
		Name: "cuits", Arguments: "<cuit>…",
		Meaning:  "the issuers for which the ticket may be used. Whoever may use the gateway can issue for them, so [put authentication in front](wsaa.md#who-may-use-it)",
		Fallback: "with a pattern, the CUIT of each certificate, and no other; else there is none: it must be given",
		Read:     directive.CUITs(func(o *Options) *[]directive.CUIT { return &o.Cuits }),
	},
	{
		Name: "tickets", Arguments: "missing|always",
		Meaning:  "`missing`: requests without Token and Sign get the keeper's. `always`: all requests for these issuers do, and what they bring is ignored",
		Fallback: "`missing`",
		Read:     directive.OneOf(func(o *Options) *string { return &o.Tickets }, ticketsMissing, ticketsAlways),
	},
	{
		Name: "store", Arguments: "trail|memory",
		Meaning:  "where the ticket is kept for the next start and for the other gateways. `trail`: in the store of the trail, sealed; PostgreSQL needs `encryption_key`. `memory`: nowhere else",
		Fallback: "`trail`",
		Read:     directive.OneOf(func(o *Options) *string { return &o.Store }, storeTrail, StoreMemory),
	},
	{
		Name: "tls_ca", Arguments: "<file>",
		Meaning:  "the authorities (PEM) one of which must have issued the login service's own certificate",
		Fallback: "those of the system",
		Read:     func(o *Options, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &o.TLSCA) },
	},
	{
		Name: "legacy_tls", Arguments: "on|off",
		Meaning:  "`on` also offers the login service cipher suites without forward secrecy, as [`wsfev1_arca` does](arca.md#tls) with the same option",
		Fallback: "`off`",
		Read:     directive.OnOff(func(o *Options) *bool { return &o.LegacyTLS }),
	},
}

// Unmarshal reads:
//
//	wsaa homo|prod|<url> {
//		<option> <arguments>…
//	}
func (o *Options) Unmarshal(d *caddyfile.Dispenser) error {
	if !d.NextArg() {
		return d.Err("wsaa: name the login service: homo, prod, or the address of another one")
	}
	o.Login, o.Line = d.Val(), directive.Line(d)
	if _, err := ParsePlace(o.Login); err != nil {
		return d.Errf("wsaa: %v", err)
	}
	if d.NextArg() {
		return d.ArgErr()
	}
	return directive.ReadBlock(d, d.Nesting(), o, OptionTable)
}
