package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func init() {
	caddy.RegisterModule(new(Backend))
	httpcaddyfile.RegisterHandlerDirective("wsfev1_backend", parseBackend)
	httpcaddyfile.RegisterDirectiveOrder("wsfev1_backend", httpcaddyfile.Before, "reverse_proxy")
}

// Backend is the built-in invoicing service: it answers every operation from a
// ledger of its own, with numbering, authorisation codes and reference tables, for
// development, tests and demonstrations. It is not ARCA: no invoice that it
// authorises exists for the tax authority, and its codes begin with digits that
// the authority never used.
//
// It goes where reverse_proxy would go. Put `wsfev1` before it to have its
// exchanges inspected and recorded.
type Backend struct {
	// Ledger is where the invoices are kept, a module in the namespace
	// `http.handlers.wsfev1_backend.ledgers`. Default: `sqlite` in Caddy's data folder.
	LedgerRaw json.RawMessage `json:"ledger,omitempty" caddy:"namespace=http.handlers.wsfev1_backend.ledgers inline_key=ledger"`

	lease  *lease[*service]
	logger *zap.Logger
}

// ledgers holds the open ledgers of the process.
var ledgers = caddy.NewUsagePool()

// service is a backend and the ledger that it owns.
type service struct {
	*backend.Backend
	ledger backend.Ledger
}

// Close closes the ledger.
func (s *service) Close() error { return s.ledger.Close() }

// CaddyModule returns the Caddy module information.
func (*Backend) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_backend", New: func() caddy.Module { return new(Backend) }}
}

// Provision asks for the ledger, which opens when the configuration starts.
func (b *Backend) Provision(ctx caddy.Context) error {
	b.logger = ctx.Logger()
	opener, err := loadOpener[LedgerOpener](ctx, b, "LedgerRaw", b.LedgerRaw, "http.handlers.wsfev1_backend.ledgers.sqlite")
	if err != nil {
		return err
	}
	logger := b.logger
	b.lease, err = lend(ctx, ledgers, opener.Key(), func() (*service, error) {
		s, err := openService(ctx, opener)
		if err == nil {
			logger.Warn("this is the built-in invoicing service, not ARCA: none of its invoices exists for the tax authority",
				zap.String("ledger", opener.Address()))
		}
		return s, err
	})
	return err
}

func openService(ctx caddy.Context, opener LedgerOpener) (*service, error) {
	ledger, err := opener.OpenLedger(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the ledger %s: %w", opener.Address(), err)
	}
	rules, err := validate.NewRules(validate.Settings{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the rules: %w", err), ledger.Close())
	}
	b, err := backend.New(ledger, backend.Options{Clock: time.Now, Judge: judgeForBackend(rules)})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the built-in service: %w", err), ledger.Close())
	}
	return &service{Backend: b, ledger: ledger}, nil
}

// judgeForBackend lets the built-in service judge by the rules of the gateway:
// there is one implementation of each. What is only observed by default rides on
// the approved invoice.
func judgeForBackend(rules *validate.Rules) func(*validate.Request, time.Time) []backend.Finding {
	return func(request *validate.Request, now time.Time) []backend.Finding {
		found := rules.Judge(request, now)
		findings := make([]backend.Finding, len(found))
		for i, f := range found {
			if f.Action == validate.ActionObserve {
				f.Severity = validate.OBS
			}
			findings[i] = backend.Finding{
				Code: f.Number(), Severity: string(f.Severity), Invoice: f.Invoice, Text: f.Message(),
			}
		}
		return findings
	}
}

// ServeHTTP answers one request. It is the end of the chain.
func (b *Backend) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	s, err := b.lease.enter(r.Context())
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	defer b.lease.leave()
	request, f := b.read(w, r)
	if f != nil {
		answer, err := f.reply()
		if err != nil {
			return caddyhttp.Error(http.StatusInternalServerError, err)
		}
		return answer.write(w)
	}
	answer, err := s.Answer(r.Context(), request)
	if err != nil {
		b.logger.Error("the ledger failed", zap.String("operation", request.Operation.Name), zap.Error(err))
		answer = ledgerFailure(request.Operation)
	}
	reply, err := jsonReply(http.StatusOK, answer)
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	return reply.write(w)
}

// read returns the request that a gateway in front has read already, or reads it
// as strictly as a gateway would.
func (b *Backend) read(w http.ResponseWriter, r *http.Request) (*validate.Request, *fault) {
	if inspected, ok := r.Body.(*inspectedBody); ok {
		return inspected.request, nil
	}
	op, body, f := admission{contract: validate.ARCA, maxBody: DefaultMaxBody}.admit(w, r)
	if f != nil {
		return nil, f
	}
	request, found := validate.Decode(op, body, validate.ARCA)
	if len(found) > 0 {
		return nil, malformed(found)
	}
	return request, nil
}

// ledgerFailure is what the service answers when its database fails: nothing is
// known of what was asked (domain.md §3.13).
func ledgerFailure(op *wsfev1.Operation) any {
	answer := op.NewAnswer()
	if envelope, ok := answer.(interface{ Fail(code int32, msg string) }); ok {
		envelope.Fail(501, "Error interno de base de datos - Metodo "+op.Name)
	}
	return answer
}

func parseBackend(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	b := new(Backend)
	return b, b.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads:
//
//	wsfev1_backend [<matcher>] {
//		ledger <ledger> [<arguments>…]
//	}
//
// The block may be left out. The ledger `sqlite` takes the path of its file.
func (b *Backend) UnmarshalCaddyfile(d *caddyfile.Dispenser) (err error) {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	for d.NextBlock(0) {
		switch option := d.Val(); {
		case option != "ledger":
			return d.Errf("unrecognized option %q: use ledger", option)
		case b.LedgerRaw != nil:
			return d.Err("ledger is given twice")
		}
		b.LedgerRaw, err = guest(d, "http.handlers.wsfev1_backend.ledgers.", "ledger", func(m caddy.Module) bool {
			_, ok := m.(LedgerOpener)
			return ok
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Backend)(nil)
	_ caddyfile.Unmarshaler       = (*Backend)(nil)
	_ caddyhttp.MiddlewareHandler = (*Backend)(nil)
)
