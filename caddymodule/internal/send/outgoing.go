package send

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// Outgoing is a request on its way to the service, and what it takes to read the answer.
type Outgoing struct {
	Operation *wsfev1.Operation
	// Asked is the typed request as it came, and Subject its subject: the answer must fit it.
	Asked   *validate.Request
	Subject wsfev1.Subject
	// Request is the typed request that the service gets, and Document the same in JSON. Filled: it has
	// members that the client's has not. Ticket is the keeper's ticket in it, nil for the client's own.
	Request  *validate.Request
	Document []byte
	Ticket   *KeptTicket
	Filled   bool
	// Repeatable: the client may repeat the request without its being carried out twice.
	Repeatable bool
	// Clearance says that the gateway's rules have found nothing in Request, nil for nothing of the kind.
	Clearance *rules.Clearance

	// HTTP is the client's request as one in JSON, at the path of the operation. Prepared is the header of
	// the answer as the outer handlers have set it. Message is the client's message in SOAP, nil for none.
	HTTP     *http.Request
	Prepared http.Header
	Message  *binding.SOAPCall

	// Owner tells two gateways with the same trail: one request must not pass both.
	Owner any
	// Sendable returns why the request may not be sent any more, nil if it may.
	Sendable func() error
	// Memory is the reservation of the answer.
	Memory *binding.AnswerReservation

	// Redactor and Mask hide credentials and fields in log lines; Headers hides credentials in the
	// header of the answer. Credentials are the texts that are looked for.
	Redactor    *mask.Redactor
	Mask        *mask.Mask
	Headers     HeaderMask
	Credentials []string
	// Spans are the exchange's.
	Spans *tracing.Spans
	// Logger gets a panic of the next handler, with the exchange's identifier and trace.
	Logger *zap.Logger
	ID     string
	Trace  audit.TraceID
	// Now is the clock.
	Now func() time.Time
}

func (o *Outgoing) changes() bool { return o.Operation.Effect == wsfev1.EffectChanges }

// request returns the request for the next handler: the bytes of Document, with a URL and headers that
// agree with what was judged. Handlers behind the gateway may change all of it, as they are configured.
func (o *Outgoing) request(ctx context.Context, body *binding.Body) *http.Request {
	path := o.HTTP.URL.Path // plain: binding.RouteOf accepts no other
	r := o.HTTP.WithContext(ctx)
	r.Method = http.MethodPost
	r.URL = &url.URL{Path: path} // of its own: rewrite changes it in place, and queries start from HTTP
	r.RequestURI = path
	r.Header = o.header()
	r.Trailer = nil // the body was read, so they are in it
	r.Body = body
	r.ContentLength = int64(len(o.Document))
	r.TransferEncoding = nil
	r.GetBody = nil // with it, Go's transport may send a POST twice
	r.Close = false
	return r
}

// header returns the client's headers without those that are not for the service.
func (o *Outgoing) header() http.Header {
	header := o.HTTP.Header.Clone()
	for name, values := range header {
		if !isForwarded(name) || o.namesAnother(name, values) {
			delete(header, name)
		}
	}
	o.Spans.SetTraceparent(header)
	values := [...]string{"application/json", strconv.Itoa(len(o.Document))}
	header["Content-Type"], header["Content-Length"] = values[0:1:1], values[1:2:2]
	return header
}
