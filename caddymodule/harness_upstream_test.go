package caddymodule_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// withFaults is the built-in service with lines of its block.
func withFaults(t testing.TB, lines ...string) string {
	return "wsfev1_backend {\n\t\tledger sqlite " + filepath.Join(t.TempDir(), "ledger.db") + "\n\t\t" +
		strings.Join(lines, "\n\t\t") + "\n\t}"
}

// startProxied runs a gateway and, behind a reverse_proxy, next on a site of its own.
func startProxied(t testing.TB, next string, options ...string) *site {
	t.Helper()
	behind := freeAddress(t)
	s := start(t, "respond 503")
	options = append(options, "audit sqlite "+s.store)
	s.load(s.config(strings.Join(options, "\n\t\t"), proxyTo(behind)) +
		fmt.Sprintf("http://%s {\n\tbind %s\n\t%s\n}\n", behind, loopback, next))
	return s
}

// doors are the two ways from a gateway to the service.
var doors = []struct {
	name  string
	start func(t testing.TB, next string, options ...string) *site
}{
	{"in one process", start},
	{"through reverse_proxy", startProxied},
}

// faultOnce writes the line of a fault that strikes the first FECAESolicitar alone.
// The fault's own block, if it has one, is left open for that.
func faultOnce(fault string) string {
	if !strings.Contains(fault, "{") {
		fault += " {\n"
	}
	return "fault " + fault + " operation FECAESolicitar\n count 1\n}"
}

// firstError returns the first code of an answer's Errors, no text if it has none.
func firstError(t *testing.T, r response) string {
	t.Helper()
	var answer struct {
		Errors struct {
			Err []struct{ Code jsontext.Value }
		}
	}
	if err := json.Unmarshal(r.body, &answer); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	if len(answer.Errors.Err) == 0 {
		return ""
	}
	return strings.Trim(string(answer.Errors.Err[0].Code), `"`)
}

// issuing is an upstream that approves every invoice and counts how often it was
// asked for each.
type issuing struct {
	*stub

	mu    sync.Mutex // guards what follows
	asked map[int]int
	// held are the invoices whose answer waits until the channel is closed; arrived
	// gets one item for each that waits.
	held    map[int]chan struct{}
	arrived chan struct{}
}

var numberOf = regexp.MustCompile(`"CbteDesde":(\d+)`)

func newIssuing(t *testing.T) *issuing {
	t.Helper()
	u := &issuing{asked: map[int]int{}, held: map[int]chan struct{}{}, arrived: make(chan struct{}, 16)}
	u.stub = newStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		found := numberOf.FindSubmatch(body)
		if found == nil {
			answering(200, `{"RegXReq":250}`)(w, r)
			return
		}
		number, _ := strconv.Atoi(string(found[1]))
		u.mu.Lock()
		u.asked[number]++
		held := u.held[number]
		u.mu.Unlock()
		if held != nil {
			u.arrived <- struct{}{}
			<-held
		}
		answering(200, approvalFor(body, number))(w, r)
	})
	return u
}

var cuitOf = regexp.MustCompile(`"Cuit":(\d{11})`)

// approvalFor is the answer to invoice(number) of whatever issuer.
func approvalFor(request []byte, number int) string {
	return strings.Replace(approvalOf(number), "20111111112", string(cuitOf.FindSubmatch(request)[1]), 1)
}

// hold lets the answer to an invoice wait for release.
func (u *issuing) hold(t *testing.T, number int) (release func()) {
	held := make(chan struct{})
	u.mu.Lock()
	u.held[number] = held
	u.mu.Unlock()
	release = sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	return release
}

func (u *issuing) timesAsked(number int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.asked[number]
}

func codeOf(number int) string { return fmt.Sprintf("8647%010d", number) }

