package caddymodule_test

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

// sharedTrail is a PostgreSQL database in which several gateways keep a log each, as they
// leave it when they are stopped.
type sharedTrail struct {
	t    *testing.T
	dsn  string
	keys map[string]*audit.Key
}

// began is when the first exchange of a sharedTrail began.
var began = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// share makes the database and its logs, empty.
func share(t *testing.T, logs ...string) *sharedTrail {
	t.Helper()
	s := &sharedTrail{t: t, dsn: postgrestest.Shared(t).Database(t), keys: map[string]*audit.Key{}}
	for _, log := range logs {
		s.join(log)
	}
	return s
}

// join begins a log.
func (s *sharedTrail) join(log string) {
	s.t.Helper()
	key, err := audit.NewKey(rand.Reader, log)
	if err != nil {
		s.t.Fatal(err)
	}
	s.keys[log] = key
	s.write(log)
}

// write appends records to a log, as its gateway does.
func (s *sharedTrail) write(log string, records ...*audit.Record) {
	s.t.Helper()
	store := s.open()
	defer store.Close()
	known, err := store.Secret(s.t.Context(), "verifier-key/"+log, func() ([]byte, error) { return nil, errUnknown })
	trail, err := audit.Open(s.t.Context(), store, log, s.keys[log], audit.Options{First: err != nil})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range records {
		if _, err := trail.Append(s.t.Context(), r); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		s.t.Fatal(err)
	}
	if known == nil {
		s.secret(store, "verifier-key/"+log, s.keys[log].Verifier())
		s.secret(store, "fingerprint-key", strings.Repeat("k", 32))
	}
}

var errUnknown = errors.New("not kept")

func (s *sharedTrail) open() *auditpostgres.Store {
	s.t.Helper()
	store, err := auditpostgres.Open(context.Background(), s.dsn, auditpostgres.Options{Migrate: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return store
}

func (s *sharedTrail) secret(store audit.Store, name, value string) {
	s.t.Helper()
	if _, err := store.Secret(s.t.Context(), name, func() ([]byte, error) { return []byte(value), nil }); err != nil {
		s.t.Fatal(err)
	}
}

// run runs `wsfev1 audit …` on the database.
func (s *sharedTrail) run(command string, arguments ...string) (out, errs string, err error) {
	s.t.Helper()
	return auditCommand(append([]string{command, "--store", "postgres:" + s.dsn}, arguments...)...)
}

// consultation is an exchange that asked for an invoice, so many seconds after the first.
func consultation(second int, number int64) *audit.Record {
	return &audit.Record{
		Kind: audit.KindExchange, ID: rand.Text(), Time: began.Add(time.Duration(second) * time.Second), Operation: "FECompConsultar",
		Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}},
		Decision: "forward", Outcome: "answered", Certainty: audit.Answered, Status: 200,
		Request: []byte(`{"FeCompConsReq":{"CbteNro":1}}`), Answer: []byte(`{"ResultGet":{"Resultado":"A"}}`),
	}
}

// lostIntent is an intent that nobody knows the outcome of.
func lostIntent(second int, number int64) *audit.Record {
	r := consultation(second, number)
	r.Kind, r.Operation, r.Outcome, r.Certainty, r.Status, r.Answer = audit.KindIntent, "FECAESolicitar", "", audit.Unknown, 0, nil
	return r
}

// settlement is what another gateway has found out about an intent.
func settlement(second int, log string, intent *audit.Record) *audit.Record {
	r := consultation(second, intent.Vouchers[0].CbteDesde)
	r.Kind, r.Operation, r.Outcome, r.Resultado = audit.KindSettlement, "FECAESolicitar", "recovered", "A"
	r.ID, r.Intent, r.IntentLog = intent.ID, intent.Index, log
	return r
}

// twoNodes is the trail of two gateways, of which the second has settled what the first left
// open. In the order of time:
//
//	north/0  a consultation of invoice 1
//	north/1  an intent to issue invoice 2, left open
//	south/0  a consultation of invoice 2
//	south/1  the settlement of north/1
//	north/2  a consultation of invoice 2
func twoNodes(t *testing.T) *sharedTrail {
	t.Helper()
	s := share(t, "north", "south")
	lost := lostIntent(1, 2)
	s.write("north", consultation(0, 1), lost, consultation(4, 2))
	s.write("south", consultation(2, 2), settlement(3, "north", lost))
	return s
}
