package arca

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/ticket"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// message is a request in SOAP.
type message struct {
	op      *wsfev1.Operation
	version soap.Version
	length  int
	body    *binding.Body
	leg     *binding.UpstreamLeg
}

// endTag is the end of every message that is written here.
const endTag = "</soap:Envelope>"

// write returns the message to send: the client's own if original finds one, else the request
// written in SOAP. From then on the gateway's body gives out these bytes, and checks as before
// whether they may be sent.
//
// A handler between the gateway and this one cannot change the body: the message is always made
// from the request that was judged and recorded.
func (t *Transport) write(wire *binding.Wire) (*message, error) {
	m := &message{version: t.version, body: wire.Body, leg: new(binding.UpstreamLeg)}
	length, err := wire.Body.Recode(func(request *validate.Request) ([]byte, int, error) {
		m.op = request.Operation
		if wire.Call != nil {
			m.version = wire.Call.Version
		}
		body, end, err := original(wire, request)
		if body != nil || err != nil {
			m.leg.Request = body
			return body, end, err
		}
		body, err = soap.AppendRequest(nil, m.version, request.Operation, request.Body)
		m.leg.Request, m.leg.Anew = body, wire.Call.Ambiguous()
		return body, len(body) - len(endTag), err
	})
	if err != nil {
		return nil, fmt.Errorf("writing a request in SOAP: %w", err)
	}
	m.length, m.leg.Sent = length, m.version
	return m, nil
}

// request returns the HTTP request for a message, made from the one of reverse_proxy.
func (t *Transport) request(m *message, r *http.Request) *http.Request {
	out := r.WithContext(r.Context())
	address := *r.URL
	address.Path, address.RawPath, address.RawQuery, address.ForceQuery = t.Path, "", "", false
	out.URL = &address
	out.Method = http.MethodPost
	out.Header, out.Host = t.header(m, r.Header), hostOf(r)
	out.Trailer = nil
	out.Body, out.ContentLength, out.TransferEncoding = m.body, int64(m.length), nil
	out.GetBody = nil // with it, Go's transport may send a POST twice
	return out
}

// original returns the client's message, with other credentials where these are the gateway's; nil if
// the client speaks JSON, the service might read its message differently, the gateway has completed the
// request, or the message has no one place for credentials.
func original(wire *binding.Wire, request *validate.Request) (body []byte, end int, err error) {
	if wire.Completed {
		return nil, 0, nil
	}
	body, end = wire.Call.Message()
	if body == nil || !wire.NewTicket {
		return body, end, nil
	}
	auth := wsfev1.AuthOf(request.Body)
	with, err := ticket.Set(body, wire.Call.Charset, auth.Token, auth.Sign)
	if errors.Is(err, ticket.ErrNoAuth) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("putting a ticket into a message: %w", err)
	}
	return with, end + len(with) - len(body), nil
}
