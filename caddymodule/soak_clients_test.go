package caddymodule_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// soakSeriesState is what clients were told of one series.
type soakSeriesState struct {
	mu       sync.Mutex // guards what follows
	last     int64
	invoices map[int64]toldInvoice
}

// toldInvoice is an invoice that was authorised: the client's own number for the request,
// in DocNro, and the CAE.
type toldInvoice struct {
	id   int64
	code string
}

// acknowledged is an answer with the address of its record.
type acknowledged struct {
	record string
	answer [sha256.Size]byte
}

// soakClient sends one request after the other, on a series that it shares.
type soakClient struct {
	*soak
	http     *http.Client
	random   *rand.Rand
	site     string
	series   int
	sent     int64
	number   int64 // the client's own
	received []acknowledged
}

func newSoakClient(s *soak, n int) *soakClient {
	// Every fourth opens a connection for each request.
	transport := &http.Transport{MaxIdleConnsPerHost: 1, DisableKeepAlives: n%4 == 3}
	s.t.Cleanup(transport.CloseIdleConnections)
	series := n % soakSeries
	return &soakClient{
		soak: s, http: &http.Client{Timeout: time.Minute, Transport: transport}, random: rand.New(rand.NewPCG(soakSeed, uint64(n))),
		site: s.sites[series*2/soakSeries], series: series, number: int64(n),
	}
}

// run sends requests at its pace until ctx ends, and no later.
func (c *soakClient) run(ctx context.Context) {
	pace := time.NewTicker(soakPace)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
		switch n := c.random.IntN(100); {
		case n < 50:
			c.issue(1)
		case n < 55:
			c.issue(2 + c.random.IntN(60))
		case n < 58:
			c.leave()
		case n < 66:
			c.ask("FECompUltimoAutorizado", caddytest.LastText(c.series))
		case n < 78:
			c.look()
		case n < 84:
			table := []string{"FEParamGetTiposCbte", "FEParamGetTiposIva", "FEParamGetTiposMonedas", "FEParamGetPtosVenta"}[c.random.IntN(4)]
			c.ask(table, "{"+caddytest.AuthOf(c.series)+"}")
		case n < 86:
			c.ask("FEDummy", "{}")
		case n < 92:
			c.refused()
		default:
			c.malformed()
		}
	}
}

// next makes an issuing request of the numbers that seem to come next.
func (c *soakClient) next(size int) (body string, first, id int64) {
	state := &c.told[c.series]
	state.mu.Lock()
	first = state.last + 1
	state.mu.Unlock()
	c.sent++
	id = 10_000_000 + c.sent*soakClients + c.number
	return strings.ReplaceAll(caddytest.LotText(c.series, first, size), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+strconv.FormatInt(id, 10)), first, id
}

// issue issues so many invoices in one lot, unless the other client of the series was
// faster.
func (c *soakClient) issue(size int) {
	body, first, id := c.next(size)
	c.issued(c.exchange("FECAESolicitar", body), first, size, id)
}

// leave issues an invoice, goes away before the answer, and sends the same again.
func (c *soakClient) leave() {
	body, first, id := c.next(1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.random.Int64N(int64(4*time.Millisecond))))
	defer cancel()
	if _, _, err := c.try(ctx, c.post("FECAESolicitar", body)); err != nil {
		c.tally.add("(left)")
	}
	c.issued(c.exchange("FECAESolicitar", body), first, 1, id)
}

// issued takes the answer to an issuing request.
func (c *soakClient) issued(got caddytest.Response, first int64, size int, id int64) {
	var answer wsfev1.FECAESolicitarAnswer
	if got.Status == http.StatusOK {
		if err := json.Unmarshal(got.Body, &answer); err != nil {
			c.t.Errorf("an answer that cannot be read: %v: %s", err, got.Body)
			return
		}
	}
	verdict := wsfev1.VerdictOf(&answer)
	switch {
	case got.Status == http.StatusConflict, got.Status == http.StatusOK && len(verdict.Codes) > 0 && verdict.Codes[0] == 10016:
		c.tally.add("FECAESolicitar, the number is taken")
		var last wsfev1.FECompUltimoAutorizadoAnswer
		c.read(c.ask("FECompUltimoAutorizado", caddytest.LastText(c.series)), &last)
		c.learn(last.CbteNro, nil)
	case got.Status == http.StatusOK && verdict.Resultado == wsfev1.Aprobado && len(verdict.Invoices) == size:
		c.tally.add("FECAESolicitar, " + got.Header.Get("Wsfev1-Outcome"))
		invoices := map[int64]toldInvoice{}
		for i, invoice := range verdict.Invoices {
			invoices[first+int64(i)] = toldInvoice{id, invoice.Code}
		}
		c.learn(first+int64(size)-1, invoices)
	default:
		c.t.Errorf("FECAESolicitar from %d: %d %s", first, got.Status, got.Body)
	}
}

