package record

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/wsfev1"
)

// Record returns the record of the exchange in its present state.
func (f *Facts) Record(kind audit.Kind, now time.Time) *audit.Record {
	r := &audit.Record{
		Kind: kind, ID: f.ID, TraceID: f.Trace, Time: f.Started, Node: f.Log,
		ClientAddress: f.Client.Address, ClientIdentity: f.Client.Identity,
		Cuit: f.Decision.Subject.Cuit, PtoVta: f.Decision.Subject.PtoVta, CbteTipo: f.Decision.Subject.CbteTipo,
		Vouchers: f.vouchers(), Resultado: f.Clean(f.Result.Verdict.Resultado),
		Decision: f.decision(kind), Outcome: f.Result.Outcome, Certainty: f.Result.Certainty, Upstream: f.Sent.Upstream, Environment: f.Environment(),
		RequestLength: int64(len(f.Decision.Body)),
	}
	if f.Sender != nil {
		r.ClientTable, r.ClientRow = f.Sender.Record, f.Sender.Name()
	}
	if f.Ticket != nil && kind != audit.KindOutcome { // the intent has it
		r.Certificate = f.Ticket.Ticket.Certificate
	}
	if f.Decision.Operation != nil {
		r.Operation = f.Decision.Operation.Name
	}
	r.Fingerprint, r.IdempotencyKey = f.Marks.Fingerprint, f.Marks.IdempotencyKey
	if kind != audit.KindExchange {
		r.SentFingerprint = f.Marks.Sent
	}
	if f.Decision.Body != nil {
		r.RequestDigest = f.Mask.Digest(f.Decision.Digest)
	}
	if kind == audit.KindOutcome {
		r.Intent = f.Place.Intent // which holds the request's body
	} else if f.Decision.Body != nil {
		r.Request, _ = f.redactRequest()
	}
	for i := range f.Findings {
		found := &f.Findings[i]
		r.Findings = append(r.Findings, f.Mask.Finding(audit.Finding{
			Code: found.Code, Severity: string(found.Severity), Pointer: found.Pointer, Action: string(found.Action), Text: found.Text,
			Expected: found.Expected, Got: found.Got, Difference: found.Difference, Tolerance: found.Tolerance,
		}))
	}
	if kind == audit.KindIntent {
		r.Client, r.Service = f.clientLeg(r), f.filledLeg()
		// If no outcome follows, nothing is certain.
		r.Certainty = audit.Unknown
		return r
	}
	r.Duration = now.Sub(f.Started)
	r.Origin, r.Cause = f.Result.Origin, f.Sent.Cause
	f.recordAnswer(r)
	r.Client = f.clientLeg(r)
	r.Service = f.serviceLeg(r.Client)
	return r
}

// Environment returns the environment of the service that the request was sent to, or of the one that it would have
// been sent to; empty if it is not known.
func (f *Facts) Environment() audit.Environment {
	switch of := environment.OfUpstream(f.Sent.Upstream); of {
	case "":
		return f.Service
	case environment.Another:
		return ""
	default:
		return of
	}
}

func (f *Facts) decision(kind audit.Kind) audit.Decision {
	switch {
	case f.Own:
		return audit.DecisionAsk
	case f.Result.Cached != "":
		return audit.DecisionCache
	case f.Result.Repeated:
		return audit.DecisionReplay
	case f.Sent.Forwarded, kind == audit.KindIntent:
		return audit.DecisionForward
	}
	return audit.DecisionRefuse
}

func (f *Facts) recordAnswer(r *audit.Record) {
	r.Status = f.Result.Reply.Status
	r.AnswerLength = int64(len(f.Result.Reply.Body))
	r.AnswerDigest = f.Mask.Digest(sha256.Sum256(f.Result.Reply.Body))
	r.Answer, _ = f.Redact(f.Result.Reply.Body, f.Result.WellFormed)
	r.Detail = f.Detail()
}

