package gateway

import (
	"context"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/redact"
	"github.com/fielato/fielato/caddymodule/binding"
	"github.com/fielato/fielato/caddymodule/outage"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// exchange is one request and its outcome. One goroutine fills it step by step, and turns it
// once into a record, metrics and log fields.
type exchange struct {
	gateway *Gateway
	trail   *trail.Trail
	w       http.ResponseWriter
	r       *http.Request
	next    caddyhttp.Handler
	repl    *caddy.Replacer

	id    string
	begun time.Time
	// judged is the time as of which the request is judged: begun, unless the clock of the
	// built-in service is simulated. begun is recorded.
	judged time.Time

	operation *wsfev1.Operation
	stay      binding.Reservation
	answering *binding.AnswerReservation
	body      []byte
	digest    [sha256.Size]byte // of body
	request   *validate.Request
	// wellFormed and answerWellFormed: request and answer have the operation's shape.
	wellFormed, answerWellFormed bool

	subject  wsfev1.Subject
	findings []validate.Finding
	// credentials are the request's Token and Sign, if it could be decoded.
	credentials []string
	// veil masks the fields that the operator does not want to be recorded, nil for none.
	veil *redact.Mask
	// headers removes credentials from headers, nil until it is needed.
	headers *headerMask

	// typed is the upstream's answer.
	typed any

	// fault is the refusal of the step that refuses, reply the answer of the step that has one.
	fault *binding.Refusal
	reply binding.Reply

	// leaving releases the slot that acquireSlot has taken, nil for none.
	leaving func()
	// probing is the monitor whose breaker this exchange probes for, nil if it does not probe.
	probing *outage.Monitor
	// turn is the right to send, from takeTurn to leaveTurn. sent is the request of the turn,
	// service the client to query the service about it.
	turn    *once.Turn
	sent    *once.Request
	service *serviceClient
	// pending is the request that is settled in the background after the exchange.
	pending *once.Pending
	// repeated: the answer is that of an earlier exchange. origin is the address of its
	// record.
	repeated bool
	origin   string
	// lost is how the answer was lost for which the service was queried, lostAnswer the
	// unusable answer as it may be recorded; both empty for none.
	lost, lostAnswer string
	// cached names the record and the age of a cached answer, empty if the answer is not from
	// the cache.
	cached string
	// kept: step 7 is done.
	kept bool
	// internal marks a query by the gateway itself.
	internal                    bool
	fingerprint, idempotencyKey [16]byte
	// caller is credentialMark, zero until it is computed.
	caller [16]byte

	forwarded bool
	// readied is when it was ready to be sent: when its intent was durable, if it has one.
	readied once.Instant
	// lossClass is the class of a failure between the gateway and the service, also if the
	// answer was recovered since; empty for none.
	lossClass outcome.Failure
	// departed is when it was forwarded; lostAt when the loss of its answer was reported to
	// the monitor, zero if it was not. reported: the monitor has its result.
	departed, lostAt time.Time
	reported         bool
	intent           uint64
	intended         bool
	owedIntent       *trail.Entry // the intent, if it had to wait in the backlog of the trail
	uncovered        bool         // it went on without a durable intent
	certainty        audit.Certainty
	verdict          wsfev1.Verdict
	upstream         string
	upstreamDuration time.Duration
	outcome          outcome.Outcome

	// recorded: index is the index of the exchange's last record.
	recorded bool
	index    uint64
	// recordState is recordPending or recordLost for an exchange that went on without a durable
	// record, empty for all others.
	recordState string
}

func newExchange(g *Gateway, t *trail.Trail, w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) *exchange {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	id, _ := repl.GetString("http.request.uuid")
	begun := g.now()
	x := &exchange{
		gateway: g, trail: t, w: w, r: r, next: next, repl: repl,
		stay: binding.Reservation{Budget: g.bodies, MaxWait: g.maxWait()},
		id:   id, veil: t.Redactor.Mask(g.Trail.Fields()), begun: begun, judged: g.clock.At(begun), certainty: audit.NotSent,
	}
	x.answering = x.newAnswerReservation()
	repl.Map(x.placeholder)
	return x
}

// release drops what is not needed to send the answer, before a slow client reads it, and
// returns the reserved memory.
//
// It drops the credentials too: timers and pools of other packages refer to the exchange for
// minutes to come, and a memory dump would hold them. An exchange that has its turn keeps them
// for queries.
func (x *exchange) release() {
	x.body, x.request, x.findings, x.typed, x.credentials, x.headers = nil, nil, nil, nil, nil, nil
	if x.turn == nil {
		x.sent, x.service = nil, nil
	}
	x.stay.Release()
	if len(x.reply.Body) <= binding.MaxCommon {
		x.answering.Release()
	}
}

// operationName returns the value of a bounded label: one of the operations, or unknown.
func (x *exchange) operationName() string {
	if x.operation == nil {
		return "unknown"
	}
	return x.operation.Name
}

// find adds findings, with their actions. Their pointers may hold names made by the client or
// the upstream, and their texts values, so credentials are removed first.
func (x *exchange) find(findings []validate.Finding, action func(validate.Finding) validate.Action) {
	if len(findings) == 0 {
		return
	}
	// The invoices of a lot often have the same texts, and searching a text for a long Token
	// costs microseconds.
	clean, credentials := map[string]string{}, x.trail.Redactor.Credentials(x.credentials...)
	for i := range findings {
		f := &findings[i]
		f.Pointer = credentials.Pointer(f.Pointer)
		for _, text := range []*string{&f.Text, &f.Expected, &f.Got} {
			cleaned, done := clean[*text]
			if !done {
				cleaned = credentials.Text(*text)
				clean[*text] = cleaned
			}
			*text = cleaned
		}
		f.Action = action(*f)
	}
	x.findings = append(x.findings, findings...)
}

// refuse ends the exchange with a refusal.
func (x *exchange) refuse(f *binding.Refusal) bool {
	x.fault = f
	return false
}

// detached returns the exchange's context without cancellation by the client: what must be
// done is done whether or not the client still waits.
func (x *exchange) detached() context.Context { return context.WithoutCancel(x.r.Context()) }

// detachedFor is detached with a time-out. Go's runtime drops a stopped timer only when its
// time has come, so the timer must not refer to the exchange.
func (x *exchange) detachedFor(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	return bothContexts{ctx, x.r.Context()}, cancel
}
