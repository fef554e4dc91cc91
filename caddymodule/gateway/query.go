package gateway

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// serviceClient asks the service of its own accord, through the handler and with the
// credentials of a client's request. Each question is an exchange with a record. It may
// outlive the request, and then holds the credentials in memory.
type serviceClient struct {
	gateway *Gateway
	trail   *trail.Trail
	next    caddyhttp.Handler
	// request is what the questions are modelled on: address, host, headers, and what the
	// handlers before the gateway have found out about it.
	request *http.Request
	repl    *caddy.Replacer // of request
	auth    wsfev1.Auth
	// exchange is the identifier of the exchange on whose behalf it asks.
	exchange string
}

// serviceClient returns who asks on behalf of the exchange, as long as that lasts: it uses the
// client's request, which most exchanges need no question for.
func (x *exchange) serviceClient() *serviceClient {
	return &serviceClient{
		gateway: x.gateway, trail: x.trail, next: x.next, request: x.r, repl: x.repl,
		auth: wsfev1.AuthOf(x.request.Body), exchange: x.id,
	}
}

// detach makes it one that can ask when the exchange is over and the client has left.
func (q *serviceClient) detach() *serviceClient {
	ctx := context.WithValue(context.WithoutCancel(q.request.Context()), caddyhttp.VarsCtxKey, maps.Clone(varsOf(q.request)))
	model := q.request.Clone(ctx)
	model.Body = http.NoBody
	q.request = model
	return q
}

// queryContext bounds a question in the path of a client's request.
func (x *exchange) queryContext() (context.Context, context.CancelFunc) {
	within := cmp.Or(time.Duration(x.gateway.RecoverWithin), once.DefaultRecoverWithin)
	return x.detachedFor(within)
}

// SettlementTerms implements trail.Asker.
func (q *serviceClient) SettlementTerms() trail.SettlementTerms {
	return trail.SettlementTerms{
		Asked: true, Fields: q.gateway.Trail.Fields(), Credentials: []string{q.auth.Token.Reveal(), q.auth.Sign.Reveal()},
		Forwards: q.gateway.Trail.Forwards(), Alarm: q.gateway.alarm,
	}
}

// Auth implements once.Service.
func (q *serviceClient) Auth() wsfev1.Auth { return q.auth }

// errNoServer is about a request that no server of Caddy's has prepared.
var errNoServer = errors.New("the request came by no HTTP server")

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
	defer x.answering.Release()
	x.attempt(func() {
		if x.understand() {
			x.forward()
		}
	})
	x.attempt(x.writeRecord)
	x.attempt(func() {
		x.report()
		x.accept()
		x.observe()
	})
	answer := x.typed
	x.release()
	switch {
	case x.fault != nil:
		return nil, fmt.Errorf("%s: %s: %w", operation, x.outcome, x.fault)
	case x.outcome == outcome.UpstreamError:
		return nil, fmt.Errorf("%s: the answer is not the operation's", operation)
	}
	return answer, nil
}

// newExchange makes a request of its own, which shares nothing with the client's.
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
	x.answering = x.newAnswerReservation()
	x.operation, x.body, x.digest = op, bytes.Clone(body), sha256.Sum256(body)
	return x, nil
}

// requestPlaceholders are the beginnings of placeholders that are about one request alone.
var requestPlaceholders = []string{"http.request.", "http.response.", "http.reverse_proxy.", "http.error.", "http.wsfev1."}

// inherit tells the handlers that come next what those before the gateway have found out about
// the client's request, such as its user: they may choose the service by it, and another one
// than that to which the request went knows nothing of it.
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

// varsOf returns the variables of a request, which {http.vars.*} stand for.
func varsOf(r *http.Request) map[string]any {
	vars, _ := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	return vars
}

// bothContexts ends with the one and has the values of both.
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

// discard is where the answer to a question goes: nobody waits for its bytes.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// Interface guards
var _ trail.Asker = (*serviceClient)(nil)
