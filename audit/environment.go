package audit

// Environment is a kind of service, one word. Each numbers its own invoices, which mean nothing to the others.
type Environment string

// The environments.
const (
	EnvironmentProduction Environment = "production" // the authority's service, whose invoices are valid
	EnvironmentTesting    Environment = "testing"    // the authority's service for tests (homologación)
	EnvironmentBuiltIn    Environment = "builtin"    // the built-in service, which invents its answers
)

// Apart reports whether two services are known to be of different kinds. An empty Environment is of any.
func (e Environment) Apart(other Environment) bool { return e != "" && other != "" && e != other }
