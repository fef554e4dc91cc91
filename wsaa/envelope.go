package wsaa

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// SOAP is a version of SOAP. The zero value is 1.1.
type SOAP struct{ twelve bool }

// SOAP11 and SOAP12 are the versions that the service speaks.
var (
	SOAP11 = SOAP{}
	SOAP12 = SOAP{twelve: true}
)

const (
	namespace11 = "http://schemas.xmlsoap.org/soap/envelope/"
	namespace12 = "http://www.w3.org/2003/05/soap-envelope"
	// namespaceLogin is the namespace of the operation, in every environment.
	namespaceLogin = "http://wsaa.view.sua.dvadac.desein.afip.gov"
	// namespaceAxis is the namespace of the codes and details of faults.
	namespaceAxis = "http://xml.apache.org/axis/"
)

// ContentType returns the media type of an answer.
func (v SOAP) ContentType() string {
	if v.twelve {
		return "application/soap+xml;charset=UTF-8"
	}
	return "text/xml;charset=utf-8"
}

func (v SOAP) namespace() string {
	if v.twelve {
		return namespace12
	}
	return namespace11
}

// Codes of the framework in which the service runs, Apache Axis. They have no reason of the
// authority's.
const (
	// NoSOAPAction: the header SOAPAction is missing, which SOAP 1.1 needs.
	NoSOAPAction = "Client.NoSOAPAction"
	// UserException: the message could not be read, or has no argument.
	UserException = "Server.userException"
)

// NoSOAPActionFault returns the fault of a request without the header SOAPAction.
func NoSOAPActionFault() *Fault {
	return &Fault{NoSOAPAction, "no SOAPAction header!", errors.New("the request has no header SOAPAction")}
}

// ReadEnvelope reads the message of a client: the text of the argument in0, and the version of SOAP. The
// version is the envelope's, whatever the media type says. It is also returned with a fault.
// Prefixes, the namespace of the operation and headers do not matter.
func ReadEnvelope(message []byte) (version SOAP, in0 string, fault *Fault) {
	t := newTreeReader(message)
	root, err := t.read()
	if t.root != nil && t.root.name.Space == namespace12 {
		version = SOAP12
	}
	if err != nil {
		line, column := t.decoder.InputPos()
		text := fmt.Sprintf("org.xml.sax.SAXParseException; lineNumber: %d; columnNumber: %d; %s", line, column, parserText(err))
		return version, "", &Fault{UserException, text, err}
	}
	switch root.name {
	case xml.Name{Space: namespace11, Local: "Envelope"}, xml.Name{Space: namespace12, Local: "Envelope"}:
	default:
		return version, "", &Fault{
			UserException, "org.xml.sax.SAXException: Bad envelope tag:  " + root.name.Local, errors.New("the message is no SOAP envelope"),
		}
	}
	if argument := findArgument(root); argument != nil {
		return version, argument.text.String(), nil
	}
	return version, "", &Fault{
		UserException, "javax.ejb.EJBException: java.lang.NullPointerException", errors.New("the operation has no argument in0"),
	}
}

// findArgument returns the element in0 of the operation, or else its first element: the framework
// takes arguments by their place too, and the authority's own example for Java names it otherwise.
// It returns nil if there is none.
func findArgument(envelope *node) *node {
	body := envelope.child("Body")
	if body == nil || len(body.children) == 0 {
		return nil
	}
	operation := body.children[0]
	if in0 := operation.child("in0"); in0 != nil || len(operation.children) == 0 {
		return in0
	}
	return operation.children[0]
}

// parserText returns an error of the decoder in the words of the parser that the service uses.
func parserText(err error) string {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, errNoDocument):
		return "Premature end of file."
	case errors.Is(err, errProlog):
		return "Content is not allowed in prolog."
	case errors.Is(err, errEpilog):
		return "Content is not allowed in trailing section."
	case errors.Is(err, errDoctype):
		return `DOCTYPE is disallowed when the feature "http://apache.org/xml/features/disallow-doctype-decl" set to true.`
	case errors.As(err, &syntax) && syntax.Msg == "unexpected EOF":
		return "XML document structures must start and end within the same entity."
	case errors.As(err, &syntax):
		var opened, closed string
		if n, _ := fmt.Sscanf(syntax.Msg, "element <%s closed by </%s", &opened, &closed); n == 2 {
			opened = strings.TrimSuffix(opened, ">")
			return fmt.Sprintf(`The element type "%s" must be terminated by the matching end-tag "</%[1]s>".`, opened)
		}
	}
	return "The content of elements must consist of well-formed character data or markup."
}
