package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

func init() {
	caddy.RegisterModule(new(Simulator))
	httpcaddyfile.RegisterHandlerDirective("wsfev1_backend", parseSimulator)
	httpcaddyfile.RegisterDirectiveOrder("wsfev1_backend", httpcaddyfile.Before, "reverse_proxy")
}

// Simulator is the built-in invoicing service, for development, tests and
// demonstrations. It answers every operation from a ledger of its own, with numbering,
// authorisation codes and reference tables. It is not ARCA: no invoice that it
// authorises exists for the tax authority, and its codes begin with digits that the
// authority never used.
//
// It takes the place of reverse_proxy. Put `wsfev1` before it to have its exchanges
// inspected and recorded.
type Simulator struct {
	// Ledger is where the invoices are kept, a module in the namespace
	// `http.handlers.wsfev1_backend.ledgers`. Default: `sqlite` in Caddy's data folder.
	LedgerRaw json.RawMessage `json:"ledger,omitempty" caddy:"namespace=http.handlers.wsfev1_backend.ledgers inline_key=ledger"`

	// Register is the path of a file of issuers, receivers and points of sale, with
	// what each may do. Default: a built-in register of test CUITs.
	Register string `json:"register,omitempty"`

	// Tickets is which credentials are accepted. `open` accepts any Token and Sign that
	// are not empty; `strict` requires a Token that is a readable and valid WSAA ticket
	// for this service and the issuer, and if the configuration has a `wsfev1_wsaa`, one
	// that this has signed. Others get error 600. Default: `open`.
	Tickets string `json:"tickets,omitempty"`

	// Texts selects the sentences in Msg: `fielato` explains the mistake; `arca` has the
	// service's own sentences where they are known. Default: `fielato`.
	Texts string `json:"texts,omitempty"`

	// Clock is the clock of this handler and of the gateways in the same configuration,
	// which all share one. The admin API can change it. Default: the machine's clock.
	Clock *app.Clock `json:"clock,omitempty"`

	// Rules overrides the default level of single rules, as in the gateway. Codes that
	// depend on the register or the ledger may be named too.
	Rules map[string]validate.Level `json:"rules,omitempty"`

	// Tables is the path of a folder with reference tables. The built-in table is used
	// for any that is missing. The tables answer the queries; of the rules, only those
	// about the official rate read them.
	Tables string `json:"tables,omitempty"`

	// Events are notices added to every answer except FEDummy's.
	Events []Event `json:"events,omitempty"`

	// Faults are errors injected on purpose, into all handlers of the configuration.
	// The admin API can replace them. Default: none.
	Faults []Fault `json:"faults,omitempty"`

	// FaultSeed seeds the random choices of Faults: the same seed and the same requests
	// give the same faults. Default: 0.
	FaultSeed uint32 `json:"fault_seed,omitempty"`

	// Line is where the directive stands, such as `Caddyfile:12`. It is for messages alone.
	Line string `json:"line,omitempty"`

	app     *app.App
	options backend.Options
	faults  *FaultBoard
	ledger  *app.Handle[backend.Ledger]
	// service is the one that answered last. Each ledger has one.
	service atomic.Pointer[service]
	logger  *zap.Logger
}

// Event is a notice of the service.
type Event struct {
	// Code is the notice's number, 1 or more.
	Code int32 `json:"code"`
	// Text is the notice's text.
	Text string `json:"text"`
}

// ledgers holds the open ledgers of the process.
var ledgers = caddy.NewUsagePool()

// service is a backend and the ledger that it answers from.
type service struct {
	*backend.Backend
	ledger backend.Ledger
}

// CaddyModule returns the Caddy module information.
func (*Simulator) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_backend", New: func() caddy.Module { return new(Simulator) }}
}

// Provision reads the files that the options name, and registers the ledger, which is opened
// when the configuration starts.
func (s *Simulator) Provision(ctx caddy.Context) error { return directive.At(s.Line, s.provision(ctx)) }

func (s *Simulator) provision(ctx caddy.Context) (err error) {
	s.logger = ctx.Logger()
	if s.app, err = app.Of(ctx); err != nil {
		return err
	}
	if err := s.app.NameClock(s.Clock); err != nil {
		return err
	}
	if err := s.provisionOptions(); err != nil {
		return err
	}
	if err := metrics.Register(ctx.GetMetricsRegistry(), Collectors()...); err != nil {
		return err
	}
	if s.faults, err = shareFaults(ctx, s.app, FaultList{s.FaultSeed, s.Faults}); err != nil {
		return err
	}
	opener, err := app.LoadModule[LedgerOpener](ctx, s, "LedgerRaw", s.LedgerRaw, "http.handlers.wsfev1_backend.ledgers.sqlite")
	if err != nil {
		return err
	}
	if in, ok := opener.(interface{ File() string }); ok {
		s.app.Try(s.Line, func() error { return app.MayMake(in.File()) })
	}
	logger := s.logger
	s.ledger = app.Lend(s.app, ledgers, opener.Key(), func() (backend.Ledger, error) {
		ledger, err := opener.OpenLedger(ctx)
		if err != nil {
			return nil, directive.At(s.Line, fmt.Errorf("opening the ledger %s: %w", opener.Address(), err))
		}
		logger.Warn("this is the built-in invoicing service, not ARCA: none of its invoices exists for the tax authority",
			zap.String("ledger", opener.Address()))
		return ledger, nil
	})
	return nil
}

