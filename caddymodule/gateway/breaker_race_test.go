package gateway_test

import (
	"net/http"
	"path"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAnOutageThatEndsDuringAProbeRefusesNothing: the service answers a client's query while a probe still waits,
// in vain, for FEDummy. There is no outage then that could be named as the reason.
func TestAnOutageThatEndsDuringAProbeRefusesNothing(t *testing.T) {
	var down atomic.Bool
	probes, answered := make(chan struct{}), make(chan struct{})
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch operation := path.Base(r.URL.Path); {
		case operation == "FEDummy":
			close(probes)
			<-answered
			panic(http.ErrAbortHandler)
		case down.Load():
			panic(http.ErrAbortHandler)
		case operation == "FECAESolicitar":
			caddytest.Answering(200, caddytest.Approval)(w, r)
		default:
			caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
		}
	})
	s := caddytest.Start(t, caddytest.ProxyTo(service.URL), "breaker 1 rest 1ms")
	down.Store(true)
	s.Post("FECompTotXRequest", caddytest.Query)
	issued := make(chan caddytest.Response, 1)
	go func() {
		for { // until the rest is over, and one of them probes
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			select {
			case <-probes:
				issued <- got
				return
			default:
			}
		}
	}()
	<-probes
	down.Store(false)
	if got := s.Post("FECompTotXRequest", caddytest.Query); got.Status != 200 {
		t.Errorf("the query: %d %s", got.Status, got.Body)
	}
	close(answered)
	if got := <-issued; got.Status != 200 {
		t.Errorf("the invoice: %d %s", got.Status, got.Body)
	}
}
