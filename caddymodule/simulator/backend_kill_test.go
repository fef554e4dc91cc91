package simulator_test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// killSeries are fewer than the clients: they compete for the numbers.
const killSeries = 8

// TestKilledServiceLosesNoAnsweredInvoiceAndGivesNoNumberTwice kills the service at
// random moments, under load and while it starts.
//
//	FIELATO_TEST_LONG=17 go test ./caddymodule/simulator -run KilledService
func TestKilledServiceLosesNoAnsweredInvoiceAndGivesNoNumberTwice(t *testing.T) {
	t.Parallel()
	kills := caddytest.KillsOf(t)
	address, ledger := caddytest.FreeAddress(t), filepath.Join(t.TempDir(), "ledger.db")
	v := &victim{
		Mortal: caddytest.NewMortal(t, caddytest.ServiceConfig(address, ledger)), address: address, ledger: ledger,
		answered: map[killedInvoice]string{}, holder: map[string]killedInvoice{},
	}
	for life := range kills {
		if life%3 == 2 {
			v.DieStarting()
			continue
		}
		process := v.Start()
		v.verify(v.verified)
		v.DieUnderLoad(process, 400, func(worker int, http *http.Client) func(context.Context) error {
			return (&killClient{
				victim: v, http: http, series: worker % killSeries,
				random: rand.New(rand.NewPCG(caddytest.KillSeed, uint64(life)<<8|uint64(worker))),
			}).issue
		})
	}
	process := v.Start()
	v.verify([killSeries]int64{})
	process.Kill()
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
	*caddytest.Mortal
	address, ledger string

	mu sync.Mutex // guards what follows
	// answered are the authorisation codes that clients were told, holder the invoice
	// that the ledger keeps under each code.
	answered map[killedInvoice]string
	holder   map[string]killedInvoice

	// verified is how far each series was looked at. The test's goroutine alone uses it.
	verified [killSeries]int64
}

// verify compares the service's answers with its earlier ones, beginning after the given numbers.
func (v *victim) verify(after [killSeries]int64) {
	v.T.Helper()
	var wait sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: caddytest.KillClients}
	defer transport.CloseIdleConnections()
	highest := v.highestAnswered()
	for series := range killSeries {
		c := &killClient{victim: v, http: &http.Client{Transport: transport}, series: series}
		last, err := c.last(v.T.Context())
		if err != nil {
			v.T.Fatal(err)
		}
		if last < highest[series] {
			v.T.Errorf("series %d: FECompUltimoAutorizado says %d, and %d was answered", series, last, highest[series])
		}
		v.verified[series] = last
		const lanes = caddytest.KillClients / killSeries
		for lane := range int64(lanes) {
			wait.Go(func() {
				for number := after[series] + 1 + lane; number <= last; number += lanes {
					if err := c.look(v.T.Context(), number); err != nil {
						v.T.Errorf("series %d, number %d: %v", series, number, err)
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
	v.T.Helper()
	db, err := sql.Open("sqlite", v.ledger)
	if err != nil {
		v.T.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(v.T.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		v.T.Errorf("integrity_check: %q, %v", verdict, err)
	}
}
