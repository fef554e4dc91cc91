package trail_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestAnyGatewayTakesAnyInvoice: none sees the others issue.
func TestAnyGatewayTakesAnyInvoice(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	nodes := []*node{
		startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), inFull...),
		startNode(t, dsn, "edge-2", caddytest.ProxyTo(upstream.URL), inFull...),
		startNode(t, dsn, "edge-3", caddytest.ProxyTo(upstream.URL), inFull...),
	}
	var numbers []int
	for number := 1; number <= 30; number++ {
		numbers = append(numbers, number)
		for i := range nodes { // the first one issues, the others repeat
			wantCode(t, nodes[(number+i)%3].Post("FECAESolicitar", caddytest.Invoice(number)), number)
		}
	}
	for _, number := range numbers {
		if n := upstream.TimesAsked(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	for _, n := range nodes {
		n.End()
	}
	wantApprovedOnce(t, readLogs(t, dsn), numbers...)
}

// TestARepeatIsAnsweredWhereNothingCanBeSent: the gateway that gets it has no room at the service, and has not
// seen the invoice before.
func TestARepeatIsAnsweredWhereNothingCanBeSent(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	first := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), inFull...)
	full := startNode(t, dsn, "edge-2", caddytest.ProxyTo(upstream.URL), append(inFull, "in_flight issuing 1 wait 100ms")...)
	wantCode(t, first.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	wantCode(t, full.Post("FECAESolicitar", caddytest.Invoice(2)), 2)
	wantCode(t, first.Post("FECAESolicitar", caddytest.Invoice(3)), 3)

	release := upstream.Hold(t, 77)
	held := make(chan caddytest.Response)
	go func() {
		held <- full.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(77), `"PtoVta":1`, `"PtoVta":2`, 1))
	}()
	<-upstream.Arrived
	wantCode(t, full.Post("FECAESolicitar", caddytest.Invoice(3)), 3)
	if got := full.Post("FECAESolicitar", caddytest.Invoice(4)); got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), "en curso") {
		t.Errorf("a new one: %d %s", got.Status, got.Body)
	}
	wantCode(t, first.Post("FECAESolicitar", caddytest.Invoice(4)), 4) // the one turned away holds nobody up
	release()
	if got := <-held; got.Status != http.StatusOK {
		t.Errorf("the one at the service: %d %s", got.Status, got.Body)
	}
	for number := 1; number <= 4; number++ {
		if n := upstream.TimesAsked(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	first.End()
	full.End()
}

// TestAGatewayKilledBetweenTwoInvoicesHoldsNobodyUp.
func TestAGatewayKilledBetweenTwoInvoicesHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	killed := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), inFull...)
	other := startNode(t, dsn, "edge-2", caddytest.ProxyTo(upstream.URL), inFull...)
	for number := 1; number <= 5; number++ {
		wantCode(t, killed.Post("FECAESolicitar", caddytest.Invoice(number)), number)
	}
	killed.Kill()
	before := time.Now()
	wantCode(t, other.Post("FECAESolicitar", caddytest.Invoice(6)), 6)
	// It does not wait for a lease, which lasts for 4 s.
	if took := time.Since(before); took > 3*time.Second {
		t.Errorf("the next invoice took %s", took)
	}
	other.End()
	for _, r := range readLogs(t, dsn) {
		if r.Kind == audit.KindSettlement {
			t.Errorf("%s was settled, and nothing was open", r.Address())
		}
	}
}