// serviceOn returns the service on the ledger of the handle. It is nearly always the same one:
// only a request that comes after the cleanup of its configuration may open the ledger again.
func (s *Simulator) serviceOn(ctx context.Context, ledger backend.Ledger) (*service, error) {
	if svc := s.service.Load(); svc != nil && svc.ledger == ledger {
		return svc, nil
	}
	options := s.options
	var err error
	if options.Tickets, err = s.checkTickets(ctx); err != nil {
		return nil, fmt.Errorf("starting the built-in service: %w", err)
	}
	made, err := backend.New(ledger, options)
	if err != nil {
		return nil, fmt.Errorf("starting the built-in service: %w", err)
	}
	svc := &service{made, ledger}
	s.service.Store(svc)
	return svc, nil
}

// ServeHTTP answers one request. It is the end of the chain.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	ledger, leave, err := s.ledger.Enter(r.Context())
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	defer leave()
	svc, err := s.serviceOn(r.Context(), ledger)
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	binding.ArriveBuiltIn(r.Context())
	request, clearance, f := s.read(w, r)
	if f != nil && binding.IsLate(f.Detail) {
		return caddyhttp.Error(http.StatusServiceUnavailable, f.Detail) // the gateway in front answers
	}
	if f != nil {
		answer, err := f.Reply()
		if err != nil {
			return caddyhttp.Error(http.StatusInternalServerError, err)
		}
		return answer.Write(w)
	}
	err = s.serve(w, r, svc, request, clearance)
	if errors.Is(err, backend.ErrUncertain) {
		// Any answer, 501 too, would claim more than is known. A gateway in front takes
		// a cut connection for an unknown outcome, and queries the service.
		panic(http.ErrAbortHandler)
	}
	return err
}

// serve answers a request that was read, or injects a fault.
func (s *Simulator) serve(w http.ResponseWriter, r *http.Request, svc *service, request *validate.Request, clearance *rules.Clearance) error {
	if hit := s.faults.inject(request); hit != nil {
		return hit.serve(w, r, func() (binding.Reply, error) {
			_, reply, err := s.carryOut(r.Context(), svc, request, clearance)
			return reply, err
		})
	}
	answer, reply, err := s.carryOut(r.Context(), svc, request, clearance)
	if err != nil {
		return err
	}
	if backend.ReadsAsMade(answer) {
		binding.HandOver(r.Context(), answer, reply.Body)
	}
	return reply.Write(w)
}

// carryOut carries the request out and returns the answer, typed and as the client gets it, or backend.ErrUncertain if
// no answer would be true.
func (s *Simulator) carryOut(ctx context.Context, svc *service, request *validate.Request, clearance *rules.Clearance) (any, binding.Reply, error) {
	answer, err := svc.AnswerCleared(ctx, request, clearance)
	if errors.Is(err, backend.ErrUncertain) {
		s.logger.Error("it is not known whether the ledger has written the update",
			zap.String("operation", request.Operation.Name), zap.Error(err))
		return nil, binding.Reply{}, err
	}
	if err != nil {
		s.logger.Error("the ledger failed", zap.String("operation", request.Operation.Name), zap.Error(err))
		answer = ledgerFailure(request.Operation)
	}
	reply, err := answerReply(answer)
	if err != nil {
		return nil, reply, caddyhttp.Error(http.StatusInternalServerError, err)
	}
	return answer, reply, nil
}

// read returns the request that a gateway in front has read already, and its clearance, or reads it as strictly as
// a gateway would.
func (s *Simulator) read(w http.ResponseWriter, r *http.Request) (*validate.Request, *rules.Clearance, *binding.Refusal) {
	if inspected, ok := r.Body.(*binding.Body); ok {
		request, clearance, err := inspected.Take()
		if err != nil {
			return nil, nil, binding.Late(err)
		}
		return request, clearance, nil
	}
	op, body, f := binding.Admission{Contract: validate.ARCA, MaxBody: binding.DefaultMaxBody}.Admit(w, r)
	if f != nil {
		return nil, nil, f
	}
	request, found := validate.Decode(op, body, validate.ARCA)
	if len(found) > 0 {
		return nil, nil, binding.Malformed(found)
	}
	return request, nil, nil
}

// ledgerFailure returns the service's answer when its database fails: the effect of the request
// is unknown.
func ledgerFailure(op *wsfev1.Operation) any {
	answer := op.NewAnswer()
	if envelope, ok := answer.(interface{ Fail(code int32, msg string) }); ok {
		envelope.Fail(501, "Error interno de base de datos - Metodo "+op.Name)
	}
	return answer
}

// answerReply encodes an answer. The error body has the status that the contract declares for
// it.
func answerReply(answer any) (binding.Reply, error) {
	if body := backend.ErrorBody(answer); body != nil {
		return binding.JSON(http.StatusBadRequest, body)
	}
	return binding.JSON(http.StatusOK, answer)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Simulator)(nil)
	_ caddyhttp.MiddlewareHandler = (*Simulator)(nil)
)
