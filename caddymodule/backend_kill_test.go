package caddymodule_test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// killsVariable says how often the process is killed.
	killsVariable = "FIELATO_TEST_KILLS"
	fewKills      = 20

	killClients = 32
	// killSeries are fewer than the clients: they compete for the numbers.
	killSeries = 8
	killSeed   = 20261106
)

// TestKilledServiceLosesNoAnsweredInvoiceAndGivesNoNumberTwice kills the service at
// random moments, under load and while it starts.
//
//	FIELATO_TEST_KILLS=200 go test ./caddymodule -run KilledService
func TestKilledServiceLosesNoAnsweredInvoiceAndGivesNoNumberTwice(t *testing.T) {
	kills := fewKills
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", killsVariable, err)
		}
	}
	address := freeAddress(t)
	v := &victim{
		t: t, address: address, ledger: filepath.Join(t.TempDir(), "ledger.db"),
		random:   rand.New(rand.NewPCG(killSeed, 0)),
		answered: map[killedInvoice]string{}, holder: map[string]killedInvoice{},
	}
	for life := range kills {
		if life%5 == 4 {
			v.dieStarting()
			continue
		}
		process := v.start()
		v.verify(v.verified)
		v.dieUnderLoad(process, uint64(life))
	}
	process := v.start()
	v.verify([killSeries]int64{})
	process.kill()
	v.verifyFile()
	t.Logf("%d kills, %d invoices answered, %d in the ledger", kills, len(v.answered), len(v.holder))
	if len(v.answered) < kills {
		t.Errorf("%d invoices were answered in %d lives: nothing was put to the proof", len(v.answered), kills)
	}
}

// killedInvoice is one number of one of the series.
type killedInvoice struct {
	series int
	number int64
}

// victim is the service that is killed again and again, on one ledger.
type victim struct {
	t               *testing.T
	address, ledger string
	random          *rand.Rand // the test's goroutine alone uses it

	mu sync.Mutex // guards what follows
	// answered are the authorisation codes that clients were told, holder the invoice
	// that the ledger keeps under each code.
	answered map[killedInvoice]string
	holder   map[string]killedInvoice

	// verified is how far each series was looked at; startup how long the last start
	// took. The test's goroutine alone uses them.
	verified [killSeries]int64
	startup  time.Duration
}

// start starts the service, which must open its ledger whatever happened to it.
func (v *victim) start() *serviceProcess {
	v.t.Helper()
	began := time.Now()
	process := startService(v.t, v.address, v.ledger)
	if _, err := process.ready(); err != nil {
		process.kill()
		v.t.Fatalf("the service does not start again: %v: %s", err, &process.stderr)
	}
	v.startup = time.Since(began)
	return process
}

// dieStarting kills the process at some moment of its start.
func (v *victim) dieStarting() {
	process := startService(v.t, v.address, v.ledger)
	timer := time.AfterFunc(time.Duration(v.random.Int64N(int64(v.startup))), process.kill)
	defer timer.Stop()
	_, _ = process.ready()
	process.kill()
}

// dieUnderLoad lets the clients work and kills the process at some moment after some
// number of answers.
func (v *victim) dieUnderLoad(process *serviceProcess, life uint64) {
	ctx, cancel := context.WithTimeout(v.t.Context(), time.Minute)
	defer cancel()
	transport := &http.Transport{MaxIdleConnsPerHost: killClients}
	defer transport.CloseIdleConnections()
	last := 1 + v.random.Int64N(400)
	delay := time.Duration(v.random.Int64N(int64(5 * time.Millisecond)))
	var answers atomic.Int64
	var wait sync.WaitGroup
	for worker := range killClients {
		wait.Go(func() {
			c := &killClient{
				victim: v, http: &http.Client{Transport: transport},
				random: rand.New(rand.NewPCG(killSeed, life<<8|uint64(worker))), series: worker % killSeries,
			}
			for c.issue(ctx) == nil {
				if answers.Add(1) == last {
					time.AfterFunc(delay, process.kill)
				}
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		v.t.Fatalf("only %d of %d answers came within a minute", answers.Load(), last)
	}
	process.kill()
}

// verify holds what the service says against what it said before, beginning after
// the given numbers.
func (v *victim) verify(after [killSeries]int64) {
	v.t.Helper()
	var wait sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: killClients}
	defer transport.CloseIdleConnections()
	highest := v.highestAnswered()
	for series := range killSeries {
		c := &killClient{victim: v, http: &http.Client{Transport: transport}, series: series}
		last, err := c.last(v.t.Context())
		if err != nil {
			v.t.Fatal(err)
		}
		if last < highest[series] {
			v.t.Errorf("series %d: FECompUltimoAutorizado says %d, and %d was answered", series, last, highest[series])
		}
		v.verified[series] = last
		const lanes = killClients / killSeries
		for lane := range int64(lanes) {
			wait.Go(func() {
				for number := after[series] + 1 + lane; number <= last; number += lanes {
					if err := c.look(v.t.Context(), number); err != nil {
						v.t.Errorf("series %d, number %d: %v", series, number, err)
						return
					}
				}
			})
		}
	}
	wait.Wait()
}

func (v *victim) highestAnswered() (highest [killSeries]int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for invoice := range v.answered {
		highest[invoice.series] = max(highest[invoice.series], invoice.number)
	}
	return highest
}

// verifyFile looks for damage that no request has met.
func (v *victim) verifyFile() {
	v.t.Helper()
	db, err := sql.Open("sqlite", v.ledger)
	if err != nil {
		v.t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(v.t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		v.t.Errorf("integrity_check: %q, %v", verdict, err)
	}
}
