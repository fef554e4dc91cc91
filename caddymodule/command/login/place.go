package login

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/credential"
)

// environments are the words for the authority's login services: testing and production.
var environments = []string{"homo", "prod"}

// environmentOf is the environment of a word.
var environmentOf = map[string]credential.Environment{"homo": credential.Testing, "prod": credential.Production}

// place is a login service.
type place struct {
	url         string
	environment credential.Environment
}

// parsePlace reads a word for one of the authority's, or the address of a login service. An address
// without a path gets that which all of them have.
func parsePlace(text string) (place, error) {
	switch text {
	case "homo":
		return place{wsaa.TestingURL, credential.Testing}, nil
	case "prod":
		return place{wsaa.ProductionURL, credential.Production}, nil
	}
	if !strings.Contains(text, "://") {
		return place{}, fmt.Errorf("%q: use homo, prod or the address of a login service, such as http://localhost:8080%s", text, nearest.Question(text, environments))
	}
	address, err := url.Parse(text)
	switch {
	case err != nil, address.Host == "", address.Scheme != "http" && address.Scheme != "https":
		return place{}, fmt.Errorf("this is not the address of a login service: give one such as http://localhost:8080%s", wsaa.Path) // it may have a password
	case address.User != nil:
		return place{}, errors.New("the address has a user name or a password: leave them out, the login is with the certificate")
	}
	if address.Path == "" || address.Path == "/" {
		address.Path = wsaa.Path
	}
	at := place{address.String(), credential.EnvironmentOf(address.String())}
	if at.environment != credential.Other && address.Scheme != "https" {
		return place{}, fmt.Errorf("%s: the authority's login service is reached by https alone", at.url)
	}
	return at, nil
}
