package caddymodule

import (
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// unmarshalFault reads:
//
//	fault <kind> {
//		operation   <name>…
//		cuit        <cuit>
//		pto_vta     <number>
//		cbte_tipo   <number>
//		nro         <number>
//		probability <above 0, up to 1>
//		after       <number>
//		count       <number>
//		delay       fixed <duration>|uniform <from> <to>|lognormal <median> <sigma>
//		commit      yes|no
//	}
//
// The block may be left out.
func (b *Backend) unmarshalFault(d *caddyfile.Dispenser) error {
	var f InjectedFault
	if !d.AllArgs(&f.Kind) {
		return d.ArgErr()
	}
	seen := map[string]bool{}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		option := d.Val()
		if seen[option] {
			return d.Errf("%s is given twice", option)
		}
		seen[option] = true
		if err := f.unmarshalOption(d, option); err != nil {
			return err
		}
	}
	if _, err := f.arm(0, 0); err != nil {
		return d.Errf("fault %v", err)
	}
	b.Faults = append(b.Faults, f)
	return nil
}

func (f *InjectedFault) unmarshalOption(d *caddyfile.Dispenser, option string) error {
	words := d.RemainingArgs()
	if len(words) == 0 {
		return d.ArgErr()
	}
	switch option {
	case "operation":
		f.Operations = words
		return nil
	case "delay":
		f.Delay = strings.Join(words, " ")
		return nil
	}
	if len(words) > 1 {
		return d.ArgErr()
	}
	switch text := words[0]; option {
	case "cuit":
		return wholeNumber(d, text, &f.Cuit)
	case "pto_vta":
		return wholeNumber(d, text, &f.PtoVta)
	case "cbte_tipo":
		return wholeNumber(d, text, &f.CbteTipo)
	case "nro":
		return wholeNumber(d, text, &f.Nro)
	case "after":
		return wholeNumber(d, text, &f.After)
	case "count":
		return wholeNumber(d, text, &f.Count)
	case "probability":
		p, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return d.Errf("probability %q: give a number above 0 and up to 1, such as 0.1", text)
		}
		f.Probability = &p
		return nil
	case "commit":
		if text != "yes" && text != "no" {
			return d.Errf("commit %q: use yes or no", text)
		}
		commit := text == "yes"
		f.Commit = &commit
		return nil
	}
	return d.Errf("unrecognized option %q: use operation, cuit, pto_vta, cbte_tipo, nro, probability, after, count, delay or commit", option)
}

// wholeNumber reads a number from 1 up: what would be 0 is left out.
func wholeNumber[N int32 | int64](d *caddyfile.Dispenser, text string, number *N) error {
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
