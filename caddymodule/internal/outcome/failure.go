package outcome

import (
	"slices"
)

// Failure is the class of a failure, by the party that has to act; empty for none.
type Failure string

// The classes of failures. An exchange that has not failed has no class.
const (
	// FailureClient: the request breaks the contract.
	FailureClient Failure = "client"
	// FailureGateway: the gateway cannot handle it now, or has no service behind it.
	FailureGateway Failure = "gateway"
	// FailureNetwork: no connection to the service, or it broke or timed out.
	FailureNetwork Failure = "network"
	// FailureService: the service's infrastructure: Errors 500 to 502, pages in place of
	// answers, TLS, DNS.
	FailureService Failure = "service"
	// failureCredentials: the service does not accept Token and Sign (600, 601).
	failureCredentials Failure = "credentials"
	// failureBusiness: the service refuses, or the gateway by a rule of the service.
	failureBusiness Failure = "business"
)

// FailureClasses are all classes of failures.
var FailureClasses = []Failure{
	FailureClient, FailureGateway, FailureNetwork, FailureService, failureCredentials, failureBusiness,
}

// FailureOfCodes returns the class of an answer with these codes in Errors or Observaciones.
func FailureOfCodes(codes []int32) Failure {
	switch {
	case slices.ContainsFunc(codes, IsServiceFailure):
		return FailureService
	case slices.ContainsFunc(codes, isAboutTicket):
		return failureCredentials
	}
	return failureBusiness
}

// IsInfrastructure reports whether a failure of the class means that the service does not
// answer.
func IsInfrastructure(class Failure) bool { return class == FailureNetwork || class == FailureService }
