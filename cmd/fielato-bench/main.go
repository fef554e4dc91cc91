// Command fielato-bench measures the cost of the gateway, beside a plain Caddy and other
// proxies, and prints one table of ratios:
//
//	(cd cmd/fielato-bench && go run .)
//
// It is a module of its own: the proxies that it measures beside the gateway, and the parser
// that checks the OpenAPI document, are in no other build.
//
// Client, target and upstream are processes of their own on this machine. Each target is
// measured twice, in turn with the others and in several rounds. A round in which other
// processes took too much of the machine is measured again. The first time every
// connection sends its next request as soon as it has an answer: that shows how many
// requests a second the target can do. The second time requests arrive at a constant
// rate, the same for all targets, whatever the answers do (an open loop). Their latency
// is counted from the moment at which they were due, so that a target which stalls pays
// for all requests that had to wait, and not for one alone (coordinated omission).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// The exit codes of the command.
const (
	exitFailed      = 1 // something could not be measured, or a request failed
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	if isChild() {
		os.Exit(playRole(os.Args[2:]))
	}
	// The client must not distort the measurement: its collector runs seldom, and the one
	// goroutine that sleeps outside the scheduler does not hold up the others.
	debug.SetGCPercent(400)
	runtime.GOMAXPROCS(runtime.NumCPU() + 1)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the command; the table goes to out, what becomes of the run to progress.
func run(ctx context.Context, args []string, out, progress io.Writer) int {
	o, err := parseOptions(args, progress)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(progress, "fielato-bench: %v\n", err)
		return exitUsage
	}
	report, err := measure(ctx, o, progress)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(progress, "fielato-bench: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(progress, "fielato-bench: %v\n", err)
		return exitFailed
	}
	return conclude(report, o, out, progress)
}

// conclude prints the report and returns the exit status.
func conclude(report *report, o options, out, progress io.Writer) int {
	write := report.writeTable
	switch {
	case o.last != "":
		write = func(out io.Writer) error { return report.compare(o.last, o.record, out) }
	case o.json:
		write = report.writeJSON
	}
	if err := write(out); err != nil {
		fmt.Fprintf(progress, "fielato-bench: writing the report: %v\n", err)
		return exitFailed
	}
	if failed := report.failed(); failed > 0 {
		fmt.Fprintf(progress, "fielato-bench: %d requests failed, so the figures do not count\n", failed)
		return exitFailed
	}
	return 0
}
