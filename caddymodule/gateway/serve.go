package gateway

import (
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// step is a part of an exchange. take reports whether to go on. name is the name of its span.
type step struct {
	name string
	take func(*exchange) bool
}

var (
	clientSteps = []step{
		{"admit", (*exchange).admit},
		{"understand", (*exchange).understand},
		{"judge", (*exchange).judge},
		{"decide", (*exchange).decide},
		{"cache", (*exchange).fromCache},
		{"turn", (*exchange).takeTurn},
		{"breaker", (*exchange).passBreaker},
		{"slot", (*exchange).consult}, // its parts have spans of their own
	}
	// querySteps are the steps of the gateway's own queries.
	querySteps = []step{{"understand", (*exchange).understand}, {"ticket", (*exchange).takeTicket}, {"forward", (*exchange).forward}}
)

// ServeHTTP leads one exchange through its steps. It answers every request itself and returns
// an error only for a misconfiguration or a bug.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if g.serveOpenAPI(w, r) || g.policy.soap && binding.ServeSOAPDocument(w, r, g.PublicURL, g.contract) {
		return nil
	}
	t, leave, err := g.trailHandle.Enter(r.Context())
	if err != nil {
		return g.turnAway(w, r, err)
	}
	defer leave()
	if binding.HasPassed(r.Context(), t) {
		return caddyhttp.Error(http.StatusInternalServerError, errPassed)
	}
	x := newExchange(g, t, w, r, next)
	defer x.memory.release()
	under := &flight{path: r.URL.Path, since: x.begun}
	g.flights.enter(under)
	defer g.flights.leave(under)
	x.run(clientSteps)
	if x.fallback == nil {
		return x.send()
	}
	x.fallback.run(nil)
	x.release()
	return x.fallback.send()
}

// run takes the steps until one has an answer, and then closes the exchange. A part that panics
// leaves an exchange that the next part can close.
func (x *exchange) run(steps []step) {
	x.beginSpans()
	defer x.endSpans()
	defer x.releaseAll()
	x.attempt(func() {
		for _, s := range steps {
			x.enter(s.name)
			if !s.take(x) {
				return
			}
		}
	})
	x.attempt(func() {
		x.reportLoss()
		x.recover()
	})
	x.attempt(x.writeRecord)
	x.leaveStep()
	x.attempt(func() {
		x.accept() // before the waiters for the same answer check their credentials
		x.report()
		x.endProbe()
		x.leaveTurn()
		x.resumeOpen()
	})
	x.attempt(x.observe)
}

// releaseAll releases what a part that panicked still holds: no other exchange may wait for it.
func (x *exchange) releaseAll() {
	x.endProbe()
	x.abandonTurn()
}

// errPassed: a request passes two gateways with the same trail. The second would wait until
// the first has its answer.
var errPassed = errors.New("the request has passed another wsfev1 with the same trail already: remove one of the two")

// turnAway refuses a request while no trail is open.
func (g *Gateway) turnAway(w http.ResponseWriter, r *http.Request, err error) error {
	exchanges.WithLabelValues("unknown", string(audit.OutcomeUnrecorded)).Inc()
	failures.WithLabelValues(string(audit.FailureGateway)).Inc()
	g.alarm.Error("audit trail is not open", zap.Error(err))
	refusal := binding.Unrecorded(err)
	reply, err := refusal.Reply()
	if g.isCall(r) {
		call := binding.NewSOAPCall(r)
		call.Refuse(refusal)
		reply, err = call.Reply, nil
	}
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	w.Header().Set(outcomeHeader, string(audit.OutcomeUnrecorded))
	_ = reply.Write(w) // a client that has left gets nothing
	return nil
}