// approvalOf is the answer to invoice(number).
func approvalOf(number int) string {
	return strings.NewReplacer(`"CbteDesde":1,`, fmt.Sprintf(`"CbteDesde":%d,`, number),
		`"CbteHasta":1,`, fmt.Sprintf(`"CbteHasta":%d,`, number), "86470000000001", codeOf(number)).Replace(approval)
}

// wantEachOnce holds a whole trail against what was issued: each number once, with its
// code, every intent with the one outcome that links back to it.
func wantEachOnce(t *testing.T, records []*audit.Record, numbers ...int) {
	t.Helper()
	intents, outcomes := map[uint64]*audit.Record{}, map[uint64]*audit.Record{}
	codes := map[string]int{}
	for _, r := range records {
		switch r.Kind {
		case audit.KindIntent:
			intents[r.Index] = r
		case audit.KindOutcome:
			if outcomes[r.Intent] != nil {
				t.Errorf("intent %d has two outcomes", r.Intent)
			}
			outcomes[r.Intent] = r
		}
		for _, v := range r.Vouchers {
			if r.Kind != audit.KindIntent && v.Code != "" {
				codes[v.Code]++
			}
		}
	}
	for index, intent := range intents {
		outcome := outcomes[index]
		if outcome == nil {
			t.Errorf("intent %d of %d has no outcome", index, intent.Vouchers[0].CbteDesde)
			continue
		}
		delete(outcomes, index)
		if outcome.ID != intent.ID || outcome.Index < index {
			t.Errorf("outcome %d of exchange %s belongs to intent %d of exchange %s", outcome.Index, outcome.ID, index, intent.ID)
		}
	}
	for intent, outcome := range outcomes {
		t.Errorf("outcome %d has no intent: %d", outcome.Index, intent)
	}
	for _, number := range numbers {
		if n := codes[codeOf(number)]; n != 1 {
			t.Errorf("invoice %d is in the trail %d times", number, n)
		}
	}
}

// fortnight returns the period and the order of the fortnight of a day.
func fortnight(t testing.TB, day wsfev1.Date) (periodo, orden int, first bool) {
	t.Helper()
	at, ok := day.Time()
	if !ok {
		t.Fatalf("%q is no day", day)
	}
	orden = 1
	if at.Day() > 15 {
		orden = 2
	}
	return at.Year()*100 + int(at.Month()), orden, at.Day() == 1 || at.Day() == 16
}

// stub is an upstream that counts its requests and keeps the last one.
type stub struct {
	*httptest.Server
	hits atomic.Int64

	mu     sync.Mutex // guards body and header
	body   []byte
	header http.Header
}

// newStub starts an upstream that answers with handle.
func newStub(t testing.TB, handle http.HandlerFunc) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.body, s.header = body, r.Header.Clone()
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *stub) last() ([]byte, http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.body, s.header
}

// answering answers every request alike.
func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// proxyTo is the next handler that forwards.
func proxyTo(upstream string, options ...string) string {
	return fmt.Sprintf("reverse_proxy %s {\n\t\t%s\n\t}", upstream, strings.Join(options, "\n\t\t"))
}

// eventually waits for something that another goroutine brings about.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	within(t, time.Minute, what, holds)
}

// within is eventually with another patience.
func within(t testing.TB, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("never happened: %s", what)
		case <-tick.C:
		}
	}
}

// invoice returns a FECAESolicitar of one class B invoice that adds up.
func invoice(number int) string { return invoiceOf(number, "") }

// invoiceOf puts more members into the invoice.
func invoiceOf(number int, more string) string {
	return fmt.Sprintf(`{%s,"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[`+
		`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":%[2]d,"CbteHasta":%[2]d,"ImpTotal":121.00,"ImpTotConc":0,`+
		`"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,`+
		`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}%[3]s}]}}}`, authText, number, more)
}

// approval is a stub's answer to invoice(1).
const approval = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":1,` +
	`"Resultado":"A","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,` +
	`"CbteHasta":1,"CbteFch":"20261120","Resultado":"A","CAE":"86470000000001","CAEFchVto":"20261130"}]}}`
