package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// Options are the settings of a Backend. The zero Options are usable.
type Options struct {
	// Clock is the clock; nil is time.Now. Dates are Argentina's.
	Clock func() time.Time
	// Judge returns the findings of the rules about a request of right shape that is
	// processed now; nil means that there are no rules. The Judge of Rules is one. It is
	// called once for each request, from any goroutine, and must not change the request. It is not
	// called for a request in which Rules would find nothing (AnswerCleared).
	Judge func(request *validate.Request, now time.Time) []validate.Finding
	// Rules is the catalogue in which the findings of this package stand, with their
	// severities, dates and levels; nil is the catalogue without settings.
	Rules *rules.Rules
	// Register holds the taxpayers; nil is DefaultRegister.
	Register *Register
	// Tickets returns why credentials are refused now, in Spanish, empty if they
	// are not; nil takes all that are not empty. wsaa.Checker has one, StrictRefusal. It
	// is called from any goroutine.
	Tickets func(auth wsfev1.Auth, now time.Time) string
	// Tables are the reference tables; nil are the built-in ones.
	Tables *Tables
	// Events ride on every answer but FEDummy's.
	Events []wsfev1.Evt
	// Texts is whose sentences the answers have; the zero Texts is Fielato's.
	Texts Texts
}

// Texts is whose sentences stand in the Msg of Errors and Observaciones.
type Texts int

const (
	// TextsFielato explain the mistake, with place and values.
	TextsFielato Texts = iota
	// TextsARCA are the texts of ARCA's service, for clients that look for a sentence. Where the
	// service's own is not known, Fielato's stands (docs/sources.md#literals).
	TextsARCA
)

// Backend answers the operations of the service from a ledger. It is safe for
// concurrent use and owns no goroutine. It does not close the ledger.
type Backend struct {
	ledger Ledger
	clock  func() time.Time
	judge  func(*validate.Request, time.Time) []validate.Finding

	rules    *rules.Rules
	register *Register
	tickets  func(wsfev1.Auth, time.Time) string
	tables   *Tables
	texts    Texts
	// events are shared by all answers and never changed.
	events *wsfev1.Events
}

// New returns a backend on a ledger.
func New(ledger Ledger, options Options) (*Backend, error) {
	if ledger == nil {
		return nil, errors.New("backend without a ledger")
	}
	b := &Backend{
		ledger: ledger, clock: options.Clock, judge: options.Judge, rules: options.Rules, register: options.Register,
		tickets: options.Tickets, tables: options.Tables, texts: options.Texts,
	}
	if len(options.Events) > 0 {
		b.events = &wsfev1.Events{Evt: slices.Clone(options.Events)}
	}
	if b.rules == nil {
		var err error
		if b.rules, err = rules.NewRules(rules.Settings{DecidesState: true, Environment: rules.Production}); err != nil {
			return nil, fmt.Errorf("reading the rules: %w", err)
		}
	}
	if b.register == nil {
		b.register = DefaultRegister()
	}
	if b.tables == nil {
		b.tables = tables
	}
	if b.clock == nil {
		b.clock = time.Now
	}
	if b.judge == nil {
		b.judge = func(*validate.Request, time.Time) []validate.Finding { return nil }
	}
	return b, nil
}

// call is one request on its way through a backend.
type call struct {
	request *validate.Request
	texts   Texts
	// cuit is the issuer.
	cuit wsfev1.CUIT
	// now is the moment of the request. It is read once, so that an answer that is
	// computed again (Ledger.Update) is the same.
	now time.Time
	// today is the process date in Argentina.
	today    wsfev1.Date
	findings *judgement
}

// Answer answers one request of right shape. The answer is a pointer to the operation's
// answer type, even if it rejects. The error is for faults of the ledger alone: nothing
// was done then, and the service would answer 501. With ErrUncertain it may have been done,
// and no answer is right: an HTTP server closes the connection, so that the client asks what
// became of the request.
func (b *Backend) Answer(ctx context.Context, request *validate.Request) (any, error) {
	return b.AnswerCleared(ctx, request, nil)
}

// AnswerCleared is Answer for a request that other rules have judged. It is not judged again if Rules accept their
// clearance.
func (b *Backend) AnswerCleared(ctx context.Context, request *validate.Request, clearance *rules.Clearance) (any, error) {
	if request == nil || request.Operation == nil {
		return nil, errors.New("backend: no operation")
	}
	operation := request.Operation
	serve, ok := services[operation.Name]
	if !ok {
		return nil, fmt.Errorf("backend: operation %s is not served", operation.Name)
	}
	if !request.Typed() {
		return nil, fmt.Errorf("backend: %T is not the body of a %s", request.Body, operation.Name)
	}
	answer, err := serve(ctx, b, request, clearance)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", operation.Name, err)
	}
	if announced, ok := answer.(interface{ Announce(*wsfev1.Events) }); ok && b.events != nil {
		announced.Announce(b.events)
	}
	return answer, nil
}

// service answers one operation.
type service func(ctx context.Context, b *Backend, request *validate.Request, clearance *rules.Clearance) (any, error)

// handler fills the answer of one operation, whose credentials are in order.
type handler[Request, Answer any] func(b *Backend, ctx context.Context, c *call, request *Request, answer *Answer) error

// enveloped is what every answer but FEDummy's can do.
type enveloped interface{ Fail(code int32, msg string) }

// serve wraps a handler with what all operations with credentials have in common.
func serve[Request, Answer any](handle handler[Request, Answer]) service {
	return func(ctx context.Context, b *Backend, request *validate.Request, clearance *rules.Clearance) (any, error) {
		r, ok := request.Body.(*Request)
		if !ok {
			return nil, fmt.Errorf("request of type %T", request.Body)
		}
		answer := new(Answer)
		auth := wsfev1.AuthOf(request.Body)
		now := b.clock()
		if text := b.refuseTicket(auth, now); text != "" {
			echoUnauthenticated(request.Body, answer)
			any(answer).(enveloped).Fail(600, b.refusedTicket(text, auth, now))
			return answer, nil
		}
		var found []validate.Finding
		if !b.rules.Accepts(clearance, request, now) {
			found = b.judge(request, now)
		}
		c := &call{
			request: request, texts: b.texts, cuit: auth.Cuit, now: now, today: wsfev1.DateOf(now),
			findings: newJudgement(found),
		}
		if err := handle(b, ctx, c, r, answer); err != nil {
			return nil, err
		}
		return answer, nil
	}
}

// echoUnauthenticated puts into an answer with 600 the members that the service still echoes
// there: the point of sale in one operation, nothing in all others.
func echoUnauthenticated(request, answer any) {
	if a, ok := answer.(*wsfev1.FECAEASinMovimientoInformarAnswer); ok {
		a.PtoVta = request.(*wsfev1.FECAEASinMovimientoRequest).PtoVta
	}
}
