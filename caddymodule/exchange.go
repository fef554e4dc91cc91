package caddymodule

import (
	"context"
	"crypto/sha256"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// exchange is one request and its outcome. It is born at the edge, filled on its
// way by one goroutine, and turned once into record, metrics and log fields.
type exchange struct {
	gateway *Gateway
	trail   *trail
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
	veil *audit.Veil

	// typed is the upstream's answer.
	typed any

	// fault is set by the step that refuses; reply by the one that has an answer.
	fault *fault
	reply reply

	// leaving gives back the room at the service that enterRoom has taken, nil for none.
	leaving func()
	// turn is the right to send, from takeTurn to leaveTurn; sent is what it is for, and
	// service who can be asked about it.
	turn    *once.Turn
	sent    *once.Request
	service *inquirer
	// pending is what goes on in the background when the exchange is over.
	pending *once.Pending
	// repeated tells that the answer was given before; origin is the record of that time.
	repeated bool
	origin   string
	// lost is how the answer was lost that was recovered.
	lost string
	// cached tells which record the answer was given with before, and how old it is; no
	// text if it is not from the cache.
	cached string
	// kept tells that step 7 was taken.
	kept bool
	// asking tells that this is a question of the gateway's own.
	asking                      bool
	fingerprint, idempotencyKey [16]byte

	forwarded bool
	// lossClass is the class of what went wrong between the gateway and the service, no text
	// for nothing: also where the answer was recovered since.
	lossClass string
	// departed is when it was forwarded; reported tells that the watch knows of it.
	departed         time.Time
	reported         bool
	intent           uint64
	intended         bool
	owedIntent       *owed // the intent if it was owed, nil if it never was
	uncovered        bool  // it went on without an intent that was durable
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
	fate string
}

func newExchange(g *Gateway, t *trail, w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) *exchange {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	id, _ := repl.GetString("http.request.uuid")
	begun := g.now()
	x := &exchange{
		gateway: g, trail: t, w: w, r: r, next: next, repl: repl,
		id: id, veil: t.redactor.Veil(g.Trail.fields), begun: begun, judged: g.clock.at(begun), certainty: audit.NotSent,
	}
	repl.Map(x.placeholder)
	return x
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
	clean := map[string]string{}
	for i := range findings {
		f := &findings[i]
		f.Pointer = x.trail.redactor.Pointer(f.Pointer, x.credentials...)
		for _, text := range []*string{&f.Text, &f.Got} {
			cleaned, done := clean[*text]
			if !done {
				cleaned = x.clean(*text)
				clean[*text] = cleaned
			}
			*text = cleaned
		}
		f.Action = action(*f)
	}
	x.findings = append(x.findings, findings...)
}

// refuse ends the exchange with an answer of our own.
func (x *exchange) refuse(f *fault) bool {
	x.fault = f
	return false
}

// What was decided about a request.
const (
	decisionForward = "forward"
	decisionRefuse  = "refuse"
	// decisionReplay: it was answered as the same request was before.
	decisionReplay = "replay"
	// decisionCache: it was answered as the same question was a while ago.
	decisionCache = "cache"
	// decisionAsk: the gateway asked of its own accord.
	decisionAsk = "ask"
)

// record returns what is kept of the exchange as it stands.
func (x *exchange) record(kind audit.Kind) *audit.Record {
	r := &audit.Record{
		Kind: kind, ID: x.id, Time: x.begun, Node: x.trail.log,
		ClientAddress: clientAddress(x.r), ClientIdentity: clientIdentity(x.r, x.repl),
		Cuit: x.subject.Cuit, PtoVta: x.subject.PtoVta, CbteTipo: x.subject.CbteTipo,
		Vouchers: x.vouchers(), Resultado: x.clean(x.verdict.Resultado),
		Outcome: x.outcome, Certainty: x.certainty, Upstream: x.upstream,
		RequestLength: int64(len(x.body)),
	}
	if x.operation != nil {
		r.Operation = x.operation.Name
	}
	r.Decision = x.decision(kind)
	r.Fingerprint, r.IdempotencyKey = x.fingerprint, x.idempotencyKey
	if x.body != nil {
		r.RequestDigest = x.veil.Digest(x.digest)
	}
	if kind == audit.KindOutcome {
		r.Intent = x.intent // which holds the request's body
	} else if x.body != nil {
		r.Request, _ = x.redact(x.body, x.wellFormed)
	}
	for _, f := range x.findings {
		r.Findings = append(r.Findings, x.veil.Finding(audit.Finding{
			Code: f.Code, Severity: string(f.Severity), Pointer: f.Pointer, Action: string(f.Action), Text: f.Text,
			Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance,
		}))
	}
	if kind == audit.KindIntent {
		// Should no outcome ever follow, this is what is certain: nothing.
		r.Certainty = audit.Unknown
		return r
	}
	r.Duration = x.gateway.now().Sub(x.begun)
	x.recordAnswer(r)
	return r
}

func (x *exchange) decision(kind audit.Kind) string {
	switch {
	case x.asking:
		return decisionAsk
	case x.cached != "":
		return decisionCache
	case x.repeated:
		return decisionReplay
	case x.forwarded, kind == audit.KindIntent:
		return decisionForward
	}
	return decisionRefuse
}

func (x *exchange) recordAnswer(r *audit.Record) {
	r.Status = x.reply.status
	r.AnswerLength = int64(len(x.reply.body))
	r.AnswerDigest = x.veil.Digest(sha256.Sum256(x.reply.body))
	r.Answer, _ = x.redact(x.reply.body, x.answerWellFormed)
	r.Detail = x.detail()
}

// detail returns the text of the inner error, no text if there is none. An error
// of a transport can quote what the upstream sent.
func (x *exchange) detail() string {
	switch {
	case x.lost != "":
		return x.lost
	case x.cached != "":
		return x.cached
	case x.origin != "":
		return "answered as record " + x.origin
	case x.fault == nil || x.fault.detail == nil:
		return ""
	}
	return x.veil.Text(x.clean(x.fault.detail.Error()))
}

// redact replaces the credentials of a body, and what else must not be kept. One that
// has its shape is known to hold them where they belong.
func (x *exchange) redact(body []byte, wellFormed bool) ([]byte, bool) {
	if x.veil != nil {
		return x.veil.Body(body, wellFormed, x.credentials...)
	}
	if wellFormed {
		return x.trail.redactor.Inspected(body, x.credentials...)
	}
	return x.trail.redactor.Body(body, x.credentials...)
}

// cleanCode is clean for what is nearly always the fourteen digits of a CAE.
func (x *exchange) cleanCode(code string) string {
	if strings.Trim(code, "0123456789") == "" {
		return code
	}
	return x.clean(code)
}

// clean takes the credentials out of a text that others made.
func (x *exchange) clean(text string) string {
	return x.trail.redactor.Text(text, x.credentials...)
}

// vouchers returns the invoices that were asked about, each with what the answer
// said of it, in the order of the request; an answer in another order or about
// other numbers is left to its body.
func (x *exchange) vouchers() []audit.Voucher {
	if len(x.subject.Invoices) == 0 {
		return x.advanceCode()
	}
	vouchers := make([]audit.Voucher, len(x.subject.Invoices))
	for i, asked := range x.subject.Invoices {
		v := audit.Voucher{CbteDesde: asked.CbteDesde, CbteHasta: asked.CbteHasta}
		if i < len(x.verdict.Invoices) && x.verdict.Invoices[i].CbteDesde == asked.CbteDesde {
			said := &x.verdict.Invoices[i]
			v.Code, v.Resultado = x.cleanCode(said.Code), x.clean(said.Resultado)
			if said.Expires.Valid() {
				v.Expires = string(said.Expires)
			}
		} else if x.subject.CAEA != "" {
			v.Code = x.cleanCode(x.subject.CAEA)
		}
		vouchers[i] = v
	}
	return vouchers
}

// advanceCode returns the CAEA of an exchange that is about no invoice.
func (x *exchange) advanceCode() []audit.Voucher {
	code := x.subject.CAEA
	if len(x.verdict.Invoices) > 0 {
		code = x.verdict.Invoices[0].Code
	}
	if code == "" {
		return nil
	}
	return []audit.Voucher{{Code: x.cleanCode(code)}}
}

// clientAddress returns the client's IP address, as far as trusted proxies tell.
func clientAddress(r *http.Request) string {
	if ip, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string); ok && ip != "" {
		return ip
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// clientIdentity returns who the client is, where an outer handler or the TLS
// handshake knows it.
func clientIdentity(r *http.Request, repl *caddy.Replacer) string {
	if user, ok := repl.GetString("http.auth.user.id"); ok && user != "" {
		return user
	}
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return ""
	}
	return r.TLS.PeerCertificates[0].Subject.String()
}

// detached returns the exchange's context without the client: what must be done is
// done whether or not the client still waits.
func (x *exchange) detached() context.Context { return context.WithoutCancel(x.r.Context()) }
