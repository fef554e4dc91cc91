package soap

// Namespace is the namespace of the service's own elements.
const Namespace = "http://ar.gov.afip.dif.FEV1/"

// ActionPrefix is what stands before the operation's name in an action.
const ActionPrefix = Namespace

// The namespaces of the envelopes, of xsi:nil in the three versions that .NET reads, and of the
// references of SOAP 1.2.
const (
	namespace11       = "http://schemas.xmlsoap.org/soap/envelope/"
	namespace12       = "http://www.w3.org/2003/05/soap-envelope"
	namespaceXSI      = "http://www.w3.org/2001/XMLSchema-instance"
	namespaceXSI2000  = "http://www.w3.org/2000/10/XMLSchema-instance"
	namespaceXSI1999  = "http://www.w3.org/1999/XMLSchema-instance"
	namespaceEncoding = "http://www.w3.org/2003/05/soap-encoding"
)

// The positions of the namespaces that the scanner tells apart.
const (
	inService = iota
	inSOAP11
	inSOAP12
	inXSI
	inXSI2000
	inXSI1999
	inEncoding
)

var namespaces = []string{Namespace, namespace11, namespace12, namespaceXSI, namespaceXSI2000, namespaceXSI1999, namespaceEncoding}

// Version is the version of SOAP. The namespace of the envelope decides it, and an answer has
// the version of its request.
type Version uint8

// The versions.
const (
	V11 Version = iota // SOAP 1.1
	V12                // SOAP 1.2
)

// String returns "1.1" or "1.2".
func (v Version) String() string {
	if v == V12 {
		return "1.2"
	}
	return "1.1"
}

// Namespace returns the namespace of the envelope.
func (v Version) Namespace() string {
	if v == V12 {
		return namespace12
	}
	return namespace11
}

// MediaType returns the media type of a message.
func (v Version) MediaType() string {
	if v == V12 {
		return "application/soap+xml; charset=utf-8"
	}
	return "text/xml; charset=utf-8"
}
