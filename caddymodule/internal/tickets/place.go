package tickets

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/credential"
)

// Environments are the words for the authority's login services: testing and production.
var Environments = []string{"homo", "prod"}

// EnvironmentOf is the environment of a word.
var EnvironmentOf = map[string]credential.Environment{"homo": credential.Testing, "prod": credential.Production}

// Place is a login service.
type Place struct {
	URL         string
	Environment credential.Environment
}

// ParsePlace reads a word for one of the authority's, or the address of a login service. An address
// without a path gets that which all of them have.
func ParsePlace(text string) (Place, error) {
	switch text {
	case "homo":
		return Place{wsaa.TestingURL, credential.Testing}, nil
	case "prod":
		return Place{wsaa.ProductionURL, credential.Production}, nil
	}
	if !strings.Contains(text, "://") && !strings.Contains(text, "@") {
		return Place{}, fmt.Errorf("%q: use homo, prod or the address of a login service, such as http://localhost:8080%s", text, meant(text))
	}
	address, err := url.Parse(text)
	switch {
	case err != nil, address.Host == "", address.Scheme != "http" && address.Scheme != "https":
		return Place{}, fmt.Errorf("this is not the address of a login service: give one such as http://localhost:8080%s", wsaa.Path) // it may have a password
	case address.User != nil:
		return Place{}, errors.New("the address has a user name or a password: leave them out, the login is with the certificate")
	case address.RawQuery != "", address.ForceQuery, address.Fragment != "":
		return Place{}, errors.New("the address has more than a host and a path: give it without ? and what follows, which logs and pages would show")
	}
	if address.Path == "" || address.Path == "/" {
		address.Path = wsaa.Path
	}
	at := Place{address.String(), credential.EnvironmentOf(address.String())}
	if at.Environment != credential.Other && address.Scheme != "https" {
		return Place{}, fmt.Errorf("%s: the authority's login service is reached by https alone", at.URL)
	}
	return at, nil
}

// meant asks for the environment that a word may stand for.
func meant(word string) string {
	for _, environment := range Environments {
		if strings.HasPrefix(strings.ToLower(word), environment) {
			return "; did you mean " + environment + "?"
		}
	}
	return nearest.Question(word, Environments)
}
