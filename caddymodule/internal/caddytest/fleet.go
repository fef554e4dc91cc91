package caddytest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

const (
	onceSeries  = 16
	onceClients = 64
)

// place is one number of a series.
type place struct {
	series int
	number int64
}

// Fleet are clients that issue invoices through a gateway and behave as real ones do:
// without an answer they send the same again. What becomes of each invoice is known by
// its DocNro, which no other has.
type Fleet struct {
	t *testing.T
	// Gateways are the URLs of all that lead to the service: a client takes any of them,
	// for each attempt.
	Gateways []string
	service  string // the built-in service's, where nothing stands in between
	Relay    *Stub  // between the two; it counts
	// Forms are those in which the clients write, JSON alone unless a test has others: a client
	// takes any of them for each attempt.
	Forms []Face
	// Ticketless: the clients bring no Token and no Sign.
	Ticketless bool
	// WireFaults is how often each of the faults of the wire strikes in the relay, from 0 to 1: a
	// request that is lost, or hangs; an answer that is lost, is cut, or becomes a page.
	WireFaults float64

	Mu      sync.Mutex // guards what follows
	random  *rand.Rand
	carried carried
	told    map[int]string // the CAE of each invoice, as its client knows it
	got     []exchanged
	// Left is how many invoices are still to be issued, issued how many have been begun.
	Left, Issued int
}

// NewFleet starts the relay in front of the service at an address.
func NewFleet(t *testing.T, service string, invoices int) *Fleet {
	f := newFleet(t, service, invoices)
	f.newRelay(t, false)
	return f
}

// newSecureFleet is NewFleet with a relay that speaks TLS.
func newSecureFleet(t *testing.T, service string, invoices int) *Fleet {
	f := newFleet(t, service, invoices)
	f.newRelay(t, true)
	return f
}

func newFleet(t *testing.T, service string, invoices int) *Fleet {
	return &Fleet{
		t: t, service: "http://" + service, Forms: Faces[:1], Left: invoices, told: map[int]string{}, random: rand.New(rand.NewPCG(OnceSeed, 3)),
		carried: carried{
			sent: map[place]int{}, issuing: map[digest]int{}, requests: map[digest]bool{}, answers: map[digest]map[digest]bool{}, secrets: map[string]bool{},
		},
	}
}

// seriesOf is the series of an issuer and point of sale (IssuerOf, PointOf).
func seriesOf(cuit wsfev1.CUIT, ptoVta int32) int {
	for series := range onceSeries {
		if IssuerOf(series) == cuit && int32(PointOf(series)) == ptoVta {
			return series
		}
	}
	return -1
}

// begin returns the next invoice to be issued; false if there is none.
func (f *Fleet) begin() (id int, ok bool) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.Left == 0 {
		return 0, false
	}
	f.Left--
	f.Issued++
	return f.Issued, true
}

// Stop lets the clients end what they have begun.
func (f *Fleet) Stop() {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Left = 0
}

// Run lets all clients work until there is nothing left.
func (f *Fleet) Run(ctx context.Context, seed uint64) {
	transport := &http.Transport{MaxIdleConnsPerHost: onceClients}
	defer transport.CloseIdleConnections()
	var wait sync.WaitGroup
	for worker := range onceClients {
		c := &onceClient{
			Fleet: f, http: &http.Client{Transport: transport}, series: worker % onceSeries,
			random: rand.New(rand.NewPCG(seed, uint64(worker))),
		}
		wait.Go(func() {
			for id, ok := f.begin(); ok && c.issue(ctx, id); id, ok = f.begin() {
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		f.t.Fatalf("time is over: %d invoices begun, %d told", f.Issued, len(f.told))
	}
}
