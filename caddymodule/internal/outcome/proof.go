package outcome

import (
	"net/http"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Kind is a kind of end of a request that changes something, by what it proves.
type Kind uint8

// The kinds, as Readings has them.
const (
	// Unread: none of the others.
	Unread Kind = iota
	// Unconnected: no connection to the service, so that it has read nothing of the request.
	Unconnected
	// Unfinished: the request broke off before its last byte.
	Unfinished
	// Fitting: an answer of the operation that fits the request and approves something.
	Fitting
	// Rejecting: one that fits the request and rejects every invoice.
	Rejecting
	// Disputable: one that says that the number of the request is taken (10016, 703), in Errors or for an invoice,
	// or that what it asks for was done before (15008, 1209), or that gives no reason.
	Disputable
	// Unauthenticated: Errors 600 or 601.
	Unauthenticated
	// Documented: Errors with codes that the manual has for the operation.
	Documented
	// Undocumented: Errors with another code, such as 602.
	Undocumented
	// Failing: Errors 500 to 502.
	Failing
	// MessageRefused: a fault about the message: Client or Sender, with or without a subcode,
	// VersionMismatch, MustUnderstand.
	MessageRefused
	// BareBadRequest: HTTP 400 without a body, from a service that speaks SOAP.
	BareBadRequest
	// ErrorBody: HTTP 4xx with the service's error body.
	ErrorBody
)

// Proof is what a kind of end proves about the request.
type Proof uint8

const (
	// ProvesNothing: it is unknown whether the request was carried out. The service is asked.
	ProvesNothing Proof = iota
	// ProvesWhatItSays: the answer is the result.
	ProvesWhatItSays
	// ProvesNotSent: the service cannot have the request.
	ProvesNotSent
)

// Reading is how one kind of end is read.
type Reading struct {
	Kind Kind
	// What names it, From who may have sent it, Why why it proves what it does, and Asking what a question
	// costs, or would cost: in Markdown, for the documentation.
	What, From, Why, Asking string
	Proof                   Proof
	// Refuses: it says that nothing was carried out. Where the service, asked, has nothing, that is true,
	// and the client gets this answer.
	Refuses bool
	// Checked: it proves what it says, unless the service has issued this very request. It is asked once.
	Checked bool
	// Ended: the service itself has ended the request with it, and is not at work on it. One round of
	// questions decides.
	Ended bool
}

// Readings is how each kind of end of a request that changes something is read. The request is valid: the
// gateway has judged it before it left. So a refusal of the message itself is suspicious, and proves
// nothing: whoever has sent it may have sent it after the service had carried out the request.
var Readings = []Reading{
	{
		Kind: Unconnected, What: "no connection: name, dial, TLS", From: "the gateway's own machine",
		Why: "not one byte of the request left, or with TLS 1.3 the service refused the gateway's certificate before it read one", Asking: "an invoice that waits for a service that is away", Proof: ProvesNotSent,
	},
	{
		Kind: Unfinished, What: "the request broke off before its last `}` or `>`", From: "the gateway",
		Why: "without its end it is no document, and the end is not sent any more", Asking: "the same", Proof: ProvesNotSent,
	},
	{
		Kind: Fitting, What: "an approval that fits the request", From: "the service",
		Why: "it has the numbers, the issuer and a code", Asking: "a question for each invoice", Proof: ProvesWhatItSays,
	},
	{
		Kind: Rejecting, What: "`Resultado` R that fits the request", From: "the service",
		Why: "it is the service's judgement of each invoice", Asking: "a question for each rejection", Proof: ProvesWhatItSays,
	},
	{
		Kind: Disputable, What: "10016 or 703, in `Errors` or for an invoice; 15008 or 1209; of FECAEARegInformativo in the error body too; `Resultado` R without any code", From: "the service",
		Why:    "the number is taken, or is not the next, or the CAEA was given or declared before; but this very request may have done so, sent twice on the way or carried out late; and the service gives its reason",
		Asking: "one question for each rejection", Proof: ProvesWhatItSays, Checked: true,
	},
	{
		Kind: Unauthenticated, What: "`Errors` 600, 601; of FECAEARegInformativo in the error body too", From: "the service",
		Why: "the ticket is looked at first", Asking: "never ends: the question has the same ticket", Proof: ProvesWhatItSays,
	},
	{
		Kind: Documented, What: "`Errors` with codes that the manual has for the operation: 10000, 10015, 15006…; of FECAEARegInformativo in the error body too", From: "the service",
		Why: "they are checks, and reject the whole request before anything is issued", Asking: "a question for each rejection", Proof: ProvesWhatItSays,
	},
	{
		Kind: Undocumented, What: "`Errors` with any other code, 602 too", From: "the service",
		Why: "nobody has written what it means for the request", Asking: "one question, again until half of `recover within` is over", Refuses: true,
	},
	{
		Kind: Failing, What: "`Errors` 500, 501, 502", From: "the service",
		Why: "the manual says to ask", Asking: "one question, again until half of `recover within` is over",
	},
	{
		Kind: MessageRefused, What: "a fault `Client` or `Sender`, whatever its subcode and text, `VersionMismatch`, `MustUnderstand`, with HTTP 500 or 400",
		From: "the service, or a proxy that speaks SOAP",
		Why:  "the message was valid, so the fault is about something else", Asking: "one question", Refuses: true, Ended: true,
	},
	{
		Kind: BareBadRequest, What: "HTTP 400 without a body, in SOAP", From: "the service's web server, or any proxy",
		Why: "the message was XML", Asking: "one question, again until half of `recover within` is over", Refuses: true,
	},
	{
		Kind: ErrorBody, What: "HTTP 4xx with any other error body, in JSON", From: "the service, or a gateway in front of it",
		Why: "the request had its shape", Asking: "one question, again until half of `recover within` is over", Refuses: true,
	},
	{
		Kind: Unread, What: "all else: any other status with or without a page (301, 401, 403, 404, 405, 413, 415, 429, 5xx), a fault `Server`, an answer that breaks off, is not of the operation or does not fit",
		From: "the service, a firewall, a proxy", Why: "it may have come in place of the service's answer",
		Asking: "one question, again until half of `recover within` is over",
	},
}

// ReadingOf returns how a kind is read.
func ReadingOf(kind Kind) Reading {
	i := slices.IndexFunc(Readings, func(r Reading) bool { return r.Kind == kind })
	if i < 0 {
		return Reading{Kind: kind}
	}
	return Readings[i]
}

// KindOf returns the kind of an answer in JSON to an operation that changes something. understood: it is
// of the operation, fits the request, and was wholly read. documented reports whether the manual has a code
// for the operation.
func KindOf(op *wsfev1.Operation, status int, understood bool, v wsfev1.Verdict, documented func(int32) bool) Kind {
	switch result := Of(op, status, understood, v); {
	case slices.ContainsFunc(v.Codes, IsServiceFailure):
		return Failing
	case status != http.StatusOK && !DeclaresErrorBody(op, status), result == audit.OutcomeUpstreamError:
		return Unread
	case result != audit.OutcomeRejected:
		return Fitting
	case !v.Failed && (len(v.Codes) == 0 || slices.ContainsFunc(v.Codes, saysDone)):
		return Disputable
	case !v.Failed:
		return Rejecting
	case slices.ContainsFunc(v.Codes, func(code int32) bool { return !documented(code) && !isAboutTicket(code) }):
		return Undocumented
	case slices.ContainsFunc(v.Codes, isAboutTicket):
		return Unauthenticated
	case slices.ContainsFunc(v.Codes, saysDone):
		return Disputable
	}
	return Documented
}

// saysDone reports whether a code may mean that the very same was done before: the number is not the next one
// (docs/sources.md#severities), or the fortnight has its CAEA, or the point of sale is declared without movement.
func saysDone(code int32) bool {
	return code == 10016 || code == 703 || code == 15008 || code == 1209
}

func isAboutTicket(code int32) bool { return code == 600 || code == 601 }
