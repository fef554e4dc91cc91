package gateway_test

import (
	"context"
	"net/http"
	"path"
	"sync"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// startWithOneSlot starts a gateway with a single slot for tables, and a service that gives conceptTable. fill fills
// the slot with another question, until the test ends or empty is called.
func startWithOneSlot(t *testing.T, options string) (s *caddytest.Site, fill, empty func()) {
	arrived, proceed := make(chan struct{}), make(chan struct{})
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) == "FEParamGetTiposIva" {
			arrived <- struct{}{}
			<-proceed
		}
		caddytest.Answering(200, conceptTable)(w, r)
	})
	s = caddytest.Start(t, caddytest.ProxyTo(service.URL), "in_flight tables 1 wait 200ms\n"+options)
	var filling sync.WaitGroup
	fill = func() {
		filling.Go(func() { s.Post("FEParamGetTiposIva", tableQuestion) })
		<-arrived
	}
	empty = sync.OnceFunc(func() { close(proceed); filling.Wait() })
	t.Cleanup(empty)
	return s, fill, empty
}

// TestAnEarlierTableWhereThereIsNoRoom: the client that gets it has a record that says so, beside the one of the
// question that found no room.
func TestAnEarlierTableWhereThereIsNoRoom(t *testing.T) {
	s, fill, empty := startWithOneSlot(t, "cache 1ns stale 1h")
	s.Post("FEParamGetTiposConcepto", tableQuestion)
	fill()
	before := len(s.Records())
	got := s.Post("FEParamGetTiposConcepto", tableQuestion)
	empty()
	if got.Status != 200 || string(got.Body) != conceptTable || got.Header.Get("Wsfev1-Outcome") != "cached" {
		t.Errorf("%d %s %s", got.Status, got.Header.Get("Wsfev1-Outcome"), got.Body)
	}
	records := s.Records()[before:]
	if len(records) < 2 || records[0].Outcome != "busy" || records[1].Outcome != "cached" ||
		records[1].Address() != got.Header.Get("Wsfev1-Record") {
		t.Errorf("the answer is of %s, the records are %+v", got.Header.Get("Wsfev1-Record"), records)
	}
}

func TestWhoJoinsAQuestionWithoutRoomIsToldSo(t *testing.T) {
	s, fill, _ := startWithOneSlot(t, "cache 5m")
	fill()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, err := caddytest.Try(s.Request(context.Background(), "FEParamGetTiposConcepto", tableQuestion))
			if err != nil || got.Status != 503 || got.Codes(t)[0] != "gateway.in_flight" || got.Header.Get("Retry-After") == "" {
				t.Errorf("%v: %d %v %s", err, got.Status, got.Header, got.Body)
			}
		})
	}
	all.Wait()
}
