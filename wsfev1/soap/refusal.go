package soap

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The statuses of HTTP that the service answers with where it has no answer.
const (
	statusBroken  = 400 // the XML is broken: there is no body
	statusCharset = 415
	statusFault   = 500
)

// The beginnings of the service's own texts, which clients know.
const (
	netUnread  = "Server was unable to read request."
	netXML     = " ---> System.InvalidOperationException: There is an error in XML document"
	netFormat  = " ---> System.FormatException: Input string was not in a correct format."
	netRange   = " ---> System.OverflowException: Value was either too large or too small for "
	netAction  = "System.Web.Services.Protocols.SoapException: Server did not recognize the value of HTTP Header SOAPAction: "
	netVersion = "Possible SOAP version mismatch: Envelope namespace was unexpected. Expecting " + namespace11 + "."
	netHeader  = "System.Web.Services.Protocols.SoapHeaderException: SOAP header was not understood."
)

// Fault returns the fault for a body that is no message, and the HTTP status that it travels with.
// It reports false for broken XML, where the service answers with the status alone.
func (e *Error) Fault() (fault Fault, status int, ok bool) {
	fault.Code = Client
	if e == nil {
		return fault, statusBroken, false
	}
	switch e.Problem {
	case NotXML:
		return fault, statusBroken, false
	case OtherCharset:
		fault.Text = netUnread + " " + texts[CodeUTF8]
		return fault, statusCharset, true
	case UnknownAction:
		fault.Text = netAction + printable(e.name) + "."
	case UnknownElement:
		fault.Text = netAction + ". " + texts[CodeUnknown]
	case OtherVersion:
		fault.Code, fault.Text = VersionMismatch, netVersion
	case NotUnderstood:
		fault.Code, fault.Text = MustUnderstand, netHeader
	case Mismatch:
		fault.Text = netUnread + " SOAPAction nombra una operación y el elemento de soap:Body otra."
	case NoOperation:
		fault.Text = netUnread + " No hay SOAPAction ni un elemento de la operación en soap:Body."
	default:
		fault.Text = netUnread + " El mensaje no es un sobre SOAP."
	}
	return fault, statusFault, true
}

// maxTold bounds the findings that a fault tells.
const maxTold = 5

// Malformed returns the fault for a request with findings, and the HTTP status that it travels
// with. It reports false for broken XML, where the service answers with the status alone. The text
// begins as the service's own does.
func Malformed(findings []Finding) (fault Fault, status int, ok bool) {
	fault.Code = Client
	if len(findings) == 0 {
		return fault, statusBroken, false
	}
	for _, f := range findings {
		if f.broken {
			return fault, statusBroken, false
		}
	}
	var b strings.Builder
	b.WriteString(netUnread)
	first := findings[0]
	switch {
	case first.Code == CodeRange:
		b.WriteString(netXML + position(first) + netRange + first.limit + ".")
	case first.Code == CodeFraction, first.Code == CodeKind && first.scalar:
		b.WriteString(netXML + position(first) + netFormat)
	}
	for i, f := range findings {
		if i == maxTold {
			b.WriteString(" …")
			break
		}
		b.WriteString(" " + f.String())
	}
	fault.Text = b.String()
	return fault, statusFault, true
}

func position(f Finding) string {
	return " (" + strconv.Itoa(f.Line) + ", " + strconv.Itoa(f.Column) + ")."
}

// String returns the finding in one sentence or two, in Spanish.
func (f Finding) String() string {
	text := f.Code + " " + printable(f.Pointer) + ": " + f.Text
	if f.Expected != "" {
		text += " Se esperaba " + f.Expected + "."
	}
	if f.Got != "" {
		text += " Se recibió " + f.Got + "."
	}
	return text
}

// maxPrinted is the limit for repeating a client's own names, in bytes.
const maxPrinted = 200

func printable(text string) string {
	if len(text) <= maxPrinted {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	cut := maxPrinted
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.ToValidUTF8(text[:cut], "\uFFFD") + "…"
}
