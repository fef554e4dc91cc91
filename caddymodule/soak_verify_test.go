package caddymodule_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/backend"
	ledgersqlite "github.com/fielato/fielato/internal/backend/sqlite"
)

// verify compares the clients' answers with trail and ledgers. Both processes have ended.
func (s *soak) verify() {
	s.t.Helper()
	out, errs, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+s.gateway.Store)
	if err != nil {
		s.t.Errorf("the trail: %v\n%s%s", err, out, errs)
	}
	s.verifyRecords()
	issued := 0
	for i, ledger := range s.ledgers {
		issued += s.verifyLedger(ledger, i*soakSeries/2, (i+1)*soakSeries/2)
	}
	s.t.Logf("%d invoices in the ledgers", issued)
}

// verifyRecords: the record of every answer is in the trail and has the very answer that
// the client got, and no intent is without an outcome.
func (s *soak) verifyRecords() {
	s.t.Helper()
	answers := map[uint64][sha256.Size]byte{}
	repeated := 0
	for _, c := range s.clients {
		for _, a := range c.received {
			_, index, ok := strings.Cut(a.record, "/")
			n, err := strconv.ParseUint(index, 10, 64)
			if !ok || err != nil {
				s.t.Errorf("an answer with the record %q", a.record)
				continue
			}
			if _, twice := answers[n]; twice {
				repeated++
			}
			answers[n] = a.answer
		}
	}
	if repeated > 0 {
		s.t.Errorf("%d answers have a record that another one has", repeated)
	}
	intents, records := map[uint64]bool{}, 0
	for r, err := range scanStore(s.t.Context(), s.gateway.Store) {
		if err != nil {
			s.t.Fatal(err)
		}
		records++
		switch r.Kind {
		case audit.KindIntent:
			intents[r.Index] = true
		case audit.KindOutcome:
			if !intents[r.Intent] {
				s.t.Errorf("record %d is the outcome of %d, which is no intent or has one", r.Index, r.Intent)
			}
			delete(intents, r.Intent)
		}
		if want, given := answers[r.Index]; given {
			if delete(answers, r.Index); r.AnswerDigest != want {
				s.t.Errorf("record %d of %s (%s) has another answer than the client got", r.Index, r.Operation, r.Outcome)
			}
		}
	}
	if len(answers) > 0 || len(intents) > 0 {
		s.t.Errorf("%d answers have no record, %d intents no outcome", len(answers), len(intents))
	}
	s.t.Logf("%d records", records)
}

// scanStore yields the records of a trail, oldest first, without holding all of them.
func scanStore(ctx context.Context, path string) func(func(*audit.Record, error) bool) {
	return func(yield func(*audit.Record, error) bool) {
		store, err := auditsqlite.OpenReader(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer store.Close()
		name, err := store.Secret(ctx, "log-name", func() ([]byte, error) { return nil, caddytest.ErrUnknown })
		if err != nil {
			yield(nil, err)
			return
		}
		for piece, err := range store.Scan(ctx, string(name), 0) {
			var forms []audit.Form
			if err == nil {
				forms, err = piece.Unpack()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i, form := range forms {
				r, err := audit.Decode(form)
				if err == nil {
					r.Index = piece.First + uint64(i)
				}
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// verifyLedger: the series have the invoices that the clients were told of, each number once, and
// nothing else. It returns how many invoices there are.
func (s *soak) verifyLedger(path string, first, end int) (issued int) {
	s.t.Helper()
	ledger, err := ledgersqlite.Open(path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer ledger.Close()
	err = ledger.View(s.t.Context(), func(r backend.Reader) error {
		for n := first; n < end; n++ {
			told := s.told[n].invoices
			next := int64(1)
			for invoice, err := range r.AllInvoices(s.t.Context(), backend.Series{Cuit: caddytest.IssuerOf(n), PtoVta: int32(caddytest.PointOf(n)), CbteTipo: 6}) {
				if err != nil {
					return err
				}
				want := told[next]
				if invoice.CbteDesde != next || invoice.CbteHasta != next || invoice.Code != want.code ||
					!strings.Contains(string(invoice.Detail), fmt.Sprintf(`"DocNro":%d,`, want.id)) {
					s.t.Errorf("series %d, number %d: %+v was told, the ledger has %s %s", n, next, want, invoice.Code, invoice.Detail)
				}
				next++
			}
			if issued += int(next) - 1; int(next)-1 != len(told) {
				s.t.Errorf("series %d has %d invoices, the clients were told of %d", n, next-1, len(told))
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return issued
}
