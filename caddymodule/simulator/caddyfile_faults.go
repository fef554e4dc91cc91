package simulator

import (
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

// unmarshalFault reads:
//
//	fault <kind> {
//		<option> <arguments>…
//	}
//
// The block may be left out.
func (s *Simulator) unmarshalFault(d *caddyfile.Dispenser) error {
	var f Fault
	if !d.AllArgs(&f.Kind) {
		return d.ArgErr()
	}
	start := *d // errors about the whole have its first line, not that of the }
	if err := directive.ReadBlock(d, d.Nesting(), &f, FaultOptionTable); err != nil {
		return err
	}
	if _, err := f.arm(0, 0); err != nil {
		return start.Errf("fault %v", err)
	}
	s.Faults = append(s.Faults, f)
	return nil
}

// FaultOptionTable has the options of one fault. An option that is left out does not narrow it.
var FaultOptionTable = []directive.Option[Fault]{
	{
		Name: "operation", Arguments: "<name>…",
		Meaning:  "the operations that it strikes. Over the admin API this is `\"operations\": [\"…\"]`; the other names are the same there, and `commit` is `true` or `false`",
		Fallback: "all",
		Read: func(f *Fault, d *caddyfile.Dispenser) error {
			if f.Operations = d.RemainingArgs(); len(f.Operations) == 0 {
				return d.ArgErr()
			}
			return nil
		},
	},
	{
		Name: "cuit", Arguments: "<cuit>", Meaning: "only requests that name this issuer, with or without dashes", Fallback: "all",
		Read: func(f *Fault, d *caddyfile.Dispenser) error {
			var text string
			if err := directive.OneArgument(d, &text); err != nil {
				return err
			}
			return directive.ReadCUIT(d, "cuit", &f.Cuit)
		},
	},
	{
		Name: "pto_vta", Arguments: "<number>", Meaning: "only requests that name this point of sale", Fallback: "all",
		Read: func(f *Fault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.PtoVta) },
	},
	{
		Name: "cbte_tipo", Arguments: "<number>", Meaning: "only requests that name this type of voucher", Fallback: "all",
		Read: func(f *Fault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.CbteTipo) },
	},
	{
		Name: "nro", Arguments: "<number>", Meaning: "only requests that name this number (a range that holds it counts)", Fallback: "all",
		Read: func(f *Fault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.Nro) },
	},
	{
		Name: "probability", Arguments: "<p>", Meaning: "the probability of striking a matching request, above 0 and up to 1", Fallback: "1",
		Read: unmarshalProbability,
	},
	{
		Name: "after", Arguments: "<number>", Meaning: "how many matching requests pass first", Fallback: "none",
		Read: func(f *Fault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.After) },
	},
	{
		Name: "count", Arguments: "<number>", Meaning: "how often it strikes before it ends", Fallback: "it never ends",
		Read: func(f *Fault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.Count) },
	},
	{
		Name: "delay", Arguments: "fixed <duration>|uniform <from> <to>|lognormal <median> <sigma>",
		Meaning:  "the wait after the request was carried out and before it goes wrong, at most ten minutes. `lognormal` takes the median and the sigma of the logarithm, such as `lognormal 1s 0.5`",
		Fallback: "no wait; `delay` and `slow_tables` must have one",
		Read: func(f *Fault, d *caddyfile.Dispenser) error {
			words := d.RemainingArgs()
			if len(words) == 0 {
				return d.ArgErr()
			}
			f.Delay = strings.Join(words, " ")
			return nil
		},
	},
	{
		Name: "commit", Arguments: "yes|no", Meaning: "whether the request is carried out, for the kinds that leave it open", Fallback: "the kind's own",
		Read: unmarshalCommit,
	},
}

func unmarshalProbability(f *Fault, d *caddyfile.Dispenser) error {
	var text string
	if err := directive.OneArgument(d, &text); err != nil {
		return err
	}
	p, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return d.Errf("probability %q: give a number above 0 and up to 1, such as 0.1", text)
	}
	f.Probability = &p
	return nil
}

func unmarshalCommit(f *Fault, d *caddyfile.Dispenser) error {
	var text string
	if err := directive.OneArgument(d, &text); err != nil {
		return err
	}
	if text != "yes" && text != "no" {
		return d.Errf("commit %q: use yes or no", text)
	}
	commit := text == "yes"
	f.Commit = &commit
	return nil
}

// wholeNumber reads a number from 1 up. To leave the option out is 0.
func wholeNumber[N int32 | int64](d *caddyfile.Dispenser, number *N) error {
	var text string
	if err := directive.OneArgument(d, &text); err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || int64(N(n)) != n {
		return d.Errf("%q: give a number from 1 up", text)
	}
	*number = N(n)
	return nil
}

// unmarshalFaultSeed reads "fault_seed <number>".
func (s *Simulator) unmarshalFaultSeed(d *caddyfile.Dispenser) error {
	var text string
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	seed, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return d.Errf("fault_seed %q: give a whole number of up to 4294967295, such as 42", text)
	}
	s.FaultSeed = uint32(seed)
	return nil
}
