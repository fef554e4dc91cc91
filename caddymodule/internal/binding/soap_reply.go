package binding

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Answer sets the reply to an answer of the operation, a pointer to its answer type.
func (c *SOAPCall) Answer(op *wsfev1.Operation, answer any, info soap.Info) error {
	body, err := soap.AppendAnswer(nil, c.Version, op, answer, info)
	if err != nil {
		return fmt.Errorf("writing an answer in SOAP: %w", err)
	}
	c.reply(http.StatusOK, body)
	return nil
}

// Pass sets the reply to the upstream's own message, of the call's version and in UTF-8.
func (c *SOAPCall) Pass(leg *UpstreamLeg) {
	status := http.StatusOK
	if leg.Read != LegAnswered {
		status = http.StatusInternalServerError
	}
	c.reply(status, leg.Answer)
}

// fault is a fault and the HTTP status that it travels with. Where empty is set there is the status
// alone, as the service answers a body that is no XML.
type fault struct {
	soap.Fault
	status int
	empty  bool
}

func newFault(f soap.Fault, status int, ok bool) *fault { return &fault{f, status, !ok} }

// Refuse sets the reply to a refusal: a fault, never an answer with errors, which a client would
// take for the service's own verdict.
//
// A fault travels with HTTP status 500 even where JSON has another: clients in Java and .NET show
// its text with no other status. Only what HTTP itself has to say keeps its status.
func (c *SOAPCall) Refuse(f *Refusal) {
	answer := f.soap
	if answer == nil {
		answer = faultOf(f)
	}
	if answer.empty {
		c.Reply = Reply{Status: answer.status, Header: http.Header{}}
	} else {
		answer.Causes = f.causes
		if answer.Causes == nil {
			answer.Causes = causesOfItems(f.items)
		}
		c.fault(answer.status, answer.Fault)
	}
	f.setHeaders(c.Reply.Header)
}

// fault sets the reply to a fault.
func (c *SOAPCall) fault(status int, refused soap.Fault) {
	c.reply(status, soap.AppendFault(nil, c.Version, refused))
	c.isFault = true
}

// Sent returns the reply as it is sent. A fault names its record: most programs show nothing else of
// an answer, and not its headers.
func (c *SOAPCall) Sent(record string) Reply {
	r := c.Reply
	if c.isFault && record != "" {
		r.Body = soap.WithRecord(r.Body, c.Version, record)
	}
	return r
}

// RefuseAnswer sets the reply to an answer of the service that has no form in SOAP: an error body,
// or a body that is none of the operation's answers.
func (c *SOAPCall) RefuseAnswer(answer Reply, body *wsfev1.ErrorBody) {
	refused := soap.Fault{Code: soap.Server, Causes: []soap.Cause{{Code: "upstream.answer"}}, Text: fmt.Sprintf(
		"upstream.answer: La respuesta del servicio no es la de la operación: HTTP %d, %s.", answer.Status, answer.content())}
	if body != nil && len(body.Errors.Err) > 0 {
		refused.Text, refused.Causes = faultText(body.Errors.Err), causesOfItems(body.Errors.Err)
		if answer.Status < http.StatusInternalServerError {
			refused.Code = soap.Client
		}
	}
	c.fault(http.StatusInternalServerError, refused)
}

func (c *SOAPCall) reply(status int, body []byte) {
	c.Reply, c.isFault = Reply{Status: status, Header: http.Header{"Content-Type": {c.Version.MediaType()}}, Body: body}, false
}

// statusOfFault returns the HTTP status of the fault that a refusal with this status becomes.
func statusOfFault(status int) int {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType, http.StatusTooEarly:
		return status
	}
	return http.StatusInternalServerError
}

// faultOf returns a refusal as a fault, which begins with its code.
func faultOf(f *Refusal) *fault {
	answer := &fault{soap.Fault{Code: soap.Server, Text: faultText(f.items)}, statusOfFault(f.status), false}
	if f.status < http.StatusInternalServerError {
		answer.Code = soap.Client
	}
	return answer
}

// maxFaultItems is how many errors a fault has at most: programs show it in one box.
const maxFaultItems = 20

func faultText(items []wsfev1.ErrorItem) string {
	var text strings.Builder
	for i, item := range items {
		if i == maxFaultItems {
			fmt.Fprintf(&text, "\n(%d más)", len(items)-i)
			break
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(item.Code + ": " + item.Msg)
	}
	return text.String()
}

func causesOfItems(items []wsfev1.ErrorItem) []soap.Cause {
	causes := make([]soap.Cause, 0, min(len(items), maxFaultItems))
	for _, item := range items[:cap(causes)] {
		causes = append(causes, soap.Cause{Code: item.Code})
	}
	return causes
}

// causesOf returns findings of shape as the detail of a fault has them.
func causesOf(findings []validate.Finding) []soap.Cause {
	causes := make([]soap.Cause, 0, min(len(findings), maxFaultItems))
	for _, f := range findings[:cap(causes)] {
		causes = append(causes, soap.Cause{Code: f.Code, Pointer: f.Pointer, Path: f.Path})
	}
	return causes
}

// UnreadableMessage refuses a body that is no message to an operation, in the service's words
// where they are known.
func UnreadableMessage(err error) *Refusal {
	refused, ok := errors.AsType[*soap.Error](err)
	if !ok {
		refused = &soap.Error{Problem: soap.NotXML}
	}
	f := Malformed(validate.FromSOAP([]soap.Finding{refused.Finding()}))
	f.soap = newFault(refused.Fault())
	return f.Because(err)
}

// wrongSOAPAddress refuses an address that is nearly the address of the service.
func wrongSOAPAddress() *Refusal {
	f := Refuse(http.StatusNotFound, audit.OutcomeInadmissible, "http.operation",
		"La dirección del servicio SOAP es "+SOAPPath+": nada debe seguirle, salvo ?WSDL.")
	f.soap = &fault{Fault: soap.Fault{Code: soap.Client, Text: faultText(f.items)}, status: http.StatusNotFound}
	return f
}

// wrongContract refuses an operation that the contract of the gateway does not have.
func wrongContract(op *wsfev1.Operation) *Refusal {
	return Refuse(http.StatusNotFound, audit.OutcomeInadmissible, "http.operation",
		"La operación "+op.Name+" no está en el contrato de esta pasarela (contract base).")
}
