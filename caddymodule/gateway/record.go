package gateway

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
)

// record returns the record of the exchange in its present state.
func (x *exchange) record(kind audit.Kind) *audit.Record {
	r := &audit.Record{
		Kind: kind, ID: x.id, TraceID: x.trace, Time: x.begun, Node: x.trail.Log,
		ClientAddress: clientAddress(x.r), ClientIdentity: clientIdentity(x.r, x.repl),
		Cuit: x.in.Subject.Cuit, PtoVta: x.in.Subject.PtoVta, CbteTipo: x.in.Subject.CbteTipo,
		Vouchers: x.vouchers(), Resultado: x.clean(x.answer.verdict.Resultado),
		Outcome: x.outcome, Certainty: x.sent.Certainty, Upstream: x.sent.Upstream,
		RequestLength: int64(len(x.in.Body)),
	}
	if x.in.Operation != nil {
		r.Operation = x.in.Operation.Name
	}
	r.Decision = x.decision(kind)
	r.Fingerprint, r.IdempotencyKey = x.marks.fingerprint, x.marks.idempotencyKey
	if kind != audit.KindExchange {
		r.SentFingerprint = x.marks.sent
	}
	if x.in.Body != nil {
		r.RequestDigest = x.mask.Digest(x.in.Digest)
	}
	if kind == audit.KindOutcome {
		r.Intent = x.rec.intent // which holds the request's body
	} else if x.in.Body != nil {
		r.Request, _ = x.redactRequest()
	}
	for _, f := range x.findings {
		r.Findings = append(r.Findings, x.mask.Finding(audit.Finding{
			Code: f.Code, Severity: string(f.Severity), Pointer: f.Pointer, Action: string(f.Action), Text: f.Text,
			Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance,
		}))
	}
	if kind == audit.KindIntent {
		r.Client, r.Service = x.clientLeg(r), x.filledLeg()
		// If no outcome follows, nothing is certain.
		r.Certainty = audit.Unknown
		return r
	}
	r.Duration = x.gateway.now().Sub(x.begun)
	r.Origin, r.Cause = cmp.Or(x.answer.origin, x.seq.origin), x.sent.Cause
	x.recordAnswer(r)
	r.Client = x.clientLeg(r)
	r.Service = x.serviceLeg(r.Client)
	return r
}

func (x *exchange) decision(kind audit.Kind) audit.Decision {
	switch {
	case x.internal:
		return audit.DecisionAsk
	case x.answer.cached != "":
		return audit.DecisionCache
	case x.seq.repeated:
		return audit.DecisionReplay
	case x.sent.Forwarded, kind == audit.KindIntent:
		return audit.DecisionForward
	}
	return audit.DecisionRefuse
}

func (x *exchange) recordAnswer(r *audit.Record) {
	r.Status = x.reply.Status
	r.AnswerLength = int64(len(x.reply.Body))
	r.AnswerDigest = x.mask.Digest(sha256.Sum256(x.reply.Body))
	r.Answer, _ = x.redact(x.reply.Body, x.answer.wellFormed)
	r.Detail = x.detail()
}

// detail returns the text of the inner error, empty if there is none. The error of a transport
// can quote the upstream, so credentials are removed.
func (x *exchange) detail() string {
	switch {
	case x.rec.lostAnswer != "":
		return x.rec.lost + ": " + x.rec.lostAnswer
	case x.rec.lost != "":
		return x.rec.lost
	case x.answer.cached != "":
		return x.answer.cached
	case x.seq.origin != "":
		return "answered as record " + x.seq.origin
	case x.refusal == nil && x.sent.Anew != 0:
		return "sent anew, because the service might read the client's message differently: " + x.sent.Anew.String()
	case x.refusal == nil || x.refusal.Detail == nil:
		return ""
	}
	return x.mask.Text(x.clean(plainText(x.refusal.Detail)))
}

// plainText returns the text of an error without the prefix of Caddy's HandlerError: an
// identifier that is in no log, and a line of Caddy's source.
func plainText(err error) string {
	handler, ok := errors.AsType[caddyhttp.HandlerError](err)
	if !ok {
		return err.Error()
	}
	plain := "HTTP " + strconv.Itoa(handler.StatusCode)
	if handler.Err != nil && handler.Err.Error() != "" {
		plain += ": " + plainText(handler.Err)
	}
	return strings.Replace(err.Error(), handler.Error(), plain, 1)
}

// redactRequest is redact for the request's body.
func (x *exchange) redactRequest() ([]byte, bool) {
	if x.in.WellFormed {
		return x.redact(x.in.Body, true)
	}
	return x.mask.Malformed(x.in.Body, x.credentials...)
}

// redact replaces the credentials of a body, and other fields that must not be recorded. A
// well-formed body has them only where they belong.
func (x *exchange) redact(body []byte, wellFormed bool) ([]byte, bool) {
	return x.mask.Body(body, wellFormed, x.credentials...)
}

// cleanCode is clean for a text that is nearly always the fourteen digits of a CAE.
func (x *exchange) cleanCode(code string) string {
	if strings.Trim(code, "0123456789") == "" {
		return code
	}
	return x.clean(code)
}

// clean removes the credentials from a text of other programs.
func (x *exchange) clean(text string) string {
	return x.trail.Redactor.Text(text, x.credentials...)
}

// vouchers returns the invoices of the request, in its order, each with its verdict. Verdicts
// in another order or about other numbers are only in the answer's body.
func (x *exchange) vouchers() []audit.Voucher {
	if len(x.in.Subject.Invoices) == 0 {
		return x.advanceCode()
	}
	vouchers := make([]audit.Voucher, len(x.in.Subject.Invoices))
	for i, asked := range x.in.Subject.Invoices {
		v := audit.Voucher{CbteDesde: asked.CbteDesde, CbteHasta: asked.CbteHasta}
		if i < len(x.answer.verdict.Invoices) && x.answer.verdict.Invoices[i].CbteDesde == asked.CbteDesde {
			said := &x.answer.verdict.Invoices[i]
			v.Code, v.Resultado = x.cleanCode(said.Code), x.clean(said.Resultado)
			if said.Expires.Valid() {
				v.Expires = string(said.Expires)
			}
		} else if x.in.Subject.CAEA != "" {
			v.Code = x.cleanCode(x.in.Subject.CAEA)
		}
		vouchers[i] = v
	}
	return vouchers
}

// advanceCode returns the CAEA of an exchange that is about no invoice.
func (x *exchange) advanceCode() []audit.Voucher {
	code := x.in.Subject.CAEA
	if len(x.answer.verdict.Invoices) > 0 {
		code = x.answer.verdict.Invoices[0].Code
	}
	if code == "" {
		return nil
	}
	return []audit.Voucher{{Code: x.cleanCode(code)}}
}

// clientAddress returns the client's IP address, which trusted proxies may set.
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
