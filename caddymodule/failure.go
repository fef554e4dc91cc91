package caddymodule

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// The classes of failures: whose matter it is. What is no failure has no class.
const (
	// failureClient: the request is not the contract's.
	failureClient = "client"
	// failureGateway: the gateway cannot take it now, or nothing stands behind it.
	failureGateway = "gateway"
	// failureNetwork: no connection to the service, or it ended or timed out.
	failureNetwork = "network"
	// failureService: the service's infrastructure: Errors 500 to 502, pages in place of
	// answers, TLS, DNS.
	failureService = "service"
	// failureCredentials: Token and Sign are not taken (600, 601).
	failureCredentials = "credentials"
	// failureBusiness: the service, or a rule that it has too, says no.
	failureBusiness = "business"
)

var failureClasses = []string{
	failureClient, failureGateway, failureNetwork, failureService, failureCredentials, failureBusiness,
}

var failures = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "wsfev1_failures_total",
	Help: "Exchanges that failed, the gateway's own questions included, by whose matter it is.",
}, []string{"class"})

func init() {
	for _, class := range failureClasses {
		failures.WithLabelValues(class)
	}
	collectors = append(collectors, failures)
}

// failure returns the class of an exchange that has its answer, no text if it has not
// failed. What went wrong on the way to the service counts also where the answer was
// recovered.
func (x *exchange) failure() string {
	switch {
	case x.lossClass != "":
		return x.lossClass
	case x.fault != nil && x.outcome == outcomeUpstreamError:
		return failureGateway // a mistake of our own
	}
	switch x.outcome {
	case outcomeInadmissible, outcomeMalformed, outcomeConflict:
		return failureClient
	case outcomeUnrecorded, outcomeBusy:
		return failureGateway
	case outcomeUnsettled, outcomeOutage:
		return failureService
	case outcomeRejected, outcomeRefused, outcomePartial:
		return failureOfCodes(x.verdict.Codes)
	}
	return ""
}

// failureOfCodes is about an answer with Errors or Observaciones.
func failureOfCodes(codes []int32) string {
	switch {
	case slices.ContainsFunc(codes, isServiceFailure):
		return failureService
	case slices.ContainsFunc(codes, func(code int32) bool { return code == 600 || code == 601 }):
		return failureCredentials
	}
	return failureBusiness
}

// answerLoss classes an answer of the upstream that is of no use, no text for any other.
func (x *exchange) answerLoss() string {
	if x.outcome == outcomeUpstreamError || slices.ContainsFunc(x.verdict.Codes, isServiceFailure) {
		return failureService
	}
	return ""
}

// loss classes a departure from which no answer came.
func (d departure) loss() string {
	var refused caddyhttp.HandlerError
	switch {
	case d.panicked != nil && !aborted(d.panicked), d.err == nil && d.panicked == nil && d.certainty() == audit.NotSent:
		return failureGateway
	case d.unnamed && !d.wrote, isCertificate(d.err):
		// reverse_proxy hides the error of a dialer, but not that of a handshake.
		return failureService
	case d.upstream || d.sought || d.wrote || d.answered || d.err == nil:
		return failureNetwork
	case errors.As(d.err, &refused) && refused.StatusCode == http.StatusServiceUnavailable:
		return failureService // reverse_proxy knows of no upstream that is up
	}
	return failureGateway // a handler in between has refused it
}

// isCertificate reports whether an error of a transport is about TLS.
func isCertificate(err error) bool {
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	return errors.As(err, &record) || errors.As(err, &certificate) ||
		errors.As(err, &alert) || errors.As(err, &host) || errors.As(err, &authority)
}

// isInfrastructure reports whether a failure says that the service does not answer.
func isInfrastructure(class string) bool { return class == failureNetwork || class == failureService }

// isEvidence reports whether an exchange says something about what issuing needs: FEDummy
// answers also where nothing else does, and the tables come from elsewhere.
func (x *exchange) isEvidence() bool {
	return x.forwarded && x.operation.Family != wsfev1.FamilyHealth && x.operation.Family != wsfev1.FamilyTable
}
