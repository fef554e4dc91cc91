package outcome

import (
	"slices"
)

// The classes of failures: whose matter it is. What is no failure has no class.
const (
	// failureClient: the request is not the contract's.
	FailureClient = "client"
	// failureGateway: the gateway cannot take it now, or nothing stands behind it.
	FailureGateway = "gateway"
	// failureNetwork: no connection to the service, or it ended or timed out.
	FailureNetwork = "network"
	// failureService: the service's infrastructure: Errors 500 to 502, pages in place of
	// answers, TLS, DNS.
	FailureService = "service"
	// failureCredentials: Token and Sign are not taken (600, 601).
	failureCredentials = "credentials"
	// failureBusiness: the service, or a rule that it has too, says no.
	failureBusiness = "business"
)

var FailureClasses = []string{
	FailureClient, FailureGateway, FailureNetwork, FailureService, failureCredentials, failureBusiness,
}

// FailureOfCodes is about an answer with Errors or Observaciones.
func FailureOfCodes(codes []int32) string {
	switch {
	case slices.ContainsFunc(codes, IsServiceFailure):
		return FailureService
	case slices.ContainsFunc(codes, func(code int32) bool { return code == 600 || code == 601 }):
		return failureCredentials
	}
	return failureBusiness
}

// IsInfrastructure reports whether a failure says that the service does not answer.
func IsInfrastructure(class string) bool { return class == FailureNetwork || class == FailureService }
