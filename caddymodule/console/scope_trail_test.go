package console

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/wsfev1"
)

// The two issuers of these tests. What only their records hold begins with their tag.
const (
	issuerA wsfev1.CUIT = 27000000006
	issuerB wsfev1.CUIT = 30500010912
)

// tagOf returns the digits that the exchanges, codes and clients of an issuer have in common.
func tagOf(cuit wsfev1.CUIT) string { return strconv.FormatInt(int64(cuit), 10)[:2] + "0707" }

// marksOf returns texts that stand in the records of an issuer alone.
func marksOf(cuit wsfev1.CUIT) []string {
	digits, tag := strconv.FormatInt(int64(cuit), 10), tagOf(cuit)
	return []string{digits, digits[:2] + "-" + digits[2:10] + "-" + digits[10:], "9" + tag, "cliente-" + tag, "-" + tag + "00", "documento-" + tag}
}

// ledger is a trail that a test writes.
type ledger struct {
	t     *testing.T
	store audit.Store
	// before is called before each record of the first issuer; nil for nothing.
	before func()
	at     []uint64 // the indexes of those records
}

const scopeLog = "gateway-1"

// noonOfScopes is when everything happens: 12:00:00 in Argentina.
var noonOfScopes = time.Date(2026, 11, 23, 15, 0, 0, 0, time.UTC)

func newLedger(t *testing.T) *ledger {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &ledger{t: t, store: store}
	for _, log := range []string{scopeLog, "gateway-2"} {
		key := audittest.Key(t, log)
		if _, err := store.Secret(t.Context(), signingkey.VerifierKeyOf(log), func() ([]byte, error) { return []byte(key.Verifier()), nil }); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// write appends records to a log, and returns the index of the first.
func (l *ledger) write(log string, records ...*audit.Record) uint64 {
	l.t.Helper()
	batch := audittest.Seal(l.t, l.store, log, records...)
	if err := l.store.Commit(l.t.Context(), batch); err != nil {
		l.t.Fatal(err)
	}
	return batch.First
}

// add appends a record of an issuer.
func (l *ledger) add(log string, r audit.Record) uint64 {
	l.t.Helper()
	if r.Cuit != issuerB && l.before != nil {
		l.before()
	}
	index := l.write(log, &r)
	if r.Cuit != issuerB {
		l.at = append(l.at, index)
	}
	return index
}

// about returns the common part of all records of an exchange about some invoices.
func about(cuit wsfev1.CUIT, number int64, count int64) audit.Record {
	tag := tagOf(cuit)
	request := fmt.Appendf(nil, `{"Auth":{"Token":"hmac-sha256:00","Sign":"hmac-sha256:00","Cuit":%d},"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[`+
		`{"Concepto":1,"DocTipo":80,"DocNro":20222222223,"CbteDesde":%d,"CbteHasta":%d,"ImpTotal":121,"MonId":"PES","Tributos":{"Tributo":[{"Id":99,"Desc":"documento-%s"}]}}]}}}`, int64(cuit), count, number, number+count-1, tag)
	return audit.Record{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%s%06d", tag, number), Time: noonOfScopes.Add(time.Duration(number) * time.Second), Node: scopeLog,
		ClientAddress: "192.0.2.7", ClientIdentity: "cliente-" + tag, Operation: "FECAESolicitar", Cuit: cuit, PtoVta: 1, CbteTipo: 6,
		Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number + count - 1}}, Upstream: "service.example:443", Decision: "forward",
		Request: request, RequestLength: int64(len(request)), RequestDigest: sha256.Sum256(request), Fingerprint: [16]byte{byte(number), tag[0]},
	}
}

// approved returns the record of an approved invoice, without an intent.
func approved(cuit wsfev1.CUIT, number, count int64) audit.Record {
	r := about(cuit, number, count)
	r.Kind, r.Outcome, r.Certainty, r.Status, r.Resultado = audit.KindExchange, "approved", audit.Answered, 200, "A"
	r.Vouchers[0].Code, r.Vouchers[0].Expires, r.Vouchers[0].Resultado = fmt.Sprintf("9%s%07d", tagOf(cuit), number), "20261203", "A"
	r.Answer = fmt.Appendf(nil, `{"FeDetResp":{"FECAEDetResponse":[{"CbteDesde":%d,"CbteHasta":%d,"Resultado":"A","CAE":"%s"}]}}`, number, number+count-1, r.Vouchers[0].Code)
	r.AnswerLength, r.AnswerDigest = int64(len(r.Answer)), sha256.Sum256(r.Answer)
	return r
}

