package caddytest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// WithFaults is the built-in service with lines of its block.
func WithFaults(t testing.TB, lines ...string) string {
	return "wsfev1_backend {\n\t\tledger sqlite " + filepath.Join(t.TempDir(), "ledger.db") + "\n\t\t" +
		strings.Join(lines, "\n\t\t") + "\n\t}"
}

// StartProxied runs a gateway and, behind a reverse_proxy, next on a site of its own.
func StartProxied(t testing.TB, next string, options ...string) *Site {
	t.Helper()
	behind := FreeAddress(t)
	s := NewSite(t)
	options = append(options, "audit sqlite "+s.Store)
	s.Load(s.Config(strings.Join(options, "\n\t\t"), ProxyTo(behind)) +
		fmt.Sprintf("http://%s {\n\tbind %s\n\t%s\n}\n", behind, Loopback, next))
	return s
}

// Doors are the two ways from a gateway to the service.
var Doors = []struct {
	Name  string
	Start func(t testing.TB, next string, options ...string) *Site
}{
	{"in one process", Start},
	{"through reverse_proxy", StartProxied},
}

// FaultOnce writes the line of a fault that strikes the first FECAESolicitar alone.
// The fault's own block, if it has one, is left open for that.
func FaultOnce(fault string) string {
	if !strings.Contains(fault, "{") {
		fault += " {\n"
	}
	return "fault " + fault + " operation FECAESolicitar\n count 1\n}"
}

// FirstError returns the first code of an answer's Errors, no text if it has none.
func FirstError(t *testing.T, r Response) string {
	t.Helper()
	var answer struct {
		Errors struct {
			Err []struct{ Code jsontext.Value }
		}
	}
	if err := json.Unmarshal(r.Body, &answer); err != nil {
		t.Fatalf("%v: %s", err, r.Body)
	}
	if len(answer.Errors.Err) == 0 {
		return ""
	}
	return strings.Trim(string(answer.Errors.Err[0].Code), `"`)
}

// Issuing is an upstream that approves every invoice and counts how often it was
// asked for each.
type Issuing struct {
	*Stub

	mu    sync.Mutex // guards what follows
	asked map[int]int
	// held are the invoices whose answer waits until the channel is closed; arrived
	// gets one item for each that waits.
	held    map[int]chan struct{}
	Arrived chan struct{}
}

// NumberOf finds the number of an invoice in a request.
var NumberOf = regexp.MustCompile(`"CbteDesde":(\d+)`)

// NewIssuing starts an upstream that approves each invoice of a FECAESolicitar.
func NewIssuing(t *testing.T) *Issuing {
	t.Helper()
	u := &Issuing{asked: map[int]int{}, held: map[int]chan struct{}{}, Arrived: make(chan struct{}, 16)}
	u.Stub = NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		found := NumberOf.FindSubmatch(body)
		if found == nil {
			Answering(200, `{"RegXReq":250}`)(w, r)
			return
		}
		number, _ := strconv.Atoi(string(found[1]))
		u.mu.Lock()
		u.asked[number]++
		held := u.held[number]
		u.mu.Unlock()
		if held != nil {
			u.Arrived <- struct{}{}
			<-held
		}
		Answering(200, approvalFor(body, number))(w, r)
	})
	return u
}

var (
	cuitOf  = regexp.MustCompile(`"Cuit":(\d{11})`)
	pointOf = regexp.MustCompile(`"PtoVta":\d+`)
)

// approvalFor is the answer to invoice(number) of whatever issuer, on whatever point of sale.
func approvalFor(request []byte, number int) string {
	return strings.NewReplacer("20111111112", string(cuitOf.FindSubmatch(request)[1]),
		`"PtoVta":1`, string(pointOf.Find(request))).Replace(ApprovalOf(number))
}

// Hold lets the answer to an invoice wait for release.
func (u *Issuing) Hold(t *testing.T, number int) (release func()) {
	held := make(chan struct{})
	u.mu.Lock()
	u.held[number] = held
	u.mu.Unlock()
	release = sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	return release
}

// TimesAsked is how often an invoice was sent.
func (u *Issuing) TimesAsked(number int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.asked[number]
}

// CodeOf is the CAE of an invoice.
func CodeOf(number int) string { return fmt.Sprintf("8647%010d", number) }

// ApprovalOf is the answer to invoice(number).
func ApprovalOf(number int) string {
	return strings.NewReplacer(`"CbteDesde":1,`, fmt.Sprintf(`"CbteDesde":%d,`, number),
		`"CbteHasta":1,`, fmt.Sprintf(`"CbteHasta":%d,`, number), "86470000000001", CodeOf(number)).Replace(Approval)
}

// WantEachOnce holds a whole trail against what was issued: each number once, with its
// code, every intent with the one outcome that links back to it.
func WantEachOnce(t *testing.T, records []*audit.Record, numbers ...int) {
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
		if n := codes[CodeOf(number)]; n != 1 {
			t.Errorf("invoice %d is in the trail %d times", number, n)
		}
	}
}

// Fortnight returns the period and the order of the fortnight of a day.
func Fortnight(t testing.TB, day wsfev1.Date) (periodo, orden int, first bool) {
	t.Helper()
	at, ok := day.Time()
	if !ok {
		t.Fatalf("%q is no day", day)
	}
	periodo, orden = fortnightOf(at)
	return periodo, orden, at.Day() == 1 || at.Day() == 16
}

func fortnightOf(day time.Time) (periodo, orden int) {
	if orden = 1; day.Day() > 15 {
		orden = 2
	}
	return day.Year()*100 + int(day.Month()), orden
}

// OpenFortnight returns the members Periodo and Orden of a fortnight whose CAEA may be asked for today and for five days
// more (15006): a gateway that forwards has the machine's clock.
func OpenFortnight() string {
	periodo, orden := fortnightOf(time.Now().In(wsfev1.Argentina).AddDate(0, 0, 5))
	return fmt.Sprintf(`"Periodo":%d,"Orden":%d`, periodo, orden)
}

// Answering answers every request alike.
func Answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// ProxyTo is the next handler that forwards.
func ProxyTo(upstream string, options ...string) string {
	return fmt.Sprintf("reverse_proxy %s {\n\t\t%s\n\t}", upstream, strings.Join(options, "\n\t\t"))
}

// Eventually waits for something that another goroutine brings about.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Within(t, time.Minute, what, holds)
}

// Within is Eventually with another patience. It pauses for as long as a look took: to read one metric takes
// the whole registry, and a test that looks without a pause slows down what it waits for.
func Within(t testing.TB, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		began := time.Now()
		if holds() {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("never happened: %s", what)
		case <-time.After(max(5*time.Millisecond, time.Since(began))):
		}
	}
}

// Approval is a stub's answer to invoice(1).
const Approval = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":1,` +
	`"Resultado":"A","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,` +
	`"CbteHasta":1,"CbteFch":"20261120","Resultado":"A","CAE":"86470000000001","CAEFchVto":"20261130"}]}}`
