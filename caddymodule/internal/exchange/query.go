package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// serviceClient sends the gateway's own queries, through the next handler and with the
// credentials of a client's request. Each query is an exchange with a record. A serviceClient
// may outlive the request, and then holds the credentials in memory.
type serviceClient struct {
	way   *Way
	trail *trail.Trail
	next  caddyhttp.Handler
	// request is the model of the queries: URL, host, headers, and the variables that the
	// handlers before the gateway have set.
	request *http.Request
	repl    *caddy.Replacer // of request
	auth    wsfev1.Auth
	// exchange is the identifier of the exchange that the queries are for.
	exchange string
}

// serviceClientOf returns a client for queries during the exchange. It shares the client's request:
// most exchanges need no query, so nothing is copied.
func serviceClientOf(x *exchange) *serviceClient {
	auth := wsfev1.AuthOf(x.Decision.Request.Body)
	if x.Decision.KeptTicket {
		auth.Token, auth.Sign = "", "" // each query gets the ticket of its moment
	}
	return &serviceClient{
		way: x.way, trail: x.trail, next: x.next, request: x.r, repl: x.repl, auth: auth, exchange: x.ID,
	}
}

// detach copies what it shares with the exchange, so that it can be used afterwards.
func (q *serviceClient) detach() *serviceClient {
	ctx := context.WithValue(context.WithoutCancel(q.request.Context()), caddyhttp.VarsCtxKey, maps.Clone(varsOf(q.request)))
	model := q.request.Clone(ctx)
	model.Body = http.NoBody
	q.request = model
	return q
}

// SettlementTerms implements trail.Asker.
func (q *serviceClient) SettlementTerms() trail.SettlementTerms {
	return trail.SettlementTerms{
		Fields: q.way.Trail.Fields(), Credentials: []string{q.auth.Token.Reveal(), q.auth.Sign.Reveal()},
		Forwards: q.way.Trail.Forwards(), Alarm: q.way.Alarm,
	}
}

// Auth implements once.Service.
func (q *serviceClient) Auth() wsfev1.Auth { return q.auth }

// errNoServer: the request was not prepared by a server of Caddy.
var errNoServer = errors.New("the request did not come through an HTTP server")

// Ask implements once.Service.
func (q *serviceClient) Ask(ctx context.Context, operation string, request any) (once.Reply, error) {
	op := wsfev1.OperationByName(operation)
	if op == nil || op.Extension && q.way.Book.Contract == validate.Base {
		return once.Reply{}, fmt.Errorf("%s: %w", operation, once.ErrNoQuestion)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return once.Reply{}, fmt.Errorf("writing the question: %w", err)
	}
	x, err := q.newExchange(ctx, op, body)
	if err != nil {
		return once.Reply{}, err
	}
	defer x.memory.release()
	x.close(func() {
		taken := x.way.Book.Understand(intake.Message{
			Form: x.Form, Operation: op, Redactor: x.Redactor, At: x.Effective, Step: x.spans.Steps(),
		})
		_ = x.decided(taken) && x.takeTicket() && x.forward()
	})
	reply := once.Reply{Answer: x.Result.Typed, Environment: x.Environment()}
	x.release()
	switch {
	case x.Result.Refusal != nil && x.Result.Outcome == audit.OutcomeNotSent:
		return once.Reply{}, fmt.Errorf("%s: %w: %w", operation, once.ErrUnreached, x.Result.Refusal)
	case x.Result.Refusal != nil:
		return once.Reply{}, fmt.Errorf("%s: %s: %w", operation, x.Result.Outcome, x.Result.Refusal)
	case x.Result.Outcome == audit.OutcomeUpstreamError:
		return once.Reply{}, binding.NewAnswerError(operation, x.Result.Reply)
	}
	return reply, nil
}

// newExchange returns the exchange of a query. Its request shares nothing with the client's.
func (q *serviceClient) newExchange(ctx context.Context, op *wsfev1.Operation, body []byte) (*exchange, error) {
	server, ok := q.request.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return nil, errNoServer
	}
	r := q.request.Clone(bothContexts{ctx, q.request.Context()})
	r.Method, r.ContentLength, r.Body = http.MethodPost, int64(len(body)), http.NoBody
	where, _ := binding.RouteOf(r.URL) // it was admitted
	where.Operation = op.Name
	r.URL = &url.URL{Path: where.Path()}
	r.RequestURI = where.Path()
	r.Header.Set("Content-Type", "application/json")
	w := &discard{header: http.Header{}}
	x := newExchange(q.way, q.trail, w, caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, server), q.next)
	q.inherit(x)
	x.ID, x.Own = q.exchange, true
	x.memory.answer.Most = min(x.memory.answer.Most, binding.MaxFound)
	x.Decision.Operation, x.Form = op, intake.InJSON(bytes.Clone(body))
	return x, nil
}

// requestPlaceholders are the prefixes of placeholders that are about a single request.
var requestPlaceholders = []string{"http.request.", "http.response.", "http.reverse_proxy.", "http.error.", "http.wsfev1."}

// inherit copies variables and placeholders that the handlers before the gateway have set for
// the client's request, such as its user, to the query. The next handlers may choose the
// service by them, and another service would not know the request.
func (q *serviceClient) inherit(x *exchange) {
	own := varsOf(x.r)
	for name, value := range varsOf(q.request) {
		if _, has := own[name]; !has && name != "unhandled" {
			own[name] = value
		}
	}
	x.repl.Map(func(key string) (any, bool) {
		if slices.ContainsFunc(requestPlaceholders, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			return nil, false
		}
		return q.repl.Get(key)
	})
}

// varsOf returns the variables of a request, the placeholders {http.vars.*}.
func varsOf(r *http.Request) map[string]any {
	vars, _ := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	return vars
}

// bothContexts ends with the embedded context and has the values of both.
type bothContexts struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (c bothContexts) Value(key any) any {
	if value := c.Context.Value(key); value != nil {
		return value
	}
	return c.values.Value(key)
}

// discard is the ResponseWriter of a query: only the exchange needs the answer.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// Interface guards
var _ trail.Asker = (*serviceClient)(nil)
