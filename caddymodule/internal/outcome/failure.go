package outcome

import (
	"slices"

	"github.com/fielato/fielato/audit"
)

// FailureOfCodes returns the class of an answer with these codes in Errors or Observaciones.
func FailureOfCodes(codes []int32) audit.Failure {
	switch {
	case slices.ContainsFunc(codes, IsServiceFailure):
		return audit.FailureService
	case slices.ContainsFunc(codes, isAboutTicket):
		return audit.FailureCredentials
	}
	return audit.FailureBusiness
}

// IsInfrastructure reports whether a failure of the class means that the service does not
// answer.
func IsInfrastructure(class audit.Failure) bool {
	return class == audit.FailureNetwork || class == audit.FailureService
}