// learn notes the last number of the series, and what was authorised.
func (c *soakClient) learn(last int64, invoices map[int64]toldInvoice) {
	state := &c.told[c.series]
	state.mu.Lock()
	defer state.mu.Unlock()
	state.last = max(state.last, last)
	if state.invoices == nil {
		state.invoices = map[int64]toldInvoice{}
	}
	for number, told := range invoices {
		if before, twice := state.invoices[number]; twice {
			c.t.Errorf("series %d, number %d: %+v was told, and now %+v", c.series, number, before, told)
		}
		state.invoices[number] = told
	}
}

// look asks for an invoice that was authorised.
func (c *soakClient) look() {
	state := &c.told[c.series]
	state.mu.Lock()
	number := 1 + c.random.Int64N(state.last+1)
	told, known := state.invoices[number]
	state.mu.Unlock()
	if !known {
		return
	}
	var answer wsfev1.FECompConsultarAnswer
	c.read(c.ask("FECompConsultar", caddytest.LookText(c.series, number)), &answer)
	if r := answer.ResultGet; r == nil || r.CodAutorizacion != told.code || r.DocNro != told.id {
		c.t.Errorf("series %d, number %d: %+v was told, and the service has %+v", c.series, number, told, answer)
	}
}

// ask sends a question, which must be answered.
func (c *soakClient) ask(operation, body string) caddytest.Response {
	got := c.exchange(operation, body)
	c.tally.add(operation + ", " + got.Header.Get("Wsfev1-Outcome"))
	if got.Status != http.StatusOK || strings.Contains(string(got.Body), `"Errors"`) {
		c.t.Errorf("%s: %d %s", operation, got.Status, got.Body)
	}
	return got
}

func (c *soakClient) read(got caddytest.Response, answer any) {
	if err := json.Unmarshal(got.Body, answer); err != nil {
		c.t.Errorf("an answer that cannot be read: %v: %s", err, got.Body)
	}
}

// refused sends an invoice that does not add up.
func (c *soakClient) refused() {
	body, _, _ := c.next(1)
	got := c.exchange("FECAESolicitar", strings.Replace(body, `"ImpTotal":121.00`, `"ImpTotal":121.77`, 1))
	c.tally.add("FECAESolicitar, " + got.Header.Get("Wsfev1-Outcome"))
	if got.Status != http.StatusOK || !strings.Contains(string(got.Body), "10048") {
		c.t.Errorf("an invoice that does not add up: %d %s", got.Status, got.Body)
	}
}

// malformed sends a request that breaks the contract.
func (c *soakClient) malformed() {
	wrong := soakMalformed[c.random.IntN(len(soakMalformed))]
	got := c.answered(func() *http.Request {
		r := c.post(wrong.operation, wrong.body)
		r.Method = wrong.method
		r.Header.Set("Content-Type", wrong.contentType)
		return r
	})
	c.tally.add(fmt.Sprintf("%s, %d", wrong.name, got.Status))
	if got.Status != wrong.status {
		c.t.Errorf("%s: %d %s", wrong.name, got.Status, got.Body)
	}
}

var soakMalformed = []struct {
	name, method, operation, contentType, body string
	status                                     int
}{
	{"not JSON", "POST", "FECAESolicitar", "application/json", `{"Auth":`, 400},
	{"a name twice", "POST", "FECompUltimoAutorizado", "application/json", `{"Auth":{},"Auth":{}}`, 400},
	{"nothing", "POST", "FECAESolicitar", "application/json", "", 400},
	{"another media type", "POST", "FEDummy", "text/xml", "<a/>", 415},
	{"no operation", "POST", "FECAEBorrar", "application/json", "{}", 404},
	{"another method", "GET", "FEDummy", "application/json", "", 405},
	{"too large", "POST", "FECAESolicitar", "application/json", strings.Repeat(" ", 4<<20+1), 413},
}
