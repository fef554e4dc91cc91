package binding

import (
	"context"
	"errors"
	"io"

	"github.com/fielato/fielato/wsfev1/soap"
)

// UpstreamLeg is an exchange with an upstream that speaks SOAP. The exchange of the gateway is in
// JSON, as with any other.
type UpstreamLeg struct {
	// Request is the message as it was sent, in UTF-8 and of the version Sent. Anew is why it is not the
	// client's own, which the service might have read differently; 0 for any other reason.
	Request []byte
	Sent    soap.Version
	Anew    soap.Constructs
	// Answer is the body that came, nil if none did, and AnswerCharset that parameter of its media
	// type.
	Answer        []byte
	AnswerCharset string
	// Read is the kind of Answer. Typed is the operation's answer, a pointer to its type, and Version the
	// version of its envelope; JSON is the same as the gateway's next handler has returned it.
	Read    LegRead
	Typed   any
	Version soap.Version
	JSON    []byte
	// Ambiguous is what a client might read differently in the answer, which is then not passed on.
	Ambiguous soap.Constructs
}

// Size returns the memory in bytes that the answer takes besides its JSON, 0 for no leg.
func (l *UpstreamLeg) Size() int64 {
	if l == nil {
		return 0
	}
	return int64(len(l.Answer))
}

// LegRead is what an answer in SOAP is.
type LegRead uint8

// What an answer in SOAP can be.
const (
	// LegUnread is none: something else than SOAP, a message that breaks off, or the answer to
	// another operation. The request may have been carried out.
	LegUnread LegRead = iota
	// LegAnswered is an answer of the operation.
	LegAnswered
	// LegRefused is a refusal before the operation began: nothing was carried out.
	LegRefused
	// LegFailed is a fault of the service. The request may have been carried out.
	LegFailed
)

// SetLeg keeps the leg of a transport.
func (w *Wire) SetLeg(leg *UpstreamLeg) { w.leg.Store(leg) }

// Leg returns what SetLeg has kept, nil if the upstream speaks JSON.
func (w *Wire) Leg() *UpstreamLeg { return w.leg.Load() }

// Cut returns why ReadAnswer has not read all of an answer, nil if it has.
func (w *Wire) Cut() error {
	if err := w.cut.Load(); err != nil {
		return *err
	}
	return nil
}

// firstAnswer is the first size of the buffer for an answer, in bytes: most fit.
const firstAnswer = 4 << 10

// ReadAnswer reads an answer that must be read before the gateway gets it, of so many bytes as its
// header has announced, or -1. It takes the memory that the gateway would take for it.
func (w *Wire) ReadAnswer(ctx context.Context, from io.Reader, announced int64) ([]byte, error) {
	var body []byte
	for {
		if len(body) == cap(body) {
			larger, err := w.room(ctx, int64(len(body)), announced)
			if err != nil {
				w.cut.Store(&err)
				return nil, err
			}
			grown := make([]byte, len(body), larger)
			copy(grown, body)
			body = grown
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			if err := w.Answer.Read(ctx, body, true); err != nil {
				w.cut.Store(&err)
				return nil, err
			}
			return body, nil
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // the transport's own
		}
	}
}

// room reserves memory for more than so many bytes, and returns the size of the buffer: one byte
// more, so that the end can be seen. It reserves as for an answer that has not announced its size,
// because the same in JSON may take more: nobody may wait for more while it holds all.
func (w *Wire) room(ctx context.Context, had, announced int64) (int64, error) {
	if most := max(had, announced); most > w.Answer.Most {
		return 0, w.Answer.Grow(ctx, most, true)
	}
	size := max(2*had, firstAnswer)
	if announced > had {
		size = min(size, announced)
	}
	size = min(size, w.Answer.Most)
	return size + 1, w.Answer.Grow(ctx, size, false)
}
