package caddymodule

import (
	"bytes"
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

// admission says which requests are read at all. Both handlers admit alike.
type admission struct {
	contract validate.Contract
	maxBody  int64
}

// admit names the operation of a request and reads its body, once.
func (a admission) admit(w http.ResponseWriter, r *http.Request) (op *wsfev1.Operation, body []byte, _ *fault) {
	name := operationName(r)
	op = a.contract.Operation(name)
	switch {
	case op == nil:
		return nil, nil, unknownOperation(name)
	case r.Method != http.MethodPost:
		return op, nil, wrongMethod()
	case !isJSON(r.Header):
		return op, nil, wrongMediaType()
	case r.Header.Get("Content-Encoding") != "" && !strings.EqualFold(r.Header.Get("Content-Encoding"), "identity"):
		return op, nil, wrongContentCoding()
	case r.ContentLength > a.maxBody:
		return op, nil, bodyTooLarge(a.maxBody)
	case op.Effect == wsfev1.EffectChanges && r.TLS != nil && !r.TLS.HandshakeComplete:
		// Early data can be replayed by anyone who saw it (RFC 8470).
		return op, nil, tooEarly()
	}
	body, err := readBody(w, r, a.maxBody)
	if err != nil {
		return op, nil, unreadableBody(err, a.maxBody)
	}
	return op, body, nil
}

// operationName returns the last segment of {base_url}/api/wsfev1/<Operation>. It
// looks at the path as it was sent: a name that hides behind escapes is no name.
func operationName(r *http.Request) string {
	path := r.URL.EscapedPath()
	i := strings.LastIndex(path, wsfev1.PathPrefix)
	if i < 0 {
		return ""
	}
	return path[i+len(wsfev1.PathPrefix):]
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

// firstRead bounds what is set aside for a body before any of it has arrived.
const firstRead = 64 << 10

func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	if n := r.ContentLength; 0 <= n && n <= firstRead {
		body := make([]byte, n) // the server lets no more of it through
		read, err := io.ReadFull(r.Body, body)
		return body[:read], err
	}
	var buffer bytes.Buffer
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, limit))
	return buffer.Bytes(), err
}
