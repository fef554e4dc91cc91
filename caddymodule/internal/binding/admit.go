package binding

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// DefaultMaxBody is the largest body by default, in bytes: 4 MiB. A lot of 250
// invoices with every list filled has well under one.
const DefaultMaxBody = 4 << 20

// Admission is what a request must meet to be read at all. The gateway and the built-in
// service admit alike.
type Admission struct {
	// Contract is the operations that exist, MaxBody the size limit of a body in bytes.
	Contract validate.Contract
	MaxBody  int64
	// Gate may refuse a request before its body is read, once its head has passed. It is nil for none.
	Gate func() *Refusal
	// Reservation takes memory for what arrives, nil for no bound.
	Reservation *Reservation
}

// Admit returns the operation of a request and its body, which is read once, or the
// refusal. The operation is also returned with a refusal, if it was recognized.
func (a Admission) Admit(w http.ResponseWriter, r *http.Request) (op *wsfev1.Operation, body []byte, _ *Refusal) {
	op, f := a.head(r)
	if f = a.gated(f); f != nil {
		a.turnAway(w, r)
		return op, nil, f
	}
	body, err := a.readBody(w, r)
	if err != nil {
		a.drain(r)
		return op, nil, unreadableBody(err, a.MaxBody)
	}
	return op, body, nil
}

// head is Admit without the body.
func (a Admission) head(r *http.Request) (op *wsfev1.Operation, _ *Refusal) {
	if where, ok := RouteOf(r.URL); ok {
		op = a.Contract.Operation(where.Operation)
	}
	switch {
	case op == nil:
		return nil, unknownOperation(nearestName(r.URL))
	case r.Method != http.MethodPost:
		return op, wrongMethod()
	case !isPlainHost(r.Host):
		return op, wrongHost()
	case r.URL.RawQuery != "" || r.URL.ForceQuery:
		return op, queryGiven()
	case !isJSON(r.Header):
		return op, wrongMediaType()
	case IsEncoded(r.Header):
		return op, wrongContentCoding()
	case r.ContentLength > a.MaxBody:
		return op, bodyTooLarge(a.MaxBody)
	case isEarly(op, r):
		return op, tooEarly()
	}
	return op, nil
}

// gated returns the refusal of the head, or else of the gate.
func (a Admission) gated(head *Refusal) *Refusal {
	if head != nil || a.Gate == nil {
		return head
	}
	return a.Gate()
}

// isEarly reports whether a request that changes something came as early data, which can be replayed
// by anyone who saw it (RFC 8470).
func isEarly(op *wsfev1.Operation, r *http.Request) bool {
	return op.Effect == wsfev1.EffectChanges && r.TLS != nil && !r.TLS.HandshakeComplete
}

// turnAway prepares the connection for the answer to a request whose body was not read.
func (a Admission) turnAway(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 && len(r.Header["Expect"]) > 0 {
		// The client asks whether to send (RFC 9110, 10.1.1). Caddy's server would wait for the
		// body before it answers, unless the connection is to end.
		w.Header().Set("Connection", "close")
		return
	}
	a.drain(r)
}

// drain reads the rest of a body that was refused, up to twice MaxBody. If the connection closes while a
// client still sends, the client may lose the answer. A client that sends more takes that risk.
func (a Admission) drain(r *http.Request) {
	if r.ProtoMajor == 1 && r.Body != nil && r.ContentLength <= 2*a.MaxBody {
		_, _ = io.CopyN(io.Discard, r.Body, 2*a.MaxBody) // an error changes nothing now
	}
}

func isJSON(header http.Header) bool {
	values := header.Values("Content-Type")
	if len(values) != 1 {
		return false
	}
	if values[0] == "application/json" {
		return true
	}
	media, parameters, err := mime.ParseMediaType(values[0])
	if err != nil || media != "application/json" {
		return false
	}
	charset, given := parameters["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

const (
	// firstRead is how many bytes of a body are read without a reservation.
	firstRead = 64 << 10
	// firstBuffer is the first size of a buffer without a reservation: one invoice fits.
	firstBuffer = 8 << 10
)

func (a Admission) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	n := r.ContentLength
	if n < 0 {
		return a.readStream(w, r)
	}
	first := min(n, firstBuffer)
	if n > firstRead {
		if full := a.Reservation.reserveArrival(r.Context(), n); full != nil {
			return nil, full
		}
		first = n
	}
	return readAnnounced(r.Body, n, first)
}

// readAnnounced reads n bytes, the server lets no more of them through. Its buffer begins with the first ones and
// grows as they come: an announced body may never arrive, and nobody has reserved memory for it.
func readAnnounced(r io.Reader, n, first int64) ([]byte, error) {
	body := make([]byte, first)
	read, err := io.ReadFull(r, body)
	for err == nil && int64(read) < n {
		larger := make([]byte, min(n, 2*int64(read)))
		copy(larger, body)
		body = larger
		var more int
		if more, err = io.ReadFull(r, body[read:]); errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		read += more
	}
	return body[:read], err
}

// readStream reads a body that comes without a length.
func (a Admission) readStream(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var buffer bytes.Buffer
	limited := http.MaxBytesReader(w, r.Body, a.MaxBody)
	_, err := io.CopyN(&buffer, limited, firstRead)
	if errors.Is(err, io.EOF) {
		return buffer.Bytes(), nil
	}
	if err == nil {
		if full := a.Reservation.reserveArrival(r.Context(), a.MaxBody); full != nil {
			return nil, full
		}
		_, err = buffer.ReadFrom(limited)
		a.Reservation.shrink(int64(buffer.Len()))
	}
	return buffer.Bytes(), err
}

// IsEncoded reports whether any Content-Encoding line of a header names a coding other than identity.
func IsEncoded(header http.Header) bool {
	for _, line := range header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(line, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				return true
			}
		}
	}
	return false
}
