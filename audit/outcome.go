package audit

// Outcome is the result of an exchange, one word. Records of readings and purges of the trail have the
// words of access (AccessPurge, …) in its place, records of settlements the result of asking the
// service.
type Outcome string

// The outcomes of an exchange.
const (
	OutcomeApproved      Outcome = "approved"       // done, nothing observed: Resultado A, or a CAEA
	OutcomeObserved      Outcome = "observed"       // done, with Observaciones
	OutcomePartial       Outcome = "partial"        // Resultado P
	OutcomeRejected      Outcome = "rejected"       // Resultado R, or Errors, from upstream
	OutcomeAnswered      Outcome = "answered"       // a query answered with data
	OutcomeUpstreamError Outcome = "upstream_error" // an answer that is not the operation's
	OutcomeInadmissible  Outcome = "inadmissible"   // refused before it was read: 403, 404, 405, 413, 415…
	OutcomeMalformed     Outcome = "malformed"      // refused for its shape
	OutcomeRefused       Outcome = "refused"        // refused by a rule
	OutcomeUnrecorded    Outcome = "unrecorded"     // refused because the trail cannot be written
	OutcomeNotSent       Outcome = "not_sent"       // nothing reached the service
	OutcomeUnknown       Outcome = "unknown"        // it was sent, and its result is not known
	OutcomeRecovered     Outcome = "recovered"      // no usable answer; the service, queried, has it
	OutcomeNotIssued     Outcome = "not_issued"     // no usable answer; the service, queried, does not have it
	OutcomeReplayed      Outcome = "replayed"       // the answer of an identical request before
	OutcomeCached        Outcome = "cached"         // answered from the cache
	OutcomeConflict      Outcome = "conflict"       // refused: another request for the same is open
	OutcomeBusy          Outcome = "busy"           // refused: no turn, slot or memory was free in time
	OutcomeUnsettled     Outcome = "unsettled"      // refused: the outcome of a request before it is unknown
	OutcomeOutage        Outcome = "outage"         // refused: the service does not answer
)

// Outcomes are all outcomes of an exchange.
var Outcomes = []Outcome{
	OutcomeApproved, OutcomeObserved, OutcomePartial, OutcomeRejected, OutcomeAnswered, OutcomeUpstreamError,
	OutcomeInadmissible, OutcomeMalformed, OutcomeRefused, OutcomeUnrecorded, OutcomeNotSent, OutcomeUnknown,
	OutcomeRecovered, OutcomeNotIssued, OutcomeReplayed, OutcomeCached, OutcomeConflict, OutcomeBusy, OutcomeUnsettled,
	OutcomeOutage,
}

// Decision names how the gateway handled a request, in one word.
type Decision string

// The decisions about a request.
const (
	DecisionForward Decision = "forward" // it was forwarded
	DecisionRefuse  Decision = "refuse"  // it was refused
	DecisionReplay  Decision = "replay"  // it got the same answer as an identical request before
	DecisionCache   Decision = "cache"   // it was answered from the cache
	DecisionAsk     Decision = "ask"     // it was a query of the gateway itself
)

// Decisions are all decisions.
var Decisions = []Decision{DecisionForward, DecisionRefuse, DecisionReplay, DecisionCache, DecisionAsk}

// Failure is the class of a failure, by the party that has to act; empty for none. Metrics and logs have
// it, records do not: it follows from the rest.
type Failure string

// The classes of failures.
const (
	FailureClient      Failure = "client"      // the request breaks the contract
	FailureGateway     Failure = "gateway"     // the gateway cannot handle it now, or has no service behind it
	FailureNetwork     Failure = "network"     // no connection to the service, or it broke or timed out
	FailureService     Failure = "service"     // the service's infrastructure: Errors 500 to 502, pages in place of answers, TLS, DNS
	FailureCredentials Failure = "credentials" // the service does not accept Token and Sign (600, 601)
	FailureBusiness    Failure = "business"    // the service refuses, or the gateway by a rule of the service
)

// FailureClasses are all classes of failures.
var FailureClasses = []Failure{
	FailureClient, FailureGateway, FailureNetwork, FailureService, FailureCredentials, FailureBusiness,
}

// Cause is why a request got no answer that settles it, one word.
type Cause string

// The causes.
const (
	CauseUnreachable Cause = "unreachable" // the connection was refused, or there is no way to the address
	CauseDNS         Cause = "dns"         // the name of the service has no address
	CauseTLS         Cause = "tls"         // no secure connection: certificates, protocol
	CauseTimeout     Cause = "timeout"     // nothing came in time
	CauseCut         Cause = "cut"         // the connection ended before the answer did
	CauseCanceled    Cause = "canceled"    // whoever waited for it has given up
	CauseRejected    Cause = "rejected"    // the service rejected it, and may have carried it out before
)

// Causes are all causes.
var Causes = []Cause{CauseUnreachable, CauseDNS, CauseTLS, CauseTimeout, CauseCut, CauseCanceled, CauseRejected}
