package gateway

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
	gateway *Gateway
	trail   *trail.Trail
	next    caddyhttp.Handler
	// request is the model of the queries: URL, host, headers, and the variables that the
	// handlers before the gateway have set.
	request *http.Request
	repl    *caddy.Replacer // of request
	auth    wsfev1.Auth
	// exchange is the identifier of the exchange that the queries are for.
	exchange string
}

// serviceClient returns a client for queries during the exchange. It shares the client's request:
// most exchanges need no query, so nothing is copied.
func (x *exchange) serviceClient() *serviceClient {
	auth := wsfev1.AuthOf(x.in.Request.Body)
	if x.in.KeptTicket {
		auth.Token, auth.Sign = "", "" // each query gets the ticket of its moment
	}
	return &serviceClient{
		gateway: x.gateway, trail: x.trail, next: x.next, request: x.r, repl: x.repl, auth: auth, exchange: x.id,
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

// queryContext returns the context for a query while a client waits.
func (x *exchange) queryContext() (context.Context, context.CancelFunc) {
	return x.detachedFor(x.gateway.policy.queryTime)
}

// SettlementTerms implements trail.Asker.
func (q *serviceClient) SettlementTerms() trail.SettlementTerms {
	return trail.SettlementTerms{
		Fields: q.gateway.Trail.Fields(), Credentials: []string{q.auth.Token.Reveal(), q.auth.Sign.Reveal()},
		Forwards: q.gateway.Trail.Forwards(), Alarm: q.gateway.alarm,
	}
}

// Auth implements once.Service.
func (q *serviceClient) Auth() wsfev1.Auth { return q.auth }

// errNoServer: the request was not prepared by a server of Caddy.
var errNoServer = errors.New("the request did not come through an HTTP server")

// Ask implements once.Service.
func (q *serviceClient) Ask(ctx context.Context, operation string, request any) (any, error) {
	op := wsfev1.OperationByName(operation)
	if op == nil || op.Extension && q.gateway.contract == validate.Base {
		return nil, fmt.Errorf("%s: %w", operation, once.ErrNoQuestion)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("writing the question: %w", err)
	}
	x, err := q.newExchange(ctx, op, body)
	if err != nil {
		return nil, err
	}
	defer x.memory.release()
	x.run(querySteps)
	answer := x.answer.typed
	x.release()
	switch {
	case x.refusal != nil && x.outcome == audit.OutcomeNotSent:
		return nil, fmt.Errorf("%s: %w: %w", operation, once.ErrUnreached, x.refusal)
	case x.refusal != nil:
		return nil, fmt.Errorf("%s: %s: %w", operation, x.outcome, x.refusal)
	case x.outcome == audit.OutcomeUpstreamError:
		return nil, binding.NewAnswerError(operation, x.reply)
	}
	return answer, nil
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
	x := newExchange(q.gateway, q.trail, w, caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, server), q.next)
	q.inherit(x)
	x.id, x.internal = q.exchange, true
	x.memory.answer = x.newAnswerReservation()
	x.in.Operation, x.form = op, intake.InJSON(bytes.Clone(body))
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
