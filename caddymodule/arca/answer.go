package arca

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// read reads the service's answer, and returns the same in JSON.
//
// The kind of answer decides the certainty about the request:
//
//   - An answer of the operation is one, with errors too.
//   - A fault whose cause is the message itself, and a 400 without a body, with which the service
//     refuses a body that is no XML: the operation has not begun.
//   - Everything else is no answer: a fault of the server, another status, another operation's
//     answer, a page, a message that is cut or not of the operation's shape.
func (t *Transport) read(ctx context.Context, wire *binding.Wire, m *message, came *http.Response) (*http.Response, error) {
	body, err := wire.ReadAnswer(ctx, came.Body, came.ContentLength)
	if err != nil {
		answers.WithLabelValues(readWords[binding.LegUnread]).Inc()
		return nil, fmt.Errorf("reading the service's answer: %w", err)
	}
	_, parameters, _ := mime.ParseMediaType(came.Header.Get("Content-Type")) // empty if it is none
	m.leg.Answer, m.leg.AnswerCharset = body, parameters["charset"]
	reply := t.judge(m, came.StatusCode)
	answers.WithLabelValues(readWords[m.leg.Read]).Inc()
	if reply == nil {
		return with(came, came.StatusCode, came.Header.Get("Content-Type"), body), nil
	}
	made, err := binding.JSON(reply.status, reply.body)
	if err != nil {
		return nil, fmt.Errorf("writing the service's answer in JSON: %w", err)
	}
	m.leg.JSON = made.Body
	return with(came, made.Status, made.Header.Get("Content-Type"), made.Body), nil
}

// reply is an answer as it is written in JSON.
type reply struct {
	status int
	body   any
}

// judge classifies the answer and returns it, nil if it cannot be read.
func (t *Transport) judge(m *message, status int) *reply {
	leg := m.leg
	if status == http.StatusBadRequest && len(leg.Answer) == 0 {
		leg.Read = binding.LegRefused
		t.logger.Error("the service cannot read the request", zap.String("operation", m.op.Name), zap.Int("status", status))
		return refusal(http.StatusBadRequest, "soap.Client", "El servicio no pudo leer el XML del pedido (HTTP 400).")
	}
	answer, err := soap.Parse(m.op, leg.Answer, leg.AnswerCharset)
	if err != nil || len(answer.Findings) > 0 {
		return nil
	}
	leg.Version, leg.Ambiguous = answer.Version, answer.Ambiguous
	switch {
	case answer.Fault != nil:
		return t.judgeFault(m, status, answer.Fault)
	case status != http.StatusOK:
		return nil
	}
	leg.Read, leg.Typed = binding.LegAnswered, answer.Body
	return &reply{http.StatusOK, answer.Body}
}

// judgeFault is judge for a fault. Only with the statuses of faults is it the service's own word.
func (t *Transport) judgeFault(m *message, status int, fault *soap.Fault) *reply {
	if status != http.StatusInternalServerError && status != http.StatusBadRequest {
		return nil
	}
	switch fault.Code {
	case soap.Client, soap.VersionMismatch, soap.MustUnderstand:
		m.leg.Read = binding.LegRefused
		return refusal(http.StatusBadRequest, "soap."+string(fault.Code), fault.Text)
	}
	m.leg.Read = binding.LegFailed
	return refusal(http.StatusInternalServerError, "soap."+string(soap.Server), fault.Text)
}

func refusal(status int, code, text string) *reply {
	return &reply{status, &wsfev1.ErrorBody{Errors: wsfev1.ErrorList{Err: []wsfev1.ErrorItem{{Code: code, Msg: text}}}}}
}

// with returns the response with another body. It keeps the headers of the one that came, which nobody
// else has seen.
func with(came *http.Response, status int, media string, body []byte) *http.Response {
	made := *came
	made.StatusCode, made.Status = status, strconv.Itoa(status)+" "+http.StatusText(status)
	made.Header.Del("Content-Encoding")
	made.Header.Del("Transfer-Encoding")
	made.Header.Set("Content-Length", strconv.Itoa(len(body)))
	if made.Header.Del("Content-Type"); media != "" {
		made.Header.Set("Content-Type", media)
	}
	made.Trailer, made.TransferEncoding = nil, nil
	made.Body, made.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return &made
}
