package gateway_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// slowly opens connections on which a client announces a body of 4 MiB each and sends its first byte alone.
func slowly(t *testing.T, s *caddytest.Site, user string, bodies int) (conns []net.Conn) {
	t.Helper()
	head := "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(4<<20) + "\r\n"
	if user != "" {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		r.SetBasicAuth(user, "password")
		head += "Authorization: " + r.Header.Get("Authorization") + "\r\n"
	}
	for range bodies {
		conn, _ := connect(t, s)
		sendRaw(t, conn, "FECAESolicitar", head)
		if _, err := fmt.Fprint(conn, "{"); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	return conns
}

// lotsInTurn sends so many lots of 250 invoices, one after the other, and returns how long each took.
func lotsInTurn(t *testing.T, s *caddytest.Site, user string, first, lots int) (took []time.Duration) {
	t.Helper()
	for i := range lots {
		began := time.Now()
		got := as(t, s, user, 0, "FECAESolicitar", caddytest.LotText(0, int64(first+250*i), 250))
		if took = append(took, time.Since(began)); got.Status != 200 || !strings.Contains(string(got.Body), `"Resultado":"A"`) {
			t.Fatalf("%s: lot %d after %v: %d %.300s", user, i, took[i], got.Status, got.Body)
		}
	}
	return took
}

// bodiesFull returns the taken share of the memory for bodies.
func bodiesFull(t *testing.T, s *caddytest.Site) float64 {
	t.Helper()
	ratio, err := strconv.ParseFloat(s.Metric(`wsfev1_in_flight_ratio{kind="bodies"}`), 64)
	if err != nil {
		t.Fatal(err)
	}
	return ratio
}

// TestSlowBodiesOfOneClientDelayNobodyElse: one client announces 40 bodies of 4 MiB, two and a half times the
// memory for bodies that arrive, and sends none of them to its end. Another one's lots take as long as before.
//
//	FIELATO_TEST_LONG=10 go test ./caddymodule/gateway -run SlowBodiesOfOneClient -v
func TestSlowBodiesOfOneClientDelayNobodyElse(t *testing.T) {
	lots := testrun.Size(t, 10, 100)
	s := caddytest.Start(t, caddytest.Accounts("test_approve", "flood", "shop"), "in_flight wait 5s",
		"client flood {\n user flood\n cuits *\n may issue\n}", "client shop {\n user shop\n cuits *\n may issue\n}")
	lotsInTurn(t, s, "shop", 1, 3) // warms up
	alone := lotsInTurn(t, s, "shop", 751, lots)
	slowly(t, s, "flood", 40)
	caddytest.Eventually(t, "the flood has its part of the memory", func() bool { return bodiesFull(t, s) >= 0.5 })
	beside := lotsInTurn(t, s, "shop", 751+250*lots, lots)
	if full := bodiesFull(t, s); full > 0.5 {
		t.Errorf("the flood has %v of the memory, more than the half that then remains for others", full)
	}
	slices.Sort(alone)
	slices.Sort(beside)
	ratio := float64(beside[lots/2]) / float64(alone[lots/2])
	t.Logf("a lot takes %v, and %v beside the bodies; p99 %v and %v: %.2f", alone[lots/2], beside[lots/2], p99(alone), p99(beside), ratio)
	// The short form runs beside other tests on the same processors.
	if most := 1.3; testrun.Factor(t) >= 1 && ratio > most {
		t.Errorf("a lot takes %.2f of before, more than %.1f", ratio, most)
	}
}

// TestSlowBodiesOfStrangersDelayNoClientThatIsKnownBefore: where clients are known by a ticket in the body, the bodies
// of all others are read too. However many come, a client that Caddy has proven takes as long as before, and one
// with a ticket gets in as soon as they end.
func TestSlowBodiesOfStrangersDelayNoClientThatIsKnownBefore(t *testing.T) {
	own := newAuthority(t)
	s := caddytest.Start(t, strings.Replace(caddytest.Accounts("test_approve", "shop"), "basic_auth", "@known header Authorization *\nbasic_auth @known", 1),
		"in_flight wait 100ms", "mode observe", "ticket check "+own.file,
		"client shop {\n user shop\n cuits *\n may issue\n}", "client erp {\n ticket \"SERIALNUMBER=CUIT 20111111112, CN=erp\"\n cuits *\n may issue\n}")
	document := strings.Replace(caddytest.SSOTicket("wsfe", time.Now().Add(time.Hour), 20111111112), `uid="u"`, `uid="SERIALNUMBER=CUIT 20111111112, CN=erp"`, 1)
	byTicket := caddytest.WithTicket(caddytest.Invoice(1), document, own.sign(t, document)) + strings.Repeat(" ", 100<<10)
	conns := slowly(t, s, "", 40)
	caddytest.Eventually(t, "the strangers have their part of the memory", func() bool { return bodiesFull(t, s) >= 0.5 })
	lotsInTurn(t, s, "shop", 1, 10)
	if full := bodiesFull(t, s); full > 0.5 {
		t.Errorf("strangers have %v of the memory, more than the half that then remains for others", full)
	}
	if got := s.Post("FECAESolicitar", byTicket); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("a large body whose client is not known yet, beside many: %d %s", got.Status, got.Body)
	}
	for _, conn := range conns {
		conn.Close()
	}
	caddytest.Eventually(t, "the strangers have left", func() bool { return bodiesFull(t, s) == 0 })
	if got := s.Post("FECAESolicitar", byTicket); got.Status != 200 {
		t.Errorf("the client with a ticket: %d %s", got.Status, got.Body)
	}
}