// understand is step 2: the typed request, and its issuer.
func (x *exchange) understand() bool {
	request, findings := x.decode()
	x.in.request, x.in.subject = request, wsfev1.SubjectOf(request.Body)
	findings = x.chooseTicket(findings)
	if auth := wsfev1.AuthOf(request.Body); auth.Token != "" || auth.Sign != "" {
		x.in.credentials = []string{auth.Token.Reveal(), auth.Sign.Reveal()}
	}
	x.mask.Collect(x.in.body, len(findings) == 0)
	if len(findings) > 0 {
		x.find(findings, func(validate.Finding) validate.Action { return validate.ActionRefuse })
	}
	x.find(request.Ignored, func(validate.Finding) validate.Action { return validate.ActionObserve })
	if len(findings) > 0 {
		return x.refuseMalformed(findings)
	}
	x.in.wellFormed = true
	if x.in.operation.Family != wsfev1.FamilyHealth && !x.gateway.allowsCuit(x.in.subject.Cuit) {
		return x.refuse(binding.ForeignCuit(x.in.subject.Cuit))
	}
	if x.in.request.Unread > 0 {
		return true // it is refused
	}
	return x.fill()
}

// judge is step 3: the credentials, if they can be read, and then the rules.
func (x *exchange) judge() bool {
	if finding, refused := x.refusedTicket(); refused {
		x.find([]validate.Finding{finding}, x.gateway.action)
		if x.gateway.action(finding) == validate.ActionRefuse {
			return x.compose(validate.Unauthenticated(x.in.request, finding))
		}
	}
	x.gateway.announceChanges(x.judged)
	sent, _ := x.sentRequest()
	x.find(x.gateway.rules.Judge(sent, x.judged), x.gateway.action)
	return true
}

// refusedTicket returns the finding about credentials that are refused, false if they are not.
func (x *exchange) refusedTicket() (validate.Finding, bool) {
	if x.in.operation.Family == wsfev1.FamilyHealth {
		return validate.Finding{}, false
	}
	auth := wsfev1.AuthOf(x.in.request.Body)
	finding, refused := validate.IssuerFinding(auth.Cuit)
	if !refused && x.gateway.policy.checkTickets && !x.in.kept {
		text := x.gateway.tickets.Refusal(auth, x.judged)
		return validate.TicketFinding(text), text != ""
	}
	return finding, refused
}

// decide is step 4: a request that the rules refuse is answered as the service would.
func (x *exchange) decide() bool {
	var refusing []validate.Finding
	for _, f := range x.findings {
		if f.Action == validate.ActionRefuse {
			refusing = append(refusing, f)
		}
	}
	if len(refusing) == 0 && x.in.request.Unread > 0 {
		return x.refuse(binding.InternalUnsent(errUnread))
	}
	if len(refusing) == 0 {
		x.settleBody()
		return true
	}
	if x.mayHavePassed(refusing) {
		x.seq.lacking = refusing // checkSequence refuses it, unless it is a repeat
		x.settleBody()
		return true
	}
	return x.compose(validate.Refusal(x.in.request, refusing, x.judged))
}

// compose ends the exchange with an answer in the operation's own shape, which refuses.
func (x *exchange) compose(answer any) bool {
	reply, err := binding.JSON(http.StatusOK, answer)
	if err != nil {
		return x.refuse(binding.Internal(err))
	}
	x.reply, x.answer.verdict, x.outcome = reply, wsfev1.VerdictOf(answer), audit.OutcomeRefused
	x.answer.wellFormed = true
	return false
}

// composeReply turns a refusal into the reply that the client gets, and the reply into its form.
func (x *exchange) composeReply() {
	defer x.answerCall()
	if x.refusal == nil {
		return
	}
	reply, err := x.refusal.Reply()
	if err != nil {
		x.gateway.logger.Error("composing an answer", x.named(), zap.Error(err))
	}
	x.reply, x.outcome = reply, x.refusal.Outcome
	x.answer.wellFormed = false
}

// send is step 8: it sends the reply.
func (x *exchange) send() error {
	x.headerMask().header(x.w.Header(), nil) // the headers that the handlers in front have set
	record := ""
	if x.rec.durable {
		record = x.address()
		x.w.Header().Set(recordHeader, record)
	}
	x.w.Header().Set(outcomeHeader, string(x.outcome))
	if x.rec.state != "" {
		x.w.Header().Set(unrecordedHeader, x.rec.state+"; exchange="+x.id)
	}
	x.addQRs()
	x.addFilled()
	x.release()
	if err := x.clientReply(record).Write(x.w); err != nil {
		if c := x.gateway.logger.Check(zap.DebugLevel, "the client has left"); c != nil {
			c.Write(x.named(), zap.Error(err))
		}
	}
	return nil
}
