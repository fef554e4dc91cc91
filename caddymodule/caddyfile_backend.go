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
//		ledger   <ledger> [<arguments>…]
//		register <file>
//		tickets  open|strict
//		clock    system|fixed <time>|offset <duration>
//		rule     <code>… enforce|observe|off
//		tables   <folder>
//		event    <code> <text>
//		fault    <kind> [{ … }]
//		fault_seed <number>
//	}
//
// Every option may be left out, and so may the block; rule, event and fault may be
// given more than once; see unmarshalFault for a fault's own block. The ledger
// `sqlite` takes the path of its file.
func (b *Backend) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	seen := map[string]bool{}
	for d.NextBlock(0) {
		option := d.Val()
		if seen[option] && !repeatable[option] {
			return d.Errf("%s is given twice", option)
		}
		seen[option] = true
		if err := b.unmarshalOption(d, option); err != nil {
			return err
		}
	}
	return nil
}

// repeatable are the options that add to what was said before.
var repeatable = map[string]bool{"rule": true, "event": true, "fault": true}

func (b *Backend) unmarshalOption(d *caddyfile.Dispenser, option string) (err error) {
	switch option {
	case "ledger":
		b.LedgerRaw, err = guest(d, "http.handlers.wsfev1_backend.ledgers.", "ledger", func(m caddy.Module) bool {
			_, ok := m.(LedgerOpener)
			return ok
		})
		return err
	case "register":
		return oneArgument(d, &b.Register)
	case "tickets":
		return oneOf(d, &b.Tickets, "tickets", ticketsOpen, ticketsStrict)
	case "clock":
		return b.unmarshalClock(d)
	case "rule":
		b.Rules, err = ruleArguments(d, b.Rules, true)
		return err
	case "tables":
		return oneArgument(d, &b.Tables)
	case "event":
		return b.unmarshalEvent(d)
	case "fault":
		return b.unmarshalFault(d)
	case "fault_seed":
		return b.unmarshalFaultSeed(d)
	}
	return d.Errf("unrecognized option %q: use ledger, register, tickets, clock, rule, tables, event, fault or fault_seed", option)
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
