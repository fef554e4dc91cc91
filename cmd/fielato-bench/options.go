package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options say which targets and loads to measure, and for how long.
type options struct {
	targets     []target
	connections []int
	invoices    []int
	duration    time.Duration // of one measurement
	rounds      int
	repeats     int     // of a round that others disturb, at most
	unit        string  // the target that the ratios are of
	rate        float64 // requests a second in the open loop; 0: half of the slowest target's capacity
	data        string  // where the stores of the targets are made
	cpuprofile  string  // where profiles go; none without it
	pgo         string  // the file for a profile of all targets; none without it
	json        bool
	last        string // the file with the figures of a run before; none without it
	record      bool   // write that file
}

// What a measurement takes by default.
const (
	defaultDuration = 2 * time.Second
	defaultRounds   = 3
	defaultRepeats  = 2
)

// whenQuick is what -quick sets.
var whenQuick = map[string]string{"duration": "400ms", "rounds": "1", "repeats": "0"}

// Bounds of what can be asked for: each connection is an issuer with series of its own,
// and a lot of the service has 250 invoices at most.
const (
	maxConnections = 1024
	maxInvoices    = 250
)

const usageHead = `fielato-bench measures what the gateway costs beside other proxies, and prints one table of ratios.
It is a module of its own: run it in its folder, cmd/fielato-bench.

  go run .                                        # everything, a quarter of an hour
  go run . -quick                                 # everything, about two minutes, roughly
  go run . -connections 32 -invoices 1 -rounds 5  # one case, with more care
  go run . -targets plain,enforce -cpuprofile .   # where the processor's time goes
  go run . -targets floor,enforce -of floor       # what we cost more than any durable gateway must
  go run . -targets enforce,soap -of enforce      # what SOAP costs more than JSON
  go run . -targets plainsoap,tosoap,soaptosoap -of plainsoap   # in front of a service that speaks SOAP
  go run . -rate 500 -json > before.json
  go run . -pgo ../fielato/default.pgo            # makes the profile that builds are optimized by, two minutes

Leave the machine alone while it runs. Targets:

`

// lists are the options that name several of something, and the one that stands for others.
type lists struct {
	targets, connections, invoices string
	quick                          bool
}

// flags returns the flags of the command line, which fill o and l.
func (o *options) flags(l *lists) *flag.FlagSet {
	flags := flag.NewFlagSet("fielato-bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints the error, once
	flags.StringVar(&l.targets, "targets", "", "what is measured, separated by commas (default all)")
	flags.StringVar(&o.unit, "of", plainName, "the `target` that the ratios are of")
	flags.StringVar(&l.connections, "connections", "1,32,256", "how many connections the client has")
	flags.StringVar(&l.invoices, "invoices", "1,250", "how many invoices a request has")
	flags.BoolVar(&l.quick, "quick", false, "-duration 400ms -rounds 1 -repeats 0, where these are not given")
	flags.DurationVar(&o.duration, "duration", defaultDuration, "length of one measurement")
	flags.IntVar(&o.rounds, "rounds", defaultRounds, "how often each is repeated; the median counts")
	flags.IntVar(&o.repeats, "repeats", defaultRepeats,
		fmt.Sprintf("how often at most a round is measured again in which other processes took more than %.0f %% of the machine", 100*quietEnough))
	flags.Float64Var(&o.rate, "rate", 0, "requests a second for p50, p99 and CPU (default half of what the slowest target can do)")
	flags.StringVar(&o.data, "data", "", "a `folder` on the disk that is measured (default the system's temporary one)")
	flags.StringVar(&o.cpuprofile, "cpuprofile", "", "write a CPU profile of each target to this `folder`")
	flags.StringVar(&o.pgo, "pgo", "",
		"write a CPU profile of all targets to this `file`, for builds; takes one round at 32 connections of all ways through the gateway, where nothing else is given")
	flags.BoolVar(&o.json, "json", false, "print JSON in place of the table")
	flags.StringVar(&o.last, "last", "", "measure capacity alone, and print processor time ÷ the floor's beside the last figures in this `file`")
	flags.BoolVar(&o.record, "record", false, "with -last: write the figures into the file")
	return flags
}

// parseOptions reads the command line and writes help to out. The error states what to do.
func parseOptions(args []string, out io.Writer) (options, error) {
	var o options
	var l lists
	flags := o.flags(&l)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printUsage(flags, out)
		}
		return o, err
	}
	if l.quick {
		preset(flags, whenQuick)
	}
	if o.pgo != "" {
		preset(flags, forProfile)
	}
	var err error
	if o.targets, err = targetsNamed(l.targets); err != nil {
		return o, err
	}
	if o.connections, err = numbers("connections", l.connections, maxConnections); err != nil {
		return o, err
	}
	if o.invoices, err = numbers("invoices", l.invoices, maxInvoices); err != nil {
		return o, err
	}
	return o, o.check(flags.Args())
}

// preset sets flags that are not given.
func preset(flags *flag.FlagSet, values map[string]string) {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range values {
		if !given[name] {
			_ = flags.Set(name, value) // which are right
		}
	}
}

// check validates the flags in combination.
func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is not an option: see fielato-bench -h", rest[0])
	case !slices.ContainsFunc(allTargets, func(t target) bool { return t.name == o.unit }):
		return fmt.Errorf("-of %s: give one of %s", o.unit, targetNames())
	case o.duration < 10*time.Millisecond:
		return fmt.Errorf("-duration %v is too short: give at least 10ms", o.duration)
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: give at least 1", o.rounds)
	case o.repeats < 0:
		return fmt.Errorf("-repeats %d: give 0 or more", o.repeats)
	case o.last != "" && !slices.ContainsFunc(o.targets, func(t target) bool { return t.name == floorName }):
		return fmt.Errorf("-last needs the target %s: name it in -targets", floorName)
	case o.record && o.last == "":
		return errors.New("-record needs a file: name it with -last")
	case o.pgo != "" && o.cpuprofile != "":
		return errors.New("-pgo keeps no profile of each target: leave out -cpuprofile")
	case o.rate < 0:
		return fmt.Errorf("-rate %v: give requests a second, or leave it out", o.rate)
	}
	return nil
}

// numbers reads a list of numbers from 1 to limit.
func numbers(flag, list string, limit int) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > limit || slices.Contains(all, n) {
			return nil, fmt.Errorf("-%s %s: give different numbers from 1 to %d, separated by commas", flag, list, limit)
		}
		all = append(all, n)
	}
	return all, nil
}

func printUsage(flags *flag.FlagSet, out io.Writer) {
	fmt.Fprint(out, usageHead)
	for _, t := range allTargets {
		fmt.Fprintf(out, "  %-9s %s\n", t.name, t.about)
	}
	fmt.Fprint(out, "\nOptions:\n\n")
	flags.SetOutput(out)
	flags.PrintDefaults()
}
