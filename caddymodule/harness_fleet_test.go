package caddymodule_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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

// fleet are clients that issue invoices through a gateway and behave as real ones do:
// without an answer they send the same again. What becomes of each invoice is known by
// its DocNro, which no other has.
type fleet struct {
	t *testing.T
	// gateways are the URLs of all that lead to the service: a client takes any of them,
	// for each attempt.
	gateways []string
	service  string // the built-in service's, where nothing stands in between
	relay    *stub  // between the two; it counts

	mu   sync.Mutex // guards what follows
	sent map[place]int
	told map[int]string // the CAE of each invoice, as its client knows it
	// left is how many invoices are still to be issued, issued how many have been begun.
	left, issued int
}

// newFleet starts the relay in front of the service at an address.
func newFleet(t *testing.T, service string, invoices int) *fleet {
	f := &fleet{t: t, service: "http://" + service, sent: map[place]int{}, told: map[int]string{}, left: invoices}
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
	f.relay = newStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
			body, _ := io.ReadAll(r.Body)
			f.count(body)
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		proxy.ServeHTTP(w, r)
	})
	return f
}

func (f *fleet) count(body []byte) {
	var request wsfev1.FECAESolicitarRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return // the gateway was killed while it sent: the relay passes on no such request
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent[place{seriesOf(request.Auth.Cuit, request.FeCAEReq.FeCabReq.PtoVta), request.FeCAEReq.FeDetReq.FECAEDetRequest[0].CbteDesde}]++
}

// seriesOf is the series of an issuer and point of sale (issuerOf, pointOf).
func seriesOf(cuit wsfev1.CUIT, ptoVta int32) int {
	for series := range onceSeries {
		if issuerOf(series) == cuit && int32(pointOf(series)) == ptoVta {
			return series
		}
	}
	return -1
}

// begin returns the next invoice to be issued; false if there is none.
func (f *fleet) begin() (id int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left == 0 {
		return 0, false
	}
	f.left--
	f.issued++
	return f.issued, true
}

// stop lets the clients end what they have begun.
func (f *fleet) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = 0
}

// run lets all clients work until there is nothing left.
func (f *fleet) run(ctx context.Context, seed uint64) {
	transport := &http.Transport{MaxIdleConnsPerHost: onceClients}
	defer transport.CloseIdleConnections()
	var wait sync.WaitGroup
	for worker := range onceClients {
		c := &onceClient{
			fleet: f, http: &http.Client{Transport: transport}, series: worker % onceSeries,
			random: rand.New(rand.NewPCG(seed, uint64(worker))),
		}
		wait.Go(func() {
			for id, ok := f.begin(); ok && c.issue(ctx, id); id, ok = f.begin() {
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		f.t.Fatalf("time is over: %d invoices begun, %d told", f.issued, len(f.told))
	}
}

// onceClient issues on one series, which others use too.
type onceClient struct {
	*fleet
	http   *http.Client
	random *rand.Rand
	series int
}

// issue issues one invoice under whatever number, and reports whether to go on.
func (c *onceClient) issue(ctx context.Context, id int) bool {
	for ctx.Err() == nil {
		var last wsfev1.FECompUltimoAutorizadoAnswer
		if status := c.post(ctx, c.any(), "FECompUltimoAutorizado", lastText(c.series), &last); status != 200 || len(last.Failures()) > 0 {
			c.rest(ctx)
			continue
		}
		if c.attempt(ctx, id, last.CbteNro+1) {
			return true
		}
	}
	return false
}

// attempt sends one invoice under one number until it is known what became of it, and
// reports whether it was issued.
func (c *onceClient) attempt(ctx context.Context, id int, number int64) bool {
	text := strings.NewReplacer(`"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+strconv.Itoa(10_000_000+id)).Replace(lotText(c.series, number, 1))
	for ctx.Err() == nil {
		var answer wsfev1.FECAESolicitarAnswer
		switch status := c.post(ctx, c.any(), "FECAESolicitar", text, &answer); {
		case status == http.StatusConflict:
			return false // another client has the number
		case status != 200:
			c.rest(ctx) // 502, 503, 504, or no answer: the same again
		default:
			verdict := wsfev1.VerdictOf(&answer)
			if verdict.Resultado != wsfev1.Aprobado {
				if len(verdict.Codes) == 0 || verdict.Codes[0] != 10016 {
					c.t.Errorf("invoice %d: %+v", id, verdict)
				}
				return false
			}
			c.learn(id, verdict.Invoices[0].Code)
			return true
		}
	}
	return false
}

// any returns one of the gateways.
func (c *onceClient) any() string { return c.gateways[c.random.IntN(len(c.gateways))] }

func (c *onceClient) learn(id int, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[id] = code
}

// rest is the pause of a client before he asks again.
func (c *onceClient) rest(ctx context.Context) {
	timer := time.NewTimer(time.Duration(5+c.random.IntN(30)) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// post returns the status, 0 if no whole answer came that can be read.
func (c *onceClient) post(ctx context.Context, base, operation, body string, answer any) int {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return 0
	}
	r.GetBody = nil // no second try behind the client's back
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusOK && json.Unmarshal(read, answer) != nil {
		return 0
	}
	return resp.StatusCode
}

// sends returns how many issuing requests the service has got.
func (f *fleet) sends() (sum int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, times := range f.sent {
		sum += times
	}
	return sum
}
