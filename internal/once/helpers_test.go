package once_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/once/canonical"
	"github.com/fielato/fielato/internal/once/journal"
	"github.com/fielato/fielato/wsfev1"
)

const issuer = wsfev1.CUIT(20111111112)

var solicitar = wsfev1.OperationByName("FECAESolicitar")

// request asks for the invoices of these numbers, each of the amount.
func request(amount string, numbers ...int64) *once.Request {
	body := &wsfev1.FECAESolicitarRequest{
		Auth:     wsfev1.Auth{Token: "token", Sign: "sign", Cuit: issuer},
		FeCAEReq: wsfev1.FeCAEReq{FeCabReq: wsfev1.FeCabReq{CantReg: int32(len(numbers)), PtoVta: 1, CbteTipo: 6}},
	}
	for _, n := range numbers {
		body.FeCAEReq.FeDetReq.FECAEDetRequest = append(body.FeCAEReq.FeDetReq.FECAEDetRequest, wsfev1.FECAEDetRequest{
			Concepto: 1, DocTipo: 99, CbteDesde: n, CbteHasta: n, CbteFch: "20261120", MonId: "PES",
			ImpTotal: wsfev1.MustAmount(amount), ImpNeto: wsfev1.MustAmount(amount),
		})
	}
	return requestOf(solicitar, body)
}

func requestOf(op *wsfev1.Operation, body any) *once.Request {
	key, _ := once.KeyOf(op, body)
	sum := sha256.Sum256(canonical.Append(nil, body))
	return &once.Request{Operation: op, Body: body, Key: key, Fingerprint: [16]byte(sum[:16])}
}

// fakeService has the invoices of one series.
type fakeService struct {
	mu       sync.Mutex // guards the rest
	invoices map[int64]*wsfev1.FECompConsResult
	down     bool // it does not answer
	closed   bool // it takes no connections
	refuses  bool // it does not take the credentials
	replaced bool // another program answers at its address
	// lastNamed is the last number that it names, 0 for the true one.
	lastNamed int64
	// asNumber is the number of whatever invoice is asked for, 0 for the true one.
	asNumber int64
	asked    int
	// takes is how long it thinks about each question.
	takes time.Duration
	// environment is what it is.
	environment audit.Environment
}

func newService() *fakeService { return &fakeService{invoices: map[int64]*wsfev1.FECompConsResult{}} }

// issue approves the invoices whose numbers follow, as far as they do.
func (s *fakeService) issue(r *once.Request) (approved int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lot := wsfev1.LotOf(r.Body)
	for i := range lot.Len() {
		invoice := lot.Invoice(i)
		if invoice.CbteDesde != int64(len(s.invoices))+1 {
			break
		}
		kept := &wsfev1.FECompConsResult{
			FECAEDetRequest: *invoice, Resultado: "A", EmisionTipo: "CAE", FchVto: "20261130",
			CodAutorizacion: fmt.Sprintf("%014d", 76000000000000+invoice.CbteDesde), PtoVta: 1, CbteTipo: 6, FchProceso: "20261120120000",
		}
		s.invoices[invoice.CbteDesde] = kept
		approved++
	}
	return approved
}

func (s *fakeService) set(change func(*fakeService)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *fakeService) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

var errDown = errors.New("no answer")

