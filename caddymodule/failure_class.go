package caddymodule

import (
	"slices"
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

// isInfrastructure reports whether a failure says that the service does not answer.
func isInfrastructure(class string) bool { return class == failureNetwork || class == failureService }
