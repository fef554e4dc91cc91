package journal_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/once/journal"
	"github.com/fielato/fielato/wsfev1"
)

const issuer = wsfev1.CUIT(20111111112)

// request asks for the invoice of a number.
func request(number int64) *once.Request {
	return requestOf("FECAESolicitar", &wsfev1.FECAESolicitarRequest{
		Auth: wsfev1.Auth{Cuit: issuer},
		FeCAEReq: wsfev1.FeCAEReq{
			FeCabReq: wsfev1.FeCabReq{CantReg: 1, PtoVta: 1, CbteTipo: 6},
			FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: []wsfev1.FECAEDetRequest{{CbteDesde: number, CbteHasta: number}}},
		},
	})
}

func requestOf(operation string, body any) *once.Request {
	op := wsfev1.OperationByName(operation)
	key, _ := once.KeyOf(op, body)
	return &once.Request{Operation: op, Body: body, Key: key, Fingerprint: [16]byte{1}}
}

// record is the record of a request.
func record(r *once.Request, kind audit.Kind) *audit.Record {
	made := &audit.Record{
		Kind: kind, ID: "lost", Time: time.Now(), Operation: r.Operation.Name, Certainty: audit.Unknown, Fingerprint: r.Fingerprint,
		Cuit: r.Key.Cuit, PtoVta: r.Key.PtoVta, CbteTipo: r.Key.CbteTipo,
	}
	for _, n := range wsfev1.SubjectOf(r.Body).Invoices {
		made.Vouchers = append(made.Vouchers, audit.Voucher{CbteDesde: n.CbteDesde, CbteHasta: n.CbteHasta})
	}
	if r.Key.CAEA != "" {
		made.Vouchers = []audit.Voucher{{Code: r.Key.CAEA}}
	}
	return made
}

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
		r := request(5)
		change(&r.Key)
		return r
	}
	for name, test := range map[string]struct {
		asked *once.Request
		want  int
	}{
		"all":              {request(5), 3},
		"no number":        {lacking(func(k *once.Key) { k.Desde = 0 }), 0},
		"no point of sale": {lacking(func(k *once.Key) { k.PtoVta = 0 }), 0},
		"no type":          {lacking(func(k *once.Key) { k.CbteTipo = 0 }), 0},
		"no issuer":        {lacking(func(k *once.Key) { k.Cuit = 0 }), 0},
		"no advance code":  {requestOf("FECAEASinMovimientoInformar", &wsfev1.FECAEASinMovimientoRequest{Auth: auth, PtoVta: 3}), 0},
		"a fortnight":      {requestOf("FECAEASolicitar", &wsfev1.FECAEASolicitarRequest{Auth: auth, Periodo: 202611, Orden: 2}), 3},
	} {
		store := &searched{Store: audittest.NewMemory()}
		remembers := &journal.Journal{Store: store, Log: "edge-1"}
		_, err := remembers.Find(t.Context(), test.asked)
		sent, sentErr := remembers.Sent(t.Context(), test.asked)
		denied, deniedErr := remembers.Denied(t.Context(), test.asked)
		if err != nil || sentErr != nil || deniedErr != nil || sent || denied || store.times != test.want {
			t.Errorf("%s: %d searches, want %d; %v, %v, %v", name, store.times, test.want, err, sentErr, deniedErr)
		}
	}
}

// TestWhatWasNotDeclaredIsNotAskedAgain: the settlement of a point of sale without movement is
// found in its queue, even if the outcome was that nothing was done.
func TestWhatWasNotDeclaredIsNotAskedAgain(t *testing.T) {
	store := audittest.NewMemory()
	r := requestOf("FECAEASinMovimientoInformar", &wsfev1.FECAEASinMovimientoRequest{Auth: wsfev1.Auth{Cuit: issuer}, PtoVta: 3, CAEA: "36470000000005"})
	for _, kind := range []audit.Kind{audit.KindIntent, audit.KindOutcome} {
		audittest.Append(t, store, "edge-1", record(r, kind))
	}
	write := func(r *audit.Record, _ *once.Pending, _ once.Service) (uint64, error) {
		return audittest.Append(t, store, "edge-1", r), nil
	}
	remembers := &journal.Journal{Store: store, Log: "edge-1", Write: write, Now: time.Now}
	memory, err := remembers.Recall(t.Context(), r.Key.OrderingKey, "")
	if err != nil || len(memory.Open) != 1 {
		t.Fatalf("%+v, %v", memory, err)
	}
	if _, err := remembers.Settled(t.Context(), memory.Open[0], &once.Settlement{Verdict: once.NotIssued}, nil); err != nil {
		t.Fatal(err)
	}
	if memory, err = remembers.Recall(t.Context(), r.Key.OrderingKey, ""); err != nil || len(memory.Open) != 0 {
		t.Errorf("when it is settled: %+v, %v", memory, err)
	}
}

// TestRecallTellsWhatAnotherProcessHasSettled: there is no other way to learn of it when
// counting the open intents of the log.
func TestRecallTellsWhatAnotherProcessHasSettled(t *testing.T) {
	store := audittest.NewMemory()
	var intents []uint64
	for number := range int64(2) {
		intents = append(intents, audittest.Append(t, store, "edge-1", record(request(number+1), audit.KindIntent)))
	}
	audittest.Append(t, store, "edge-2", &audit.Record{Kind: audit.KindSettlement, ID: "lost", Intent: intents[1], IntentLog: "edge-1"})
	var told []uint64
	remembers := &journal.Journal{
		Store: store, Log: "edge-1", Logs: func(context.Context) ([]string, error) { return []string{"edge-1", "edge-2"}, nil },
		Now: time.Now, Elsewhere: func(intent uint64) { told = append(told, intent) },
	}
	memory, err := remembers.Recall(t.Context(), request(1).Key.OrderingKey, "")
	if err != nil || len(memory.Open) != 1 || memory.Open[0].Intent != intents[0] || !slices.Equal(told, intents[1:]) {
		t.Errorf("open %+v, told %v, %v; want %d settled", memory.Open, told, err, intents[1])
	}
}

// TestSettlementsOfOtherLogsSayNothingOfOnesOwn: their intents have the same indexes.
func TestSettlementsOfOtherLogsSayNothingOfOnesOwn(t *testing.T) {
	var suspects journal.Suspects
	suspects.See(&audit.Record{Kind: audit.KindSettlement, Operation: "FECAESolicitar", Intent: 3, IntentLog: "edge-2"})
	suspects.See(&audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar", Index: 3, Cuit: issuer, PtoVta: 1, CbteTipo: 6})
	if keys := suspects.OrderingKeys(); len(keys) != 1 {
		t.Errorf("%v, want the series of the intent", keys)
	}
}
