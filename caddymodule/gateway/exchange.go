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
	"github.com/fielato/fielato/caddymodule/trail"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// exchange is one request and its outcome. It is born at the edge, filled on its
// way by one goroutine, and turned once into record, metrics and log fields.
type exchange struct {
	gateway *Gateway
	trail   *trail.Trail
	w       http.ResponseWriter
	r       *http.Request
	next    caddyhttp.Handler
	repl    *caddy.Replacer

	id    string
	begun time.Time
	// judged is the moment as of which the request is judged: begun, unless the
	// clock of the built-in service is simulated. What is recorded is begun.
	judged time.Time

	operation *wsfev1.Operation
	stay      binding.Reservation
	answering *binding.AnswerReservation
	body      []byte
	digest    [sha256.Size]byte // of body
	request   *validate.Request
	// wellFormed and answerWellFormed tell that request and answer are of the
	// operation's shape.
	wellFormed, answerWellFormed bool

	subject  wsfev1.Subject
	findings []validate.Finding
	// credentials are the request's Token and Sign, as far as it could be read.
	credentials []string
	// veil hides what the operator does not want to be kept, nil if that is nothing.
	veil *redact.Mask
	// headers takes credentials out of headers, nil until there is one to look at.
	headers *headerMask

	// typed is the upstream's answer.
	typed any

	// fault is set by the step that refuses; reply by the one that has an answer.
	fault *binding.Refusal
	reply binding.Reply

	// leaving gives back the room at the service that enterRoom has taken, nil for none.
	leaving func()
	// probing is the watch of the service for which this exchange looks whether it answers
	// again, nil if it does not.
	probing *outage.Monitor
	// turn is the right to send, from takeTurn to leaveTurn; sent is what it is for, and
	// service who can be asked about it.
	turn    *once.Turn
	sent    *once.Request
	service *serviceClient
	// pending is what goes on in the background when the exchange is over.
	pending *once.Pending
	// repeated tells that the answer was given before; origin is the record of that time.
	repeated bool
	origin   string
	// lost is how the answer was lost because of which the service was asked, lostAnswer what
	// it said, as it may be kept; no text where that is nothing.
	lost, lostAnswer string
	// cached tells which record the answer was given with before, and how old it is; no
	// text if it is not from the cache.
	cached string
	// kept tells that step 7 was taken.
	kept bool
	// asking tells that this is a question of the gateway's own.
	internal                    bool
	fingerprint, idempotencyKey [16]byte
	// caller is credentialMark, zeros as long as nobody has asked for it.
	caller [16]byte

	forwarded bool
	// readied is since when it has been ready to be sent: since its intent, if it has one.
	readied once.Instant
	// lossClass is the class of what went wrong between the gateway and the service, no text
	// for nothing: also where the answer was recovered since.
	lossClass string
	// departed is when it was forwarded; lostAt when the watch was told that its answer is
	// lost, zero if it was not; reported tells that the watch knows what came of it.
	departed, lostAt time.Time
	reported         bool
	intent           uint64
	intended         bool
	owedIntent       *trail.Entry // the intent if it was owed, nil if it never was
	uncovered        bool         // it went on without an intent that was durable
	certainty        audit.Certainty
	verdict          wsfev1.Verdict
	upstream         string
	upstreamDuration time.Duration
	outcome          string

	// recorded tells that index is the address of the exchange's last record.
	recorded bool
	index    uint64
	// fate is what becomes of the record of an exchange that went on without: one of
	// the two words of unrecordedHeader. No text for all others.
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

// release lets go of what the answer does not need any more, before the client takes his time
// to read it, and gives the room of the body back.
//
// The credentials must go too: timers and the pools of others find the exchange for minutes to
// come, and by it a dump of the memory would hold them. As long as it has the turn they are
// what is asked with.
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

// operationName returns a label that is bounded: one of the operations or unknown.
func (x *exchange) operationName() string {
	if x.operation == nil {
		return "unknown"
	}
	return x.operation.Name
}

// find notes findings and what is made of them. Their pointers may hold names of the client's or the
// upstream's making, and their texts values, so credentials are taken out before
// anything else sees them.
func (x *exchange) find(findings []validate.Finding, action func(validate.Finding) validate.Action) {
	if len(findings) == 0 {
		return
	}
	// The invoices of a lot often have the same said of them, and looking a long
	// Token up in a text costs microseconds.
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

// refuse ends the exchange with an answer of our own.
func (x *exchange) refuse(f *binding.Refusal) bool {
	x.fault = f
	return false
}

// detached returns the exchange's context without the client: what must be done is
// done whether or not the client still waits.
func (x *exchange) detached() context.Context { return context.WithoutCancel(x.r.Context()) }

// detachedFor is detached for so long. Go's runtime forgets a timer that was stopped only when
// its time has come: this one leads to nothing of the exchange.
func (x *exchange) detachedFor(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	return bothContexts{ctx, x.r.Context()}, cancel
}
