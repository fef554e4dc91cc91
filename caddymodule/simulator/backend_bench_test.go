package simulator_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// manyInvoices are in the ledger that is compared with an empty one, and someInvoices where nothing
// is measured.
const manyInvoices, someInvoices = 1_000_000, 2_000

// issuingLoads are measured one after the other. The first show that all of it works.
var issuingLoads = []issuingLoad{
	{Connections: 32, Series: 1, Lot: 1, Race: true},
	{Connections: 8, Series: 64, Lot: 250},
	{Connections: 1, Series: 1, Lot: 1},
	{Connections: 32, Series: 1, Lot: 1},
	{Connections: 256, Series: 1, Lot: 1},
	{Connections: 1, Series: 64, Lot: 1},
	{Connections: 32, Series: 64, Lot: 1},
	{Connections: 256, Series: 64, Lot: 1},
	{Connections: 1, Series: 1, Lot: 250},
}

// BenchmarkService measures the built-in service alone, through HTTP, with client and
// service in processes of their own: on an empty ledger and, in turns with it, on one
// with 1,000,000 invoices. An iteration is a round of 200 ms on each; the figures are
// the medians of the rounds, the ratio is many to empty. The processor time of an
// invoice is the service's, its start included: other work on the machine disturbs it
// less than it does the rates.
//
// The clients of one series take turns: a number is sent when the one before it was
// answered, by the connection that has waited longest. So no number is refused, and on
// one series one request is on its way at a time, whatever the number of connections:
// its rate is the reciprocal of the service's latency. In the race, all connections
// ask for the last number and send the next one, and most of them are refused.
//
//	go test ./caddymodule/simulator -run '^$' -bench Service -benchtime 20x
func BenchmarkService(b *testing.B) {
	many := sync.OnceValue(func() string {
		began := time.Now()
		path := filepath.Join(b.TempDir(), "many.db")
		invoices := testrun.Scale(b, someInvoices, manyInvoices)
		fillLedger(b, path, invoices)
		fmt.Printf("a ledger of %d invoices was made in %.1f s\n", invoices, time.Since(began).Seconds())
		return path
	})
	for _, load := range issuingLoads[:testrun.Scale(b, 2, len(issuingLoads))] {
		name := fmt.Sprintf("connections=%d/series=%d/lot=%d", load.Connections, load.Series, load.Lot)
		if load.Race {
			name = "race/" + name
		}
		b.Run(name, func(b *testing.B) { benchIssuing(b, load, many()) })
	}
	b.Run("start", func(b *testing.B) { benchStart(b, many()) })
}

// benchIssuing compares the two ledgers under one load.
func benchIssuing(b *testing.B, load issuingLoad, many string) {
	names := []string{"empty", "many"}
	var processes []*caddytest.ServiceProcess
	for _, ledger := range []string{filepath.Join(b.TempDir(), "empty.db"), many} {
		address := caddytest.FreeAddress(b)
		process := caddytest.StartService(b, caddytest.ServiceConfig(address, ledger))
		if _, err := process.Ready(); err != nil {
			b.Fatalf("starting the service: %v: %s", err, &process.Stderr)
		}
		processes = append(processes, process)
		load.Addresses = append(load.Addresses, address)
	}
	round := startIssuer(b, load)
	rounds := make([][]issuingFigures, len(names))
	var ratios []float64
	for b.Loop() {
		figures := round()
		for i := range rounds {
			rounds[i] = append(rounds[i], figures[i])
		}
		ratios = append(ratios, figures[1].Rate/figures[0].Rate)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ratios), "ratio")
	for i, name := range names {
		reportIssuing(b, name, rounds[i], processes[i].End())
	}
}

// reportIssuing reports the rounds of one service, which was busy for so long.
func reportIssuing(b *testing.B, name string, rounds []issuingFigures, busy time.Duration) {
	report := func(unit string, of func(issuingFigures) float64) {
		values := make([]float64, len(rounds))
		for i := range rounds {
			values[i] = of(rounds[i])
		}
		b.ReportMetric(median(values), name+"-"+unit)
	}
	report("invoices/s", func(f issuingFigures) float64 { return f.Rate })
	report("p50-ms", func(f issuingFigures) float64 { return f.P50 })
	report("p99-ms", func(f issuingFigures) float64 { return f.P99 })
	issued, refused := 0.0, 0.0
	for _, f := range rounds {
		issued, refused = issued+f.Issued, refused+f.Refused*f.Issued
	}
	b.ReportMetric(float64(busy.Microseconds())/issued, name+"-cpu-µs/invoice")
	if refused > 0 {
		b.ReportMetric(refused/issued, name+"-refused/invoice")
	}
}

// startIssuer starts a client process; the function lets it work for a round.
func startIssuer(b *testing.B, load issuingLoad) func() []issuingFigures {
	b.Helper()
	text, err := json.Marshal(load)
	if err != nil {
		b.Fatal(err)
	}
	cmd := caddytest.RoleProcess(b, "issuer", issuerLoad+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	return func() (figures []issuingFigures) {
		if _, err := io.WriteString(in, "\n"); err != nil {
			b.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			b.Fatalf("the client ended: %v", err)
		}
		if err := json.Unmarshal(line, &figures); err != nil {
			b.Fatal(err)
		}
		return figures
	}
}

// benchStart compares, in turns, how long the service takes to its first answer on an
// empty ledger, on the large one, and on the large one with the log that a killed
// process left behind. Caddy's own start and the process's are part of it.
func benchStart(b *testing.B, many string) {
	empty := filepath.Join(b.TempDir(), "empty.db")
	var whole, load [3][]float64
	for b.Loop() {
		for i, ledger := range []string{empty, many, many} {
			if i == 2 {
				leaveLog(b, many)
			}
			began := time.Now()
			address := caddytest.FreeAddress(b)
			process := caddytest.StartService(b, caddytest.ServiceConfig(address, ledger))
			loaded, err := process.Ready()
			if err != nil {
				b.Fatalf("starting the service: %v: %s", err, &process.Stderr)
			}
			if got := lastOver(b, address); (got == 0) != (i == 0) {
				b.Fatalf("the last number of the first series is %d", got)
			}
			whole[i] = append(whole[i], caddytest.Milliseconds(time.Since(began)))
			load[i] = append(load[i], caddytest.Milliseconds(loaded))
			process.End()
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"empty", "many", "killed"} {
		b.ReportMetric(median(whole[i]), name+"-ms")
		b.ReportMetric(median(load[i]), name+"-load-ms")
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
