package binding

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// SOAPPath is where the service takes SOAP, and where its WSDL and its page are.
const SOAPPath = "/wsfev1/service.asmx"

// IsSOAP reports whether a path is the path of the SOAP service, in letters of any case: the
// service's own server does not distinguish them.
func IsSOAP(u *url.URL) bool {
	_, ok := soapBase(u)
	return ok
}

// MeansSOAP reports whether a client of SOAP has meant a path: the path of the service, or one that
// names the service and is refused. It is answered in SOAP.
func MeansSOAP(u *url.URL) bool {
	if indexFold(u.Path, soapName) < 0 {
		return false
	}
	_, isJSON := RouteOf(u)
	return !isJSON
}

// soapName ends SOAPPath.
const soapName = "/service.asmx"

// soapBase returns what stands before SOAPPath in a path. It reports false for a path that another
// program could read differently, as RouteOf does.
func soapBase(u *url.URL) (string, bool) {
	if u.EscapedPath() != u.Path || len(u.Path) < len(SOAPPath) {
		return "", false
	}
	at := len(u.Path) - len(SOAPPath)
	if !strings.EqualFold(u.Path[at:], SOAPPath) || !isPlain(u.Path) {
		return "", false
	}
	base := u.Path[:at]
	return base, !NamesOperation(base, nil)
}

// soapQuery is what stands in the query of an address of the SOAP service.
type soapQuery uint8

const (
	soapNoQuery soapQuery = iota
	soapWSDL              // ?WSDL
	soapPage              // ?op=<Operation>, the page of an operation
	soapOther
)

// soapQueryOf reads a query. Clients post to the address of the WSDL and to the address of a
// page, so these two are no reason for a refusal. Any other is: credentials may be in it.
func soapQueryOf(u *url.URL) soapQuery {
	name, operation, assigned := strings.Cut(u.RawQuery, "=")
	switch {
	case u.RawQuery == "":
		return soapNoQuery
	case strings.EqualFold(name, "wsdl") && operation == "":
		return soapWSDL
	case strings.EqualFold(name, "op") && assigned && wsfev1.OperationByName(operation) != nil:
		return soapPage
	}
	return soapOther
}

// asJSON returns the request as the same in JSON: at the path of the operation, with no query. It
// shares the context with the client's.
func asJSON(r *http.Request, op *wsfev1.Operation) *http.Request {
	base, _ := soapBase(r.URL)
	path := route{base: base, Operation: op.Name}.Path()
	twin := r.WithContext(r.Context())
	twin.URL, twin.RequestURI = &url.URL{Path: path}, path
	twin.Header = r.Header.Clone()
	twin.Header.Del("SOAPAction")
	twin.Header["Accept"], twin.Header["Content-Type"] = []string{"application/json"}, []string{"application/json"}
	return twin
}
