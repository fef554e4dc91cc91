package wsaa

import (
	"fmt"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// hostname stands in the details of faults, where the service names the machine that answered.
const hostname = "fielato"

// declaration begins every answer.
const declaration = `<?xml version="1.0" encoding="UTF-8"?>`

// Answer returns the message with a ticket: the document is text in it.
func (v SOAP) Answer(ticket wsfev1.Secret) []byte {
	return v.envelope(`<loginCmsResponse xmlns="` + namespaceLogin + `"><loginCmsReturn>` + axisText(ticket.Reveal()) +
		`</loginCmsReturn></loginCmsResponse>`)
}

// Fault returns the message of a fault. The status of its answer is 500.
func (v SOAP) Fault(f *Fault) []byte {
	code, details := "ns1:"+f.Code, []string{detail("ns3", "hostname", hostname)}
	switch f.Code {
	case NoSOAPAction:
		return v.noSOAPAction(f)
	case UserException:
		code = "soapenv:" + f.Code
		details = []string{detail("ns1", "hostname", hostname)}
	default:
		details = append([]string{detail("ns2", "exceptionName", "gov.afip.desein.dvadac.sua.view.wsaa.LoginFault")}, details...)
	}
	return v.envelope(v.fault(code, f.Text, strings.Join(details, "")))
}

func (v SOAP) fault(code, text, details string) string {
	binding := ""
	if strings.HasPrefix(code, "ns1:") {
		binding = ` xmlns:ns1="` + namespaceAxis + `"`
	}
	if !v.twelve {
		return fmt.Sprintf(`<soapenv:Fault><faultcode%s>%s</faultcode><faultstring>%s</faultstring><detail>%s</detail></soapenv:Fault>`,
			binding, code, axisText(text), details)
	}
	if binding == "" { // its form in SOAP 1.2 was not seen; this is the one that the standard demands
		code = "soapenv:Receiver"
	}
	return fmt.Sprintf(`<soapenv:Fault><soapenv:Code%s><soapenv:Value>%s</soapenv:Value></soapenv:Code>`+
		`<soapenv:Reason><soapenv:Text xml:lang="en">%s</soapenv:Text></soapenv:Reason><soapenv:Detail>%s</soapenv:Detail></soapenv:Fault>`,
		binding, code, axisText(text), details)
}

// noSOAPAction returns the only fault that the framework indents. It exists in SOAP 1.1 alone.
func (v SOAP) noSOAPAction(f *Fault) []byte {
	return []byte(declaration + `
<soapenv:Envelope` + namespaces(namespace11) + `>
 <soapenv:Body>
  <soapenv:Fault>
   <faultcode xmlns:ns1="` + namespaceAxis + `">ns1:` + f.Code + `</faultcode>
   <faultstring>` + axisText(f.Text) + `</faultstring>
   <detail>
    ` + detail("ns2", "hostname", hostname) + `
   </detail>
  </soapenv:Fault>
 </soapenv:Body>
</soapenv:Envelope>`)
}

func (v SOAP) envelope(body string) []byte {
	return []byte(declaration + `<soapenv:Envelope` + namespaces(v.namespace()) + `><soapenv:Body>` + body + `</soapenv:Body></soapenv:Envelope>`)
}

func namespaces(envelope string) string {
	return ` xmlns:soapenv="` + envelope + `" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`
}

// detail returns an element of the framework's.
func detail(prefix, name, text string) string {
	return fmt.Sprintf(`<%[1]s:%[2]s xmlns:%[1]s="%[3]s">%[4]s</%[1]s:%[2]s>`, prefix, name, namespaceAxis, axisText(text))
}

// axisText returns a text as the framework writes it: markup and quotes as entities, everything
// beyond ASCII as a number.
func axisText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\r':
			b.WriteString("&#xD;")
		case r < ' ' && r != '\n' && r != '\t':
			b.WriteRune('?') // no XML can hold it
		case r > '~':
			fmt.Fprintf(&b, "&#x%X;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
