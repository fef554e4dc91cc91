package binding

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// SOAPCall is a request of a client that speaks SOAP. It lives as long as its exchange, in which
// the same request is in JSON.
type SOAPCall struct {
	// Version is the version of the envelope, and of the answer. Until the envelope is read it
	// follows the media type.
	Version soap.Version
	// Body is the request as it came, nil if it did not arrive. Digest is its SHA-256,
	// MediaType its media type as it may be recorded, and Charset that parameter of it.
	Body               []byte
	Digest             [sha256.Size]byte
	MediaType, Charset string
	// Reply is the answer to the client, once it is composed.
	Reply Reply

	// isFault: the reply is a fault.
	isFault  bool
	action   string
	envelope *soap.Envelope
	read     *soap.Request
}

// NewSOAPCall returns the call of a request for the path of the SOAP service.
func NewSOAPCall(r *http.Request) *SOAPCall {
	media, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // empty if it is none
	c := &SOAPCall{Charset: parameters["charset"], MediaType: plainMediaType(media, parameters["charset"])}
	if media == "application/soap+xml" {
		c.Version = soap.V12
	}
	// A client of SOAP 1.2 may send either of the two, or none.
	c.action = actionOf(append(slices.Clone(r.Header.Values("SOAPAction")), parameters["action"]))
	return c
}

// CallOf returns the call of a message that was read elsewhere, nil for one that could not be read.
func CallOf(envelope *soap.Envelope) *SOAPCall {
	c := &SOAPCall{envelope: envelope}
	if envelope != nil {
		c.Version = envelope.Version
	}
	return c
}

// plainMediaType returns a media type of XML as it may be recorded, with its charset if that is known;
// empty for any other, which could hold anything.
func plainMediaType(media, charset string) string {
	if !slices.Contains(xmlMediaTypes, media) {
		return ""
	}
	if _, _, err := xmlscan.Decode(nil, charset); err != nil || charset == "" {
		return media
	}
	return media + "; charset=" + strings.ToLower(charset)
}

// xmlMediaTypes are those that clients of SOAP give their requests.
var xmlMediaTypes = []string{"text/xml", "application/soap+xml", "application/xml"}

// noAction stands for an action that names no operation and is not repeated.
const noAction = "?"

// emptyAction is an action that is given and names nothing.
const emptyAction = `""`

// actionOf returns the action of a request, no text where there is none. Programs on the way go by
// any of them, so those that differ name no operation.
func actionOf(given []string) (action string) {
	quoted := false
	for _, one := range given {
		name := strings.Trim(one, `"' `)
		quoted = quoted || name == "" && strings.TrimSpace(one) != ""
		if name != "" && action != "" && name != action {
			return noAction
		}
		action = cmp.Or(action, name)
	}
	if action == "" && quoted {
		return emptyAction
	}
	return plainAction(action)
}

// maxAction is the length in bytes of the longest name in an action that is repeated to the
// client. None of an operation is as long; a piece of a credential is.
const maxAction = 32

// plainAction returns an action as it may be repeated and recorded: one that could name an
// operation. Any other could hold anything.
func plainAction(action string) string {
	name := strings.TrimPrefix(action, soap.ActionPrefix)
	if len(name) > maxAction || strings.ContainsFunc(name, isReserved) {
		return noAction
	}
	return action
}

// AdmitSOAP reads the body of a call and finds the operation. It returns the request as the same
// in JSON, or the refusal.
func (a Admission) AdmitSOAP(w http.ResponseWriter, r *http.Request, c *SOAPCall) (op *wsfev1.Operation, twin *http.Request, _ *Refusal) {
	if f := a.gated(a.soapHead(r)); f != nil {
		a.turnAway(w, r)
		return nil, nil, f
	}
	body, err := a.readBody(w, r)
	if err != nil {
		a.drain(r)
		return nil, nil, unreadableBody(err, a.MaxBody)
	}
	c.Body, c.Digest = body, sha256.Sum256(body)
	if c.envelope, err = soap.Open(body, c.Charset); err != nil {
		return nil, nil, UnreadableMessage(err)
	}
	c.Version = c.envelope.Version
	op, err = c.envelope.Route(c.action)
	switch {
	case err != nil:
		return nil, nil, UnreadableMessage(err)
	case a.Contract.Operation(op.Name) == nil:
		return nil, nil, wrongContract(op)
	case isEarly(op, r):
		return op, nil, tooEarly()
	}
	return op, asJSON(r, op), nil
}

