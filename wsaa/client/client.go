package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// MaxReply is the longest answer that is read, in bytes. Post may return one byte more, so that a
// longer one is noticed.
const MaxReply = 2 << 20

// Message is a request to the login service, to be sent by POST. Body is a credential while its
// request is valid, ten minutes: it belongs into no log.
type Message struct {
	URL         string
	ContentType string
	// Action is the value of the header SOAPAction, which must be there.
	Action string
	Body   []byte
}

// Reply is an answer of the login service, whatever its status.
type Reply struct {
	Status int
	// Date is the header Date, zero if there is none that can be read.
	Date time.Time
	// Charset is that parameter of the media type, or no text.
	Charset string
	Body    []byte
}

// Post sends a message and returns the answer. It follows no redirection: a request that is
// signed goes to nobody else. An error means that there is no answer, or not all of it; whether the
// message arrived is not known then. The error must repeat neither the message nor the answer.
type Post func(context.Context, Message) (Reply, error)

// Client logs in at one login service with one credential. Its fields must not change while it is
// in use; any number of logins may run at the same time.
type Client struct {
	URL        string
	Credential *credential.Credential
	Post       Post
	// Clock returns the time.
	Clock func() time.Time
}

// Result is what a login has shown.
type Result struct {
	// Ticket is nil if the login failed.
	Ticket *Ticket
	// Document is the ticket as the service wrote it (loginTicketResponse), for programs that keep
	// tickets in files. It has Token and Sign.
	Document wsfev1.Secret
	// Skew is how far the clock of the service is ahead of ours, to about a second; negative if
	// it is behind. Measured: the answer has shown it, also the answer to a login that failed.
	Skew     time.Duration
	Measured bool
}

// Login asks for a ticket of a service, such as wsfe. skew is how far the clock of the login service
// is ahead of ours, as far as the caller knows. The error is an *Error.
func (c *Client) Login(ctx context.Context, service string, skew time.Duration) (Result, error) {
	message, err := c.message(service, c.Clock().Add(skew))
	if err != nil {
		return Result{}, &Error{Code: NotSigned, Advice: Retry, Cause: err}
	}
	sent := c.Clock()
	reply, err := c.Post(ctx, message)
	if err != nil {
		return Result{}, &Error{Code: Unreachable, Advice: Retry, Cause: err}
	}
	middle := sent.Add(c.Clock().Sub(sent) / 2)
	var result Result
	result.Ticket, result.Document, err = readReply(reply, service)
	result.measure(reply.Date, middle, skew, err)
	return result, err
}

// measure sets how far the clock of the service is ahead, by the header Date, or else by the ticket. middle
// is the moment of the answer by our clock, and used the skew of the request.
//
// Date may be another clock's, of a proxy or of a page in the service's place. It is believed if it
// explains the answer: the request was refused for its times, or was not too old or too early by this
// clock.
func (r *Result) measure(date, middle time.Time, used time.Duration, err error) {
	// The header has whole seconds: half of one more is right on average.
	skew := date.Add(time.Second / 2).Sub(middle)
	refused, ok := errors.AsType[*Error](err)
	switch {
	case !date.IsZero() && (ok && refused.Advice == Correct || (skew-used).Abs() <= requestTolerance):
		r.Skew, r.Measured = skew, true
	case r.Ticket != nil:
		r.Skew, r.Measured = r.Ticket.Generation.Sub(middle), true
	}
}

// readReply returns the ticket of an answer, and its document. The error is an *Error.
func readReply(reply Reply, service string) (*Ticket, wsfev1.Secret, error) {
	if len(reply.Body) > MaxReply {
		return nil, "", unexpected(reply.Status, fmt.Errorf("it has more than %d bytes", MaxReply))
	}
	answer, err := readEnvelope(reply.Body, reply.Charset)
	switch {
	case err != nil:
		return nil, "", unexpected(reply.Status, err)
	case answer.fault:
		return nil, "", faultError(answer.code, answer.text)
	case reply.Status != 200:
		return nil, "", unexpected(reply.Status, errors.New("it has a ticket, but not the status of one"))
	}
	ticket, err := readTicket([]byte(answer.document), service)
	if err != nil {
		return nil, "", unexpected(reply.Status, err)
	}
	return ticket, wsfev1.Secret(answer.document), nil
}
