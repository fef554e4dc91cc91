package caddytest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

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

	Mu   sync.Mutex // guards what follows
	sent map[place]int
	told map[int]string // the CAE of each invoice, as its client knows it
	// Left is how many invoices are still to be issued, issued how many have been begun.
	Left, Issued int
}

// NewFleet starts the relay in front of the service at an address.
func NewFleet(t *testing.T, service string, invoices int) *Fleet {
	f := &Fleet{t: t, service: "http://" + service, sent: map[place]int{}, told: map[int]string{}, Left: invoices}
	target, err := url.Parse(f.service)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: transport,
		// What is cut behind is cut in front.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	f.Relay = NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
			body, _ := io.ReadAll(r.Body)
			f.count(body)
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		proxy.ServeHTTP(w, r)
	})
	return f
}

func (f *Fleet) count(body []byte) {
	var request wsfev1.FECAESolicitarRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return // the gateway was killed while it sent: the relay passes on no such request
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.sent[place{seriesOf(request.Auth.Cuit, request.FeCAEReq.FeCabReq.PtoVta), request.FeCAEReq.FeDetReq.FECAEDetRequest[0].CbteDesde}]++
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

// Sends returns how many issuing requests the service has got.
func (f *Fleet) Sends() (sum int) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, times := range f.sent {
		sum += times
	}
	return sum
}