func (s *fakeService) Ask(ctx context.Context, _ string, body any) (once.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.takes > 0 {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return once.Reply{}, ctx.Err()
		}
	}
	if s.down {
		return once.Reply{}, errDown
	}
	if s.closed {
		return once.Reply{}, fmt.Errorf("asked: %w", once.ErrUnreached)
	}
	if s.replaced {
		return once.Reply{}, fmt.Errorf("asked: %w", once.ErrAnotherProgram)
	}
	var envelope wsfev1.Envelope
	switch q := body.(type) {
	case *wsfev1.FECompConsultarRequest:
		found := s.invoices[q.FeCompConsReq.CbteNro]
		switch {
		case s.refuses:
			envelope.Fail(600, "ticket")
		case found == nil:
			envelope.Fail(602, "nothing")
		case s.asNumber != 0:
			other := *found
			other.CbteDesde, other.CbteHasta = s.asNumber, s.asNumber
			return once.Reply{Answer: &wsfev1.FECompConsultarAnswer{ResultGet: &other}, Environment: s.environment}, nil
		default:
			return once.Reply{Answer: &wsfev1.FECompConsultarAnswer{ResultGet: found}, Environment: s.environment}, nil
		}
		return once.Reply{Answer: &wsfev1.FECompConsultarAnswer{Envelope: envelope}, Environment: s.environment}, nil
	case *wsfev1.FECompUltimoAutorizadoRequest:
		return once.Reply{Answer: &wsfev1.FECompUltimoAutorizadoAnswer{PtoVta: 1, CbteTipo: 6, CbteNro: cmp.Or(s.lastNamed, int64(len(s.invoices)))}, Environment: s.environment}, nil
	}
	return once.Reply{}, fmt.Errorf("a question of type %T", body)
}

func (s *fakeService) Auth() wsfev1.Auth {
	return wsfev1.Auth{Token: "token", Sign: "sign", Cuit: issuer}
}

const logName = "gateway-1"

// gateway is what a gateway does around a coordinator: intents and outcomes in a trail.
type gateway struct {
	t           testing.TB
	store       audit.Store
	trail       *audit.Writer
	coordinator *once.Coordinator
	service     *fakeService
	// settled gets the settlements made in the background.
	settled chan settled
	// keeps changes the record of a request, nil: nothing.
	keeps func(*audit.Record)
	// sentWith are the terms of all requests.
	sentWith once.Policy
	// log is where it writes.
	log string
}

type settled struct {
	verdict once.Verdict
	index   uint64
}

func open(t testing.TB, store audit.Store, service *fakeService) *gateway {
	t.Helper()
	return openNode(t, store, service, logName, once.Settings{}, nil)
}

