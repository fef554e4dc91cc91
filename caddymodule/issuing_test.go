package caddymodule_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
)

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
