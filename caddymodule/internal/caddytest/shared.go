package caddytest

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	auditpostgres "github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// SharedTrail is a PostgreSQL database in which several gateways keep a log each, as they
// leave it when they are stopped.
type SharedTrail struct {
	T    *testing.T
	DSN  string
	Keys map[string]*audit.Key
}

// began is when the first exchange of a SharedTrail began.
var began = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// Share makes the database and its logs, empty.
func Share(t *testing.T, logs ...string) *SharedTrail {
	t.Helper()
	s := &SharedTrail{T: t, DSN: postgrestest.Shared(t).Database(t), Keys: map[string]*audit.Key{}}
	for _, log := range logs {
		s.Join(log)
	}
	return s
}

// Join begins a log.
func (s *SharedTrail) Join(log string) {
	s.T.Helper()
	key, err := audit.NewKey(rand.Reader, log)
	if err != nil {
		s.T.Fatal(err)
	}
	s.Keys[log] = key
	s.Write(log)
}

// Write appends records to a log, as its gateway does.
func (s *SharedTrail) Write(log string, records ...*audit.Record) {
	s.T.Helper()
	store := s.Open()
	defer store.Close()
	known, err := store.Secret(s.T.Context(), "verifier-key/"+log, func() ([]byte, error) { return nil, ErrUnknown })
	trail, err := audit.Open(s.T.Context(), store, log, s.Keys[log], audit.Options{First: err != nil})
	if err != nil {
		s.T.Fatal(err)
	}
	for _, r := range records {
		if _, err := trail.Append(s.T.Context(), r); err != nil {
			s.T.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		s.T.Fatal(err)
	}
	if known == nil {
		s.secret(store, "verifier-key/"+log, s.Keys[log].Verifier())
		s.secret(store, "fingerprint-key", strings.Repeat("k", 32))
	}
}

// ErrUnknown is the error of a secret that the store does not hold.
var ErrUnknown = errors.New("not kept")

// Open opens the store, which the caller closes.
func (s *SharedTrail) Open() *auditpostgres.Store {
	s.T.Helper()
	store, err := auditpostgres.Open(context.Background(), s.DSN, auditpostgres.Options{Migrate: true})
	if err != nil {
		s.T.Fatal(err)
	}
	return store
}

func (s *SharedTrail) secret(store audit.Store, name, value string) {
	s.T.Helper()
	if _, err := store.Secret(s.T.Context(), name, func() ([]byte, error) { return []byte(value), nil }); err != nil {
		s.T.Fatal(err)
	}
}

// Run runs `wsfev1 audit …` on the database.
func (s *SharedTrail) Run(command string, arguments ...string) (out, errs string, err error) {
	s.T.Helper()
	return AuditCommand(append([]string{command, "--store", "postgres:" + s.DSN}, arguments...)...)
}

// Consultation is an exchange that asked for an invoice, so many seconds after the first.
func Consultation(second int, number int64) *audit.Record {
	return &audit.Record{
		Kind: audit.KindExchange, ID: rand.Text(), Time: began.Add(time.Duration(second) * time.Second), Operation: "FECompConsultar",
		Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}},
		Decision: "forward", Outcome: "answered", Certainty: audit.Answered, Status: 200,
		Request: []byte(`{"FeCompConsReq":{"CbteNro":1}}`), Answer: []byte(`{"ResultGet":{"Resultado":"A"}}`),
	}
}

// LostIntent is an intent that nobody knows the outcome of.
func LostIntent(second int, number int64) *audit.Record {
	r := Consultation(second, number)
	r.Kind, r.Operation, r.Outcome, r.Certainty, r.Status, r.Answer = audit.KindIntent, "FECAESolicitar", "", audit.Unknown, 0, nil
	return r
}

// Settlement is what another gateway has found out about an intent.
func Settlement(second int, log string, intent *audit.Record) *audit.Record {
	r := Consultation(second, intent.Vouchers[0].CbteDesde)
	r.Kind, r.Operation, r.Outcome, r.Resultado = audit.KindSettlement, "FECAESolicitar", "recovered", "A"
	r.ID, r.Intent, r.IntentLog = intent.ID, intent.Index, log
	return r
}

// TwoNodes is the trail of two gateways. The second has settled the intent that the first left open. In the
// order of time:
//
//	north/0  a consultation of invoice 1
//	north/1  an intent to issue invoice 2, left open
//	south/0  a consultation of invoice 2
//	south/1  the settlement of north/1
//	north/2  a consultation of invoice 2
func TwoNodes(t *testing.T) *SharedTrail {
	t.Helper()
	s := Share(t, "north", "south")
	lost := LostIntent(1, 2)
	s.Write("north", Consultation(0, 1), lost, Consultation(4, 2))
	s.Write("south", Consultation(2, 2), Settlement(3, "north", lost))
	return s
}