// soapHead refuses a request by its head.
func (a Admission) soapHead(r *http.Request) *Refusal {
	switch {
	case !IsSOAP(r.URL):
		return wrongSOAPAddress()
	case r.Method != http.MethodPost:
		return wrongMethod()
	case !isPlainHost(r.Host):
		return wrongHost()
	case soapQueryOf(r.URL) == soapOther || r.URL.ForceQuery:
		return queryGiven()
	case !isXML(r.Header):
		return wrongXMLMediaType()
	case IsEncoded(r.Header):
		return wrongContentCoding()
	case r.ContentLength > a.MaxBody:
		return bodyTooLarge(a.MaxBody)
	}
	return nil
}

// isXML reports whether a header announces XML, or nothing: the message itself shows what it is.
func isXML(header http.Header) bool {
	values := header.Values("Content-Type")
	if len(values) == 0 {
		return true
	}
	media, _, err := mime.ParseMediaType(values[0])
	if len(values) > 1 || err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return false
	}
	return slices.Contains(xmlMediaTypes, media)
}

// Decode reads the typed request once, with all findings of shape. It reads no more invoices of a
// lot than this, 0 for all.
func (c *SOAPCall) Decode(op *wsfev1.Operation, contract validate.Contract, invoices int) (*validate.Request, []validate.Finding) {
	c.read = c.envelope.DecodeUpTo(op, invoices)
	return validate.OfSOAP(c.read, contract)
}

// Problems returns the findings of shape that Decode has found, with their places in the message.
func (c *SOAPCall) Problems() []soap.Finding {
	if c == nil || c.read == nil {
		return nil
	}
	return c.read.Findings
}

// Incomplete returns the service's answer to a request that lacks one of its containers, nil for
// any other: in SOAP that is no fault but an answer with an error.
func (c *SOAPCall) Incomplete() any {
	failed, ok := c.read.ServiceError()
	if !ok {
		return nil
	}
	answer := c.read.Operation.NewAnswer()
	envelope, ok := answer.(interface{ Fail(code int32, msg string) })
	if !ok {
		return nil
	}
	envelope.Fail(failed.Code, failed.Msg)
	return answer
}

// Malformed refuses a call that is not of the operation's shape, with all findings.
func (c *SOAPCall) Malformed(findings []validate.Finding) *Refusal {
	f := Malformed(findings)
	f.causes = causesOf(findings)
	if len(c.read.Findings) > 0 {
		f.soap = newFault(soap.Malformed(c.read.Findings))
	}
	return f
}

// Message returns the message as it came, and the position of the end tag of its envelope. There is none
// if the client speaks JSON, its message was not read, or the service might read it differently.
func (c *SOAPCall) Message() (body []byte, end int) {
	if c == nil || c.read == nil || c.read.End == 0 || c.read.Ambiguous != 0 {
		return nil, 0
	}
	return c.Body, c.read.End
}

// Ambiguous returns what in the message the service might read differently, 0 for nothing.
func (c *SOAPCall) Ambiguous() soap.Constructs {
	if c == nil || c.read == nil {
		return 0
	}
	return c.read.Ambiguous
}

// Form returns the form of the call in a record.
func (c *SOAPCall) Form() string { return FormOf(c.Version) }

// FormOf returns the form of messages of a version in a record.
func FormOf(version soap.Version) string {
	if version == soap.V12 {
		return audit.FormSOAP12
	}
	return audit.FormSOAP11
}

// Release drops everything that is not needed to send the answer.
func (c *SOAPCall) Release() {
	if c != nil {
		c.Body, c.envelope, c.read = nil, nil, nil
	}
}