// openNode opens one of several gateways on a store, each with a log of its own.
func openNode(t testing.TB, store audit.Store, service *fakeService, log string, settings once.Settings, logs func(context.Context) ([]string, error)) *gateway {
	t.Helper()
	head, err := store.Head(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(t.Context(), store, log, audittest.Key(t, log), audit.Options{First: head.Checkpoint == nil})
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{t: t, store: store, trail: trail, service: service, settled: make(chan settled, 16), log: log}
	settings.Settled = func(_ *once.Pending, s *once.Settlement, index uint64) { g.settled <- settled{s.Verdict, index} }
	g.coordinator = once.New(&journal.Journal{Store: store, Log: log, Logs: logs, Write: g.writeSettled, Now: time.Now, Began: time.Now()}, settings)
	return g
}

func (g *gateway) close() {
	if err := g.coordinator.Close(); err != nil {
		g.t.Error(err)
	}
	if err := g.trail.Close(); err != nil {
		g.t.Error(err)
	}
}

func (g *gateway) writeSettled(r *audit.Record, _ *once.Pending, _ once.Service) (uint64, error) {
	return g.write(r)
}

func (g *gateway) write(r *audit.Record) (uint64, error) {
	return g.trail.Append(context.Background(), r)
}

func (g *gateway) writeWith(r *audit.Record, lease *audit.LeaseChange) (uint64, error) {
	return g.trail.AppendWith(context.Background(), r, lease)
}

// loss is how an exchange with the service goes wrong.
type loss uint8

const (
	nothingLost loss = iota
	answerLost       // it was done, no answer came
	requestLost      // it was not done, which cannot be known
	crash            // it was done, and the process died before the outcome
)

// terms gives a request the terms of the test.
func (g *gateway) terms(r *once.Request) *once.Request {
	r.Policy = g.sentWith
	return r
}

// issue leads a request through the gateway and returns the client's result.
func (g *gateway) issue(ctx context.Context, r *once.Request, goesWrong loss) (once.Result, error) {
	turn, err := g.coordinator.Enter(ctx, g.terms(r), g.service)
	if err != nil {
		return once.Result{}, err
	}
	if turn.Repeat != nil {
		turn.Leave(*turn.Repeat)
		return *turn.Repeat, nil
	}
	intent, err := turn.Commit(g.record(r, audit.KindIntent), g.writeWith)
	if errors.Is(err, audit.ErrLeaseTaken) {
		if err := turn.LookBack(ctx); err != nil {
			turn.Leave(once.Result{})
			return once.Result{}, err
		}
		if turn.Repeat != nil {
			turn.Leave(*turn.Repeat)
			return *turn.Repeat, nil
		}
		intent, err = turn.Commit(g.record(r, audit.KindIntent), g.writeWith)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	if !turn.Held() {
		g.t.Error("the queue is another process's")
	}
	result := once.Result{State: once.Rejected}
	if goesWrong != requestLost && g.service.issue(r) > 0 {
		result = once.Result{State: once.Approved, Last: r.Key.Hasta, Reply: "the answer"}
	}
	if goesWrong == crash {
		turn.Leave(once.Result{})
		return once.Result{State: once.Unknown}, nil
	}
	outcome := g.record(r, audit.KindOutcome)
	outcome.Intent = intent
	if goesWrong == nothingLost {
		outcome.Certainty, outcome.Resultado = audit.Answered, map[once.State]string{once.Approved: "A", once.Rejected: "R"}[result.State]
		for i := range outcome.Vouchers {
			outcome.Vouchers[i].Resultado = outcome.Resultado
		}
		if _, err := turn.Commit(outcome, g.writeWith); err != nil {
			g.t.Fatal(err)
		}
		turn.Leave(result)
		return result, nil
	}
	pending := once.PendingOf(r, "id", intent, time.Now())
	settlement := turn.Recover(ctx, pending, g.service)
	switch settlement.Verdict {
	case once.Recovered:
		result = once.Result{State: once.Approved, Reply: settlement.Answer(pending, time.Now()), Last: r.Key.Hasta}
	case once.NotIssued, once.Different:
		result = once.Result{State: once.Rejected, Reply: settlement.Answer(pending, time.Now())}
	default:
		result = once.Result{State: once.Unknown, Pending: pending}
	}
	outcome.Outcome, outcome.Certainty = audit.Outcome(settlement.Verdict), audit.Unknown
	if settlement.Verdict != once.Undecided {
		outcome.Certainty = audit.Answered
		if result.State == once.Approved {
			outcome.Resultado = "A"
			for i := range outcome.Vouchers {
				outcome.Vouchers[i].Resultado = "A"
			}
		}
	}
	if _, err := turn.Commit(outcome, g.writeWith); err != nil {
		g.t.Fatal(err)
	}
	turn.Leave(result)
	return result, nil
}

func (g *gateway) record(r *once.Request, kind audit.Kind) *audit.Record {
	body, err := json.Marshal(r.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	record := &audit.Record{
		Kind: kind, Time: time.Now(), Operation: r.Operation.Name, Cuit: r.Key.Cuit, PtoVta: r.Key.PtoVta,
		CbteTipo: r.Key.CbteTipo, Fingerprint: r.Fingerprint, IdempotencyKey: r.IdempotencyKey, Certainty: audit.Unknown,
		Environment: r.Policy.Environment,
	}
	for _, n := range wsfev1.SubjectOf(r.Body).Invoices {
		record.Vouchers = append(record.Vouchers, audit.Voucher{CbteDesde: n.CbteDesde, CbteHasta: n.CbteHasta})
	}
	if kind == audit.KindIntent {
		record.Request = body
		if g.keeps != nil {
			g.keeps(record)
		}
	}
	return record
}
