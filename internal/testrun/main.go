package testrun

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

// waiting is how many parallel tests run at a time unless -parallel is given. They wait for
// leases and processes: limited to the number of processors, they would queue up.
const waiting = "12"

// Main runs the tests of a package and ends the process. Temporary files are kept in memory,
// except for a benchmark that measures, and no test may leave a goroutine. It calls after, if there is one,
// when the tests are over. The output ends with a line for each test that has failed.
func Main(m *testing.M, after func(), options ...goleak.Option) {
	if Summarizes() {
		return
	}
	if err := flag.Set("test.parallel", waiting); err != nil { // the command line may override it
		panic(err)
	}
	flag.Parse()
	seed()
	remove := func() {}
	if !Measures() { // a benchmark measures the disk and the collector too
		remove = filesInMemory()
		collectSeldom()
	}
	done := func() {}
	if os.Getenv(Summary) != "off" {
		done = summarize()
	}
	status := m.Run()
	if after != nil {
		after()
	}
	if err := goleak.Find(options...); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	done()
	remove()
	os.Exit(status)
}

// seldom is GOGC while tests run. Most start and stop small things one after the other: with 100 the
// collector takes a tenth of their time.
const seldom = 400

// collectSeldom sets GOGC for this process and for those that it starts, if nobody has.
func collectSeldom() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(seldom)
	_ = os.Setenv("GOGC", strconv.Itoa(seldom))
}

// seed fixes the seed of property tests, unless one is given, so that a failure is seen again; and keeps
// them from writing into testdata. Long campaigns have other seeds each time.
func seed() {
	if long, err := strconv.ParseFloat(os.Getenv(Long), 64); err == nil && long >= 1 {
		return
	}
	for name, value := range map[string]string{"rapid.seed": "20261120", "rapid.nofailfile": "true"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() == f.DefValue {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
}
