package gateway_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestSeriesOfAnIssuerAreSettledAtTheSameTime by the same client of the service: the questions about all are at the
// service at once.
func TestSeriesOfAnIssuerAreSettledAtTheSameTime(t *testing.T) {
	const series = 8
	var away atomic.Bool
	away.Store(true)
	asked, all := make(chan struct{}, series), make(chan struct{})
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case caddytest.NumberOf.Match(body):
			panic(http.ErrAbortHandler) // no answer comes
		case away.Load():
			caddytest.Answering(501, `{}`)(w, r)
		default:
			asked <- struct{}{}
			<-all
			caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"nothing"}]}}`)(w, r)
		}
	})
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "recover within 50ms", "replay on")
	const settled = `wsfev1_recoveries_total{result="not_issued"}`
	before := s.Metric(settled)
	for point := range series {
		invoice := strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":`+strconv.Itoa(1+point), 1)
		if got := s.Post("FECAESolicitar", invoice); got.Header.Get("Wsfev1-Outcome") != "unknown" {
			t.Fatalf("got %d %v %s", got.Status, got.Header, got.Body)
		}
	}
	away.Store(false)
	for range series {
		<-asked
	}
	close(all)
	caddytest.Eventually(t, "all settlements", func() bool { return s.Metric(settled) == caddytest.Plus(t, before, series) })
	for _, r := range s.Records() {
		if r.Kind == audit.KindSettlement && r.Outcome != audit.OutcomeNotIssued {
			t.Errorf("settled: %+v", r)
		}
	}
}
