package once_test

import (
	"context"
	"iter"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// searched counts the searches in a store.
type searched struct {
	audit.Store
	times int
}

func (s *searched) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	s.times++
	return s.Store.Search(ctx, query)
}

// TestARequestThatLacksAPartIsNotSearchedFor: a search takes zero for any value, and would read the whole series, or
// all of the issuer.
func TestARequestThatLacksAPartIsNotSearchedFor(t *testing.T) {
	auth := wsfev1.Auth{Token: "token", Sign: "sign", Cuit: issuer}
	lacking := func(change func(*once.Key)) *once.Request {
		r := request("100", 5)
		change(&r.Key)
		return r
	}
	for name, test := range map[string]struct {
		asked *once.Request
		want  int
	}{
		"all":              {request("100", 5), 3},
		"no number":        {lacking(func(k *once.Key) { k.Desde = 0 }), 0},
		"no point of sale": {lacking(func(k *once.Key) { k.PtoVta = 0 }), 0},
		"no type":          {lacking(func(k *once.Key) { k.CbteTipo = 0 }), 0},
		"no issuer":        {lacking(func(k *once.Key) { k.Cuit = 0 }), 0},
		"no advance code":  {requestOf(wsfev1.OperationByName("FECAEASinMovimientoInformar"), &wsfev1.FECAEASinMovimientoRequest{Auth: auth, PtoVta: 3}), 0},
		"a fortnight":      {requestOf(wsfev1.OperationByName("FECAEASolicitar"), &wsfev1.FECAEASolicitarRequest{Auth: auth, Periodo: 202611, Orden: 2}), 3},
	} {
		store := &searched{Store: audittest.NewMemory()}
		journal := &once.AuditJournal{Store: store, Log: logName}
		_, err := journal.Find(t.Context(), test.asked)
		sent, sentErr := journal.Sent(t.Context(), test.asked)
		denied, deniedErr := journal.Denied(t.Context(), test.asked)
		if err != nil || sentErr != nil || deniedErr != nil || sent || denied || store.times != test.want {
			t.Errorf("%s: %d searches, want %d; %v, %v, %v", name, store.times, test.want, err, sentErr, deniedErr)
		}
	}
}

// TestANewNumberCostsNoSearch, however often its requests are refused; an earlier one does.
func TestANewNumberCostsNoSearch(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.close()
		store := &searched{Store: g.store}
		*g = *open(t, store, g.service)
		if _, err := g.issue(t.Context(), request("100", 1), nothingLost); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			asked   *once.Request
			repeats bool
			want    int
		}{{request("100", 2), false, 0}, {request("100", 1), true, 1}, {request("101", 1), false, 1}} {
			before := store.times
			if repeats, err := g.coordinator.MayRepeat(t.Context(), test.asked); err != nil || repeats != test.repeats || store.times-before != test.want {
				t.Errorf("number %d: %v, %v, after %d searches", test.asked.Key.Desde, repeats, err, store.times-before)
			}
		}
	})
}
