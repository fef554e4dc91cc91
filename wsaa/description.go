package wsaa

import (
	_ "embed"
	"strings"
)

// Path is where the service listens, in every environment.
const Path = "/ws/services/LoginCms"

// The names of the service's own hosts, for testing and production. Its description has them in a
// namespace.
const (
	testingHost    = "wsaahomo.afip.gov.ar"
	productionHost = "wsaa.afip.gov.ar"
)

// TestingURL and ProductionURL are the addresses of the authority's own login services.
const (
	TestingURL    = "https://" + testingHost + Path
	ProductionURL = "https://" + productionHost + Path
)

// description is the WSDL, with the marks {namespace} and {location}.
//
//go:embed logincms.wsdl
var description string

// Description returns the WSDL of the service, for clients that came by a host and are to send
// their requests to an address. It has the namespace of the authority's production service if the
// host is production's, and of its testing service otherwise. Stubs that were made from the
// authority's WSDL find the service by its namespace, and stop if it is another.
func Description(host, address string) []byte {
	name := testingHost
	if strings.EqualFold(host, productionHost) {
		name = productionHost
	}
	return []byte(strings.NewReplacer("{namespace}", "https://"+name+Path, "{location}", escaped(address)).Replace(description))
}

// Page is what a browser gets, as HTML.
const Page = "<h1>LoginCms</h1>\n<p>Hi there, this is an AXIS service!</p>\n"
