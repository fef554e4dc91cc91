package credential

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Environment is one of the authority's two: each has certificates of its own.
type Environment uint8

// The environments. Other is a login service that is not the authority's, such as one for tests.
const (
	Other Environment = iota
	Testing
	Production
)

// String returns the name of the environment in English.
func (e Environment) String() string {
	switch e {
	case Testing:
		return "testing (homologación)"
	case Production:
		return "production"
	}
	return "another login service"
}

// issuers are the names of the authorities that issue the certificates of an environment.
var issuers = map[string]Environment{"Computadores Test": Testing, "Computadores": Production}

// EnvironmentOf returns the environment of a login service by its address.
func EnvironmentOf(address string) Environment {
	parsed, err := url.Parse(address)
	if err != nil {
		return Other
	}
	switch strings.ToLower(parsed.Hostname()) {
	case "wsaahomo.afip.gov.ar", "wsaahomo.afip.gob.ar":
		return Testing
	case "wsaa.afip.gov.ar", "wsaa.afip.gob.ar":
		return Production
	}
	return Other
}

// ServiceEnvironment returns the environment of the authority's invoicing service by its host, Other
// for any other service. It takes the tickets of that environment alone.
func ServiceEnvironment(host string) Environment {
	switch strings.ToLower(host) {
	case "wswhomo.afip.gov.ar", "wswhomo.afip.gob.ar":
		return Testing
	case "servicios1.afip.gov.ar", "servicios1.afip.gob.ar":
		return Production
	}
	return Other
}

// Environment returns the environment in which the certificate was issued, Other if its issuer is
// not known.
func (c *Credential) Environment() Environment { return issuers[c.certificate.Issuer.CommonName] }

// Check returns why the login service of an environment would refuse the credential at a moment:
// ErrNotYetValid, ErrExpired, ErrEnvironment or ErrNoCUIT. A login service that is not the
// authority's decides itself whom it trusts.
func (c *Credential) Check(environment Environment, now time.Time) error {
	from, until := c.certificate.NotBefore, c.certificate.NotAfter
	of := c.Environment()
	switch {
	case now.Before(from):
		return fmt.Errorf("%w; it is valid from %s, and it is %s now", ErrNotYetValid, from.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	case now.After(until):
		return fmt.Errorf("%w; it was valid until %s", ErrExpired, until.UTC().Format(time.RFC3339))
	case environment != Other && of != Other && of != environment:
		return fmt.Errorf("%w: it was issued for %s by %q, and the login service is that of %s: give the certificate of that environment, or the address of the other one",
			ErrEnvironment, of, c.certificate.Issuer.CommonName, environment)
	case c.CUIT() == 0:
		return fmt.Errorf("%w; its subject is %s", ErrNoCUIT, c.name)
	}
	return nil
}

// Doubt returns what may be wrong with the certificate, empty for nothing: the authority has not
// issued certificates for this environment under the name of its issuer so far. It may begin to.
func (c *Credential) Doubt(environment Environment) string {
	if environment == Other || c.Environment() != Other {
		return ""
	}
	return fmt.Sprintf("the certificate was issued by %q, which is not known as an authority of %s: the login service may refuse it",
		c.certificate.Issuer.CommonName, environment)
}
