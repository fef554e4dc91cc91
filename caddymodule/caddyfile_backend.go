package caddymodule

import (
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func parseBackend(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	b := new(Backend)
	return b, b.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads:
//
//	wsfev1_backend [<matcher>] {
//		<option> <arguments>…
//	}
//
// The options are backendOptions; REFERENCE.md has them all. Every option may be left
// out, and so may the block.
func (b *Backend) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	return readBlock(d, 0, b, backendOptions)
}

// backendOptions are those of the directive wsfev1_backend.
var backendOptions = []option[Backend]{
	{
		name: "ledger", arguments: "<ledger> [<arguments>…]",
		meaning:  "where its invoices, series and CAEAs are kept, see [ledgers](#ledgers)",
		fallback: "`sqlite`",
		read:     (*Backend).unmarshalLedger,
	},
	{
		name: "register", arguments: "<file>",
		meaning:  "a file that says who may do what: issuers, receivers, points of sale, see [the register](../backend/README.md#the-register). A mistake in it is an error at load, with file and line",
		fallback: "a built-in one, with test CUITs",
		read:     func(b *Backend, d *caddyfile.Dispenser) error { return oneArgument(d, &b.Register) },
	},
	{
		name: "tickets", arguments: "open|strict",
		meaning:  "`open`: any Token and Sign that are not empty. `strict`: Token must be a readable WSAA ticket that is in force, for `wsfe` and for `Auth.Cuit`; anything else gets 600. Sign is not verified",
		fallback: "`open`",
		read: func(b *Backend, d *caddyfile.Dispenser) error {
			return oneOf(d, &b.Tickets, "tickets", ticketsOpen, ticketsStrict)
		},
	},
	{
		name: "clock", arguments: "system|fixed <time>|offset <duration>",
		meaning:  "what time it is, see [the clock](../backend/README.md#the-clock)",
		fallback: "`system`",
		read:     (*Backend).unmarshalClock,
	},
	{
		name: "rule", arguments: "<code>… enforce|observe|off", repeatable: true,
		meaning:  "the level of single rules, as in the gateway; here the codes that hang on the register or the ledger may be named too",
		fallback: "each rule's own",
		read: func(b *Backend, d *caddyfile.Dispenser) (err error) {
			b.Rules, err = ruleArguments(d, b.Rules, true)
			return err
		},
	},
	{
		name: "tables", arguments: "<folder>",
		meaning:  "a folder with reference tables of your own, see [tables](../backend/README.md#tables)",
		fallback: "the built-in ones",
		read:     func(b *Backend, d *caddyfile.Dispenser) error { return oneArgument(d, &b.Tables) },
	},
	{
		name: "event", arguments: "<code> <text>", repeatable: true,
		meaning:  "a notice that rides on the `Events` of every answer but FEDummy's; texts with spaces in quotes",
		fallback: "none",
		read:     (*Backend).unmarshalEvent,
	},
	{
		name: "fault", arguments: "<kind> { … }", repeatable: true,
		meaning:  "fail on purpose, see [the block of fault](#the-block-of-fault) and [faults](../backend/README.md#faults)",
		fallback: "none",
		read:     (*Backend).unmarshalFault,
	},
	{
		name: "fault_seed", arguments: "<number>",
		meaning:  "the seed of what the faults draw, up to 4294967295",
		fallback: "0",
		read:     (*Backend).unmarshalFaultSeed,
	},
}

func (b *Backend) unmarshalLedger(d *caddyfile.Dispenser) (err error) {
	b.LedgerRaw, err = guest(d, "http.handlers.wsfev1_backend.ledgers.", "ledger", func(m caddy.Module) bool {
		_, ok := m.(LedgerOpener)
		return ok
	})
	return err
}

// unmarshalClock reads "clock system|fixed <time>|offset <duration>".
func (b *Backend) unmarshalClock(d *caddyfile.Dispenser) error {
	words := d.RemainingArgs()
	if len(words) == 0 || len(words) > 2 {
		return d.ArgErr()
	}
	written := &Clock{Mode: words[0]}
	if len(words) == 2 {
		if written.Mode == clockOffset {
			written.Offset = words[1]
		} else {
			written.Time = words[1]
		}
	}
	if _, err := written.setting(time.Now()); err != nil {
		return d.WrapErr(err)
	}
	b.Clock = written
	return nil
}

// unmarshalEvent reads "event <code> <text>".
func (b *Backend) unmarshalEvent(d *caddyfile.Dispenser) error {
	words := d.RemainingArgs()
	if len(words) != 2 {
		return d.Err(`give a code and a text in quotes, such as: event 1001 "Aviso del servicio"`)
	}
	code, err := strconv.ParseInt(words[0], 10, 32)
	if err != nil || code < 1 {
		return d.Errf("event %q: the code is a number from 1 on", words[0])
	}
	b.Events = append(b.Events, Event{Code: int32(code), Text: words[1]})
	return nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Backend)(nil)
