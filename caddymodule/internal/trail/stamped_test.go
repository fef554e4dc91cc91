package trail_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// TestAnAuthorityStamps the checkpoints of a gateway at its start, at work and after a reload; the admin API and the
// metrics tell of it.
func TestAnAuthorityStamps(t *testing.T) {
	tsa := caddytest.NewAuthority(t, tsatest.P256)
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil, tsa.Option(" 1s"))
	stamped := func(records string) {
		t.Helper()
		caddytest.Eventually(t, "so many records are stamped: "+records, func() bool {
			return s.Ask("GET", "/wsfev1/audit", "").At(t, "/logs/0/timestamp/records") == records
		})
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	stamped("2")
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	stamped("4")
	got := s.Ask("GET", "/wsfev1/audit", "")
	if got.At(t, "/logs/0/timestamp/authority") != `"Sello de prueba"` || got.At(t, "/logs/0/timestamp/problem") != `""` ||
		got.At(t, "/logs/0/timestamp/place") != `"`+tsa.URL+`"` {
		t.Errorf("%s", got.Body)
	}
	for _, member := range []string{"time", "at"} {
		at, err := time.Parse(time.RFC3339, strings.Trim(got.At(t, "/logs/0/timestamp/"+member), `"`))
		if err != nil || time.Since(at).Abs() > time.Minute {
			t.Errorf("%s: %v, %v", member, at, err)
		}
	}
	seconds, err := strconv.ParseFloat(s.Metric("wsfev1_audit_timestamp_seconds"), 64)
	if at := time.UnixMilli(int64(1000 * seconds)); err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("the metric says %v, %v", at, err)
	}
	if n := s.Metric(`wsfev1_audit_timestamp_requests_total{result="stamped"}`); n == "" || n == "0" {
		t.Errorf("%s queries are counted", n)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(3))
	s.Load(s.WithAdmin(s.Config(s.WithAudit(tsa.Option(" 1h")), caddytest.WithBackend(t))))
	stamped("6")
	s.Load(s.WithAdmin(s.Config(s.WithAudit(), caddytest.WithBackend(t))))
	if got := s.Ask("GET", "/wsfev1/audit", ""); strings.Contains(string(got.Body), `"timestamp"`) || s.Metric("wsfev1_audit_timestamp_seconds") != "" {
		t.Errorf("without an authority: %s", got.Body)
	}
}

// TestAnAuthorityThatHangsHoldsNothingUp: no start, no exchange and no reload.
func TestAnAuthorityThatHangsHoldsNothingUp(t *testing.T) {
	asked := make(chan struct{}, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does it see that the client hangs up
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	tsa := caddytest.NewAuthority(t, tsatest.P256)
	tsa.URL = server.URL
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil, tsa.Option(" 1s"))
	for i := range 10 {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1+i)); got.Status != 200 || got.Header.Get("Wsfev1-Record") == "" {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	<-asked // one is under way
	began := time.Now()
	s.Load(s.WithAdmin(s.Config(s.WithAudit(), caddytest.WithBackend(t))))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the reload took %s", took)
	}
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