// Detail returns the text of the inner error, empty if there is none. The error of a transport
// can quote the upstream, so credentials are removed.
func (f *Facts) Detail() string {
	switch {
	case f.Result.LostAnswer != "":
		return f.Result.Lost + ": " + f.Result.LostAnswer
	case f.Result.Lost != "":
		return f.Result.Lost
	case f.Result.Cached != "":
		return f.Result.Cached
	case f.Result.Origin != "":
		return "answered as record " + f.Result.Origin
	case f.Result.Refusal == nil && f.Sent.Anew != 0:
		return "sent anew, because the service might read the client's message differently: " + f.Sent.Anew.String()
	case f.Result.Refusal == nil && f.Unrepresented != nil:
		return f.Mask.Text(f.Clean(f.Unrepresented.Error()))
	case f.Result.Refusal == nil || f.Result.Refusal.Detail == nil:
		return ""
	}
	return f.Mask.Text(f.Clean(plainText(f.Result.Refusal.Detail)))
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

// redactRequest is Redact for the request's body.
func (f *Facts) redactRequest() ([]byte, bool) {
	if f.Decision.WellFormed {
		return f.Redact(f.Decision.Body, true)
	}
	return f.Mask.Malformed(f.Decision.Body, f.Credentials...)
}

// Redact replaces the credentials of a body, and other fields that must not be recorded. A
// well-formed body has them only where they belong.
func (f *Facts) Redact(body []byte, wellFormed bool) ([]byte, bool) {
	return f.Mask.Body(body, wellFormed, f.Credentials...)
}

// cleanCode is Clean for a text that is nearly always the fourteen digits of a CAE.
func (f *Facts) cleanCode(code string) string {
	if strings.Trim(code, "0123456789") == "" {
		return code
	}
	return f.Clean(code)
}

// Clean removes the credentials from a text of other programs.
func (f *Facts) Clean(text string) string {
	return f.Redactor.Text(text, f.Credentials...)
}

// vouchers returns the invoices of the request, in its order, each with its verdict. Verdicts
// in another order or about other numbers are only in the answer's body.
func (f *Facts) vouchers() []audit.Voucher {
	if len(f.Decision.Subject.Invoices) == 0 {
		return f.advanceCode()
	}
	vouchers := make([]audit.Voucher, len(f.Decision.Subject.Invoices))
	var reported *wsfev1.Lot
	if f.Decision.Subject.CAEA != "" {
		reported = wsfev1.LotOf(f.Decision.Request.Body) // which may have invoices of two fortnights
	}
	for i, asked := range f.Decision.Subject.Invoices {
		v := audit.Voucher{CbteDesde: asked.CbteDesde, CbteHasta: asked.CbteHasta}
		if i < len(f.Result.Verdict.Invoices) && f.Result.Verdict.Invoices[i].CbteDesde == asked.CbteDesde {
			said := &f.Result.Verdict.Invoices[i]
			v.Code, v.Resultado = f.cleanCode(said.Code), f.Clean(said.Resultado)
			if said.Expires.Valid() {
				v.Expires = string(said.Expires)
			}
		} else if one := reported.CAEAInvoice(i); one != nil {
			v.Code = f.cleanCode(one.CAEA)
		}
		vouchers[i] = v
	}
	return vouchers
}

// advanceCode returns the CAEA of an exchange that is about no invoice.
func (f *Facts) advanceCode() []audit.Voucher {
	code := f.Decision.Subject.CAEA
	if len(f.Result.Verdict.Invoices) > 0 {
		code = f.Result.Verdict.Invoices[0].Code
	}
	if code == "" {
		return nil
	}
	return []audit.Voucher{{Code: f.cleanCode(code)}}
}

// IsForAll reports whether an answer contains none of the credentials, so that other clients may get it.
func (f *Facts) IsForAll(answer []byte) bool {
	redacted, ok := f.Redactor.Body(answer, f.Credentials...)
	return ok && bytes.Equal(redacted, answer)
}
