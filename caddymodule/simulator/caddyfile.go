package simulator

import (
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
)

func parseSimulator(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	s := new(Simulator)
	return s, s.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads:
//
//	wsfev1_backend [<matcher>] {
//		<option> <arguments>…
//	}
//
// The options are OptionTable; docs/reference.md has them all. Every option may be left
// out, and so may the block.
func (s *Simulator) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return directive.Read(d, &s.Line, s, OptionTable)
}

// OptionTable has the options of the directive wsfev1_backend.
var OptionTable = []directive.Option[Simulator]{
	{
		Name: "ledger", Arguments: "<ledger> [<arguments>…]",
		Meaning:  "where its invoices, series and CAEAs are kept, see [ledgers](#ledgers)",
		Fallback: "`sqlite`",
		Read:     (*Simulator).unmarshalLedger,
	},
	{
		Name: "register", Arguments: "<file>",
		Meaning:  "a file that says who may do what: issuers, receivers, points of sale. See [the register](built-in-service.md#the-register). A mistake in it is an error at load, with file and line",
		Fallback: "a built-in one, with test CUITs",
		Read:     func(s *Simulator, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &s.Register) },
	},
	{
		Name: "tickets", Arguments: "open|strict",
		Meaning:  "`open`: any Token and Sign pass if they are not empty. `strict`: Token must be a readable, valid WSAA ticket for `wsfe` and `Auth.Cuit`; anything else gets 600. Sign is verified if the configuration has a [wsfev1_wsaa](#wsfev1_wsaa-the-built-in-login-service)",
		Fallback: "`open`",
		Read:     directive.OneOf(func(s *Simulator) *string { return &s.Tickets }, ticketsOpen, ticketsStrict),
	},
	{
		Name: "texts", Arguments: "fielato|arca",
		Meaning:  "whose sentences stand in `Msg`. `fielato`: what is wrong, where, with the values. `arca`: the service's own, for clients that look for a sentence; a code [whose sentence is not known](sources.md#literals) keeps Fielato's",
		Fallback: "`fielato`",
		Read:     directive.OneOf(func(s *Simulator) *string { return &s.Texts }, textsFielato, textsARCA),
	},
	{
		Name: "clock", Arguments: "system|fixed <time>|offset <duration>",
		Meaning:  "what time it is, see [the clock](built-in-service.md#the-clock)",
		Fallback: "`system`",
		Read:     (*Simulator).unmarshalClock,
	},
	{
		Name: "rule", Arguments: "<code>… enforce|observe|off", Repeatable: true,
		Meaning:  "the level of single rules, as in the gateway. It may also name codes that depend on the register or the ledger",
		Fallback: "each rule's own",
		Read: func(s *Simulator, d *caddyfile.Dispenser) (err error) {
			s.Rules, err = directive.RuleArguments(d, s.Rules, true)
			return err
		},
	},
	{
		Name: "tables", Arguments: "<folder>",
		Meaning:  "a folder with reference tables of your own, see [tables](built-in-service.md#tables)",
		Fallback: "the built-in ones",
		Read:     func(s *Simulator, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &s.Tables) },
	},
	{
		Name: "event", Arguments: "<code> <text>", Repeatable: true,
		Meaning:  "a notice in the `Events` of every answer but FEDummy's. Quote texts with spaces",
		Fallback: "none",
		Read:     (*Simulator).unmarshalEvent,
	},
	{
		Name: "fault", Arguments: "<kind> { … }", Repeatable: true,
		Meaning:  "makes it fail on purpose, see [the block of fault](#the-block-of-fault) and [faults](built-in-service.md#faults)",
		Fallback: "none",
		Read:     (*Simulator).unmarshalFault,
	},
	{
		Name: "fault_seed", Arguments: "<number>",
		Meaning:  "the seed of the faults' random generators, up to 4294967295",
		Fallback: "0",
		Read:     (*Simulator).unmarshalFaultSeed,
	},
}

func (s *Simulator) unmarshalLedger(d *caddyfile.Dispenser) (err error) {
	s.LedgerRaw, err = directive.UnmarshalModule(d, "http.handlers.wsfev1_backend.ledgers.", "ledger", func(m caddy.Module) bool {
		_, ok := m.(LedgerOpener)
		return ok
	})
	return err
}

// unmarshalClock reads "clock system|fixed <time>|offset <duration>".
func (s *Simulator) unmarshalClock(d *caddyfile.Dispenser) error {
	words := d.RemainingArgs()
	if len(words) == 0 || len(words) > 2 {
		return d.ArgErr()
	}
	written := &app.Clock{Mode: words[0]}
	if len(words) == 2 {
		if written.Mode == app.ClockOffset {
			written.Offset = words[1]
		} else {
			written.Time = words[1]
		}
	}
	if _, err := written.Setting(time.Now()); err != nil {
		return d.WrapErr(err)
	}
	s.Clock = written
	return nil
}

// unmarshalEvent reads "event <code> <text>".
func (s *Simulator) unmarshalEvent(d *caddyfile.Dispenser) error {
	words := d.RemainingArgs()
	if len(words) != 2 {
		return d.Err(`give a code and a text in quotes, such as: event 1001 "Aviso del servicio"`)
	}
	code, err := strconv.ParseInt(words[0], 10, 32)
	if err != nil || code < 1 {
		return d.Errf("event %q: the code is a number from 1 on", words[0])
	}
	s.Events = append(s.Events, Event{Code: int32(code), Text: words[1]})
	return nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Simulator)(nil)
