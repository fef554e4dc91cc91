package caddymodule

import (
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// unmarshalFault reads:
//
//	fault <kind> {
//		<option> <arguments>…
//	}
//
// The block may be left out.
func (b *Backend) unmarshalFault(d *caddyfile.Dispenser) error {
	var f InjectedFault
	if !d.AllArgs(&f.Kind) {
		return d.ArgErr()
	}
	if err := readBlock(d, d.Nesting(), &f, faultOptions); err != nil {
		return err
	}
	if _, err := f.arm(0, 0); err != nil {
		return d.Errf("fault %v", err)
	}
	b.Faults = append(b.Faults, f)
	return nil
}

// faultOptions are those of one fault. What is left out does not narrow it.
var faultOptions = []option[InjectedFault]{
	{
		name: "operation", arguments: "<name>…",
		meaning:  "the operations that it strikes; over the admin API `\"operations\": [\"…\"]`. All other names are the same there, `commit` is `true` or `false`",
		fallback: "all",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error {
			if f.Operations = d.RemainingArgs(); len(f.Operations) == 0 {
				return d.ArgErr()
			}
			return nil
		},
	},
	{
		name: "cuit", arguments: "<cuit>", meaning: "only requests that name this issuer", fallback: "all",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.Cuit) },
	},
	{
		name: "pto_vta", arguments: "<number>", meaning: "only requests that name this point of sale", fallback: "all",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.PtoVta) },
	},
	{
		name: "cbte_tipo", arguments: "<number>", meaning: "only requests that name this type of voucher", fallback: "all",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.CbteTipo) },
	},
	{
		name: "nro", arguments: "<number>", meaning: "only requests that name this number (a range that holds it counts)", fallback: "all",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.Nro) },
	},
	{
		name: "probability", arguments: "<p>", meaning: "of striking a request that matches, above 0 and up to 1", fallback: "1",
		read: unmarshalProbability,
	},
	{
		name: "after", arguments: "<number>", meaning: "so many requests that match pass first", fallback: "none",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.After) },
	},
	{
		name: "count", arguments: "<number>", meaning: "it strikes so often and is over then", fallback: "it is never over",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error { return wholeNumber(d, &f.Count) },
	},
	{
		name: "delay", arguments: "fixed <duration>|uniform <from> <to>|lognormal <median> <sigma>",
		meaning:  "wait before it goes wrong, and after the request was carried out; never more than ten minutes. `lognormal` takes the median and the sigma of the logarithm, such as `lognormal 1s 0.5`",
		fallback: "no wait",
		read: func(f *InjectedFault, d *caddyfile.Dispenser) error {
			words := d.RemainingArgs()
			if len(words) == 0 {
				return d.ArgErr()
			}
			f.Delay = strings.Join(words, " ")
			return nil
		},
	},
	{
		name: "commit", arguments: "yes|no", meaning: "carry the request out or not, with the kinds that leave it open", fallback: "the kind's own",
		read: unmarshalCommit,
	},
}

func unmarshalProbability(f *InjectedFault, d *caddyfile.Dispenser) error {
	var text string
	if err := oneArgument(d, &text); err != nil {
		return err
	}
	p, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return d.Errf("probability %q: give a number above 0 and up to 1, such as 0.1", text)
	}
	f.Probability = &p
	return nil
}

func unmarshalCommit(f *InjectedFault, d *caddyfile.Dispenser) error {
	var text string
	if err := oneArgument(d, &text); err != nil {
		return err
	}
	if text != "yes" && text != "no" {
		return d.Errf("commit %q: use yes or no", text)
	}
	commit := text == "yes"
	f.Commit = &commit
	return nil
}

// wholeNumber reads a number from 1 up: what would be 0 is left out.
func wholeNumber[N int32 | int64](d *caddyfile.Dispenser, number *N) error {
	var text string
	if err := oneArgument(d, &text); err != nil {
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
func (b *Backend) unmarshalFaultSeed(d *caddyfile.Dispenser) error {
	var text string
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	seed, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return d.Errf("fault_seed %q: give a whole number of up to 4294967295, such as 42", text)
	}
	b.FaultSeed = uint32(seed)
	return nil
}
