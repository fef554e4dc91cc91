package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// slowService approves each invoice after a time.
func slowService(t *testing.T, takes time.Duration) *caddytest.Stub {
	t.Helper()
	return caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		<-time.After(takes)
		number, _ := strconv.Atoi(caddytest.NumberOf.FindStringSubmatch(string(body))[1])
		point := seriesPattern.FindStringSubmatch(string(body))[2]
		caddytest.Answering(200, strings.Replace(caddytest.ApprovalOf(number), `"PtoVta":1`, `"PtoVta":`+point, 1))(w, r)
	})
}

// invoiceAt is an invoice of a series of its own.
func invoiceAt(point, number int) string {
	return strings.Replace(caddytest.Invoice(number), `"PtoVta":1`, `"PtoVta":`+strconv.Itoa(point), 1)
}

// issueInTurn issues so many invoices of a series, one after the other, and returns how long each took. refused
// counts those that were not approved.
func issueInTurn(t *testing.T, s *caddytest.Site, user string, point, first, invoices int, refused *atomic.Int64) (took []time.Duration) {
	t.Helper()
	for number := range invoices {
		began := time.Now()
		got := as(t, s, user, 0, "FECAESolicitar", invoiceAt(point, first+number))
		if took = append(took, time.Since(began)); got.Header.Get("Wsfev1-Outcome") != "approved" {
			refused.Add(1)
		}
	}
	return took
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// TestAFloodOfOneClientSlowsNobodyElse: one client sends 20 times what its share allows, and the other's requests
// take as long as before.
//
//	FIELATO_TEST_LONG=10 go test ./caddymodule/gateway -run FloodOfOneClient -v
func TestAFloodOfOneClientSlowsNobodyElse(t *testing.T) {
	const share = 4
	const invoices = 20
	rounds := testrun.Full(t, 1, testrun.Size(t, 0, 20)) // below a factor of 1 the ratio is not judged
	stub := slowService(t, 25*time.Millisecond)
	s := caddytest.Start(t, caddytest.Accounts(caddytest.ProxyTo(stub.URL), "flood", "shop"), append(slices.Clone(caddytest.Exactly), "in_flight issuing 8 wait 500ms",
		"client flood {\n user flood\n cuits *\n may issue\n share "+strconv.Itoa(share)+"\n}", "client shop {\n user shop\n cuits *\n may issue\n}")...)
	var refused, floods, turnedAway atomic.Int64
	var alone, beside []time.Duration
	for round := range rounds { // with and without the flood in turn, so that other work of the machine falls on both
		first := 1 + 2*round*invoices
		alone = append(alone, issueInTurn(t, s, "shop", 1, first, invoices, &refused)...)
		ended := make(chan struct{})
		var flood sync.WaitGroup
		for i := range 20 * share {
			flood.Go(func() {
				for number := 1 + 10_000*round; ; number++ {
					select {
					case <-ended:
						return
					default:
					}
					floods.Add(1)
					if got := as(t, s, "flood", 0, "FECAESolicitar", invoiceAt(2+i, number)); got.Status != 200 {
						turnedAway.Add(1)
					}
				}
			})
		}
		caddytest.Eventually(t, "the flood waits for its share", func() bool { return s.Metric(`wsfev1_client_waiting{client="flood"}`) > "0" })
		beside = append(beside, issueInTurn(t, s, "shop", 1, first+invoices, invoices, &refused)...)
		close(ended)
		flood.Wait()
	}
	if n := refused.Load(); n > 0 {
		t.Errorf("%d invoices of the other client were refused", n)
	}
	ratio := float64(p99(beside)) / float64(p99(alone))
	t.Logf("p99 %v alone, %v beside %d requests of a flood, %d of them refused: %.2f", p99(alone), p99(beside), floods.Load(), turnedAway.Load(), ratio)
	// The short form runs beside other tests on the same processors.
	if most := 1.3; testrun.Factor(t) >= 1 && ratio > most {
		t.Errorf("the other's p99 is %.2f of before, more than %.1f", ratio, most)
	}
	// Whoever waits for the flood does so each time, and a machine that is busy for a moment slows down a few.
	slices.Sort(beside)
	if median := beside[len(beside)/2]; median > 2*time.Second {
		t.Errorf("the other's median is %v: it has waited for the flood", median)
	}
}

// TestAHundredClientsShareEvenly: each gets its turn, and none is refused.
func TestAHundredClientsShareEvenly(t *testing.T) {
	const clients, each = 100, 3
	stub := slowService(t, 5*time.Millisecond)
	users, rows := make([]string, clients), append(slices.Clone(caddytest.Exactly), "in_flight issuing 8 wait 30s")
	for i := range users {
		users[i] = fmt.Sprintf("c%d", i)
		rows = append(rows, fmt.Sprintf("client %s {\n user %[1]s\n cuits *\n may issue\n share 2\n}", users[i]))
	}
	s := caddytest.Start(t, caddytest.Accounts(caddytest.ProxyTo(stub.URL), users...), rows...)
	var refused atomic.Int64
	var all sync.WaitGroup
	for i, user := range users {
		all.Go(func() { issueInTurn(t, s, user, 1+i, 1, each, &refused) })
	}
	all.Wait()
	if n := refused.Load(); n > 0 {
		t.Errorf("%d of %d were refused", n, clients*each)
	}
	const series = "wsfev1_client_requests_total"
	scraped := s.Scrape(series)
	for _, user := range users {
		if got := caddytest.ValueOf(scraped, series+`{client="`+user+`",result="admitted"}`); got != strconv.Itoa(each) {
			t.Errorf("%s: %s requests", user, got)
		}
	}
}

// TestARateIsBoundedAndCounted: beyond it comes 429 with Retry-After, one record in a second, and a count of all.
func TestARateIsBoundedAndCounted(t *testing.T) {
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "shop", "erp"),
		"client shop {\n user shop\n cuits *\n may *\n rate 1/h burst 2\n}", "client erp {\n user erp\n cuits *\n may *\n}")
	passed, limited := 0, 0
	for range 10 {
		switch got := as(t, s, "shop", 0, "FEDummy", "{}"); got.Status {
		case 200:
			passed++
		case http.StatusTooManyRequests:
			limited++
			if wait, _ := strconv.Atoi(got.Header.Get("Retry-After")); wait < 3000 || wait > 3600 || got.Codes(t)[0] != "http.rate" {
				t.Errorf("Retry-After %q, %s", got.Header.Get("Retry-After"), got.Body)
			}
		}
	}
	if passed != 2 || limited != 8 {
		t.Errorf("%d passed and %d were refused", passed, limited)
	}
	recorded := 0
	for _, r := range s.Records() {
		if r.Status == http.StatusTooManyRequests {
			recorded++
		}
	}
	if recorded < 1 || recorded > 3 {
		t.Errorf("%d records of 8 refusals within a second or two", recorded)
	}
	if got := s.Metric(`wsfev1_client_requests_total{client="shop",result="rate"}`); got != "8" {
		t.Errorf("counted: %s", got)
	}
	if got := as(t, s, "erp", 0, "FEDummy", "{}"); got.Status != 200 {
		t.Errorf("another client: %d", got.Status)
	}
}