// fill appends exchanges of an issuer of all kinds.
func (l *ledger) fill(log string, cuit wsfev1.CUIT) {
	sent := func(number int64) uint64 {
		intent := about(cuit, number, 1)
		intent.Kind, intent.Certainty = audit.KindIntent, audit.Unknown
		return l.add(log, intent)
	}
	first := sent(1)
	outcome := approved(cuit, 1, 1)
	outcome.Kind, outcome.Intent, outcome.Request = audit.KindOutcome, first, nil
	l.add(log, outcome)
	replay := approved(cuit, 1, 1)
	replay.ID, replay.Decision = replay.ID[:30]+"000091", audit.DecisionReplay
	l.add(log, replay)
	for number := range int64(4) {
		refused := about(cuit, 2+number, 1)
		refused.Kind, refused.Decision, refused.Outcome, refused.Certainty, refused.Status = audit.KindExchange, "refuse", "refused", audit.NotSent, 200
		refused.Findings = []audit.Finding{{Code: "10048", Severity: "EXC", Action: "refuse", Text: "documento-" + tagOf(cuit), Got: "1"}}
		refused.Answer, refused.AnswerLength = []byte(`{"Errors":{"Err":[{"Code":10048,"Msg":"documento"}]}}`), 50
		l.add(log, refused)
	}
	l.add(log, approved(cuit, 3, 1)) // what was refused before
	lost := sent(6)
	unknown := about(cuit, 6, 1)
	unknown.Kind, unknown.Intent, unknown.Outcome, unknown.Certainty, unknown.Status = audit.KindOutcome, lost, "unknown", audit.Unknown, 504
	unknown.Cuit, unknown.PtoVta, unknown.CbteTipo, unknown.Vouchers = 0, 0, 0, nil // it is found by its intent
	if cuit == issuerB {
		l.write(log, &unknown)
	} else {
		l.add(log, unknown)
	}
	question := about(cuit, 6, 1)
	question.Kind, question.Operation, question.Decision, question.Outcome, question.Certainty = audit.KindExchange, "FECompConsultar", audit.DecisionAsk, "answered", audit.Answered
	l.add(log, question)
	settlement := approved(cuit, 6, 1)
	settlement.Kind, settlement.Intent, settlement.Outcome = audit.KindSettlement, lost, "recovered"
	l.add(log, settlement)
	left := sent(9)
	_ = left // it stays open
	conflict := about(cuit, 7, 1)
	conflict.Kind, conflict.Outcome, conflict.Certainty, conflict.Status = audit.KindExchange, audit.OutcomeConflict, audit.NotSent, 409
	l.add(log, conflict)
	query := about(cuit, 8, 1)
	query.Kind, query.Operation, query.Outcome, query.Certainty = audit.KindExchange, "FECompUltimoAutorizado", "unknown", audit.Unknown
	l.add(log, query)
	l.add(log, approved(cuit, 10, 5))
}

// nobodys returns the records that are about no issuer. Two of them name one.
func nobodys() []*audit.Record {
	at := noonOfScopes.Add(30 * time.Second)
	unnamed := about(issuerB, 40, 1)
	unnamed.Kind, unnamed.Cuit, unnamed.Outcome, unnamed.Decision, unnamed.Certainty = audit.KindExchange, 0, "refused", "refuse", audit.NotSent
	return []*audit.Record{
		&unnamed,
		{Kind: audit.KindExchange, ID: "00000000-0000-4000-8000-300707000041", Time: at, Operation: "FEDummy", Decision: "forward", Outcome: "answered", Certainty: audit.Answered, ClientIdentity: "cliente-" + tagOf(issuerB)},
		{Kind: audit.KindAccess, ID: "00000000-0000-4000-8000-300707000042", Time: at, ClientIdentity: "cliente-" + tagOf(issuerB), Detail: "console search", Cuit: issuerA, Outcome: audit.AccessHold},
		{Kind: audit.KindOutage, ID: "00000000-0000-4000-8000-300707000043", Time: at, Outcome: outage.Began, Upstream: "cliente-" + tagOf(issuerB), Detail: `{"Service":"service.example:443"}`},
	}
}

// many appends so many approved invoices of the second issuer, and a few of each kind that is not exchanges.
func (l *ledger) many(log string, n int) {
	var all []*audit.Record
	for i := range n {
		r := approved(issuerB, int64(1000+i), 1)
		r.Time = noonOfScopes.Add(time.Duration(i) * time.Millisecond)
		all = append(all, &r)
	}
	for len(all) > 0 {
		part := min(len(all), 500)
		l.write(log, all[:part]...)
		all = all[part:]
	}
	l.write(log, nobodys()...)
}

// The readers of these tests, by the users that they are.
var scopeReaders = []clients.Row{
	{Role: clients.RoleReader, Name: "reader-a", User: []string{"a"}, Cuits: []string{"27000000006"}},
	{Role: clients.RoleReader, Name: "reader-b", User: []string{"b"}, Cuits: []string{"30500010912"}},
	{Role: clients.RoleReader, Name: "reader-masked", User: []string{"masked"}, Cuits: []string{"27000000006"}, Mask: true},
	{Role: clients.RoleReader, Name: "reader-all", User: []string{"all"}, Cuits: []string{"*"}},
}

// countOfAll is how often a rule has found something, in the requests of all issuers.
const countOfAll = 887766

// userHeader stands for an authentication in front.
const userHeader = "X-Test-User"

// site serves the trail to readers.
func (l *ledger) site() *site.Site {
	l.t.Helper()
	table, err := clients.NewTable(scopeReaders)
	if err != nil {
		l.t.Fatal(err)
	}
	readers := &site.Readers{Find: func(r *http.Request) (*clients.Reader, error) {
		return table.Reader(&clients.Identity{User: r.Header.Get(userHeader)})
	}, Unproven: clients.ErrSeveral}
	shelf := &rulebook.Shelf{Counts: func(int32) rulebook.Counts { return rulebook.Counts{Refused: countOfAll, Service: countOfAll} }}
	s := &site.Site{Base: "/consola", ReaderScope: readers.Scope, Shelf: func() *rulebook.Shelf { return shelf }, Logger: zap.NewNop(), Now: func() time.Time { return noonOfScopes.Add(time.Hour) }}
	s.Open = func(ctx context.Context, do func([]site.Source) error) error {
		logs, err := l.store.Logs(ctx)
		if err != nil {
			return err
		}
		return do([]site.Source{{Store: l.store, Logs: logs}})
	}
	s.Prepare()
	for _, add := range pages {
		add(s)
	}
	return s
}
