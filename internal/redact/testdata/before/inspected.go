package redact

import "bytes"

// Inspected is Body for a body that is known to be of its operation's shape, as
// nearly all are: its credentials then stand where the shape has them, or in
// texts that echo them. It spares reading the body again where it holds no
// escapes, so that a credential looks as it is. The result may be body itself.
func (r *Redactor) Inspected(body []byte, credentials ...string) ([]byte, bool) {
	return r.inspected(body, r.echoes(credentials))
}

func (r *Redactor) inspected(body []byte, credentials *Credentials) ([]byte, bool) {
	if bytes.IndexByte(body, '\\') >= 0 {
		return r.body(body, credentials)
	}
	redacted := body
	for _, c := range credentials.texts {
		if len(c) < minEcho {
			return r.body(body, credentials)
		}
		redacted = r.replaceText(redacted, c)
	}
	if credentials.inTexts(redacted) {
		return r.body(body, credentials)
	}
	return redacted, true
}

// replaceText puts a fingerprint wherever the credential is the whole of a text.
func (r *Redactor) replaceText(body []byte, credential string) []byte {
	start := indexText(body, credential)
	if start < 0 {
		return body
	}
	fingerprint := r.Fingerprint([]byte(credential))
	redacted := make([]byte, 0, len(body)+len(fingerprint))
	for ; start >= 0; start = indexText(body, credential) {
		redacted = append(append(redacted, body[:start]...), fingerprint...)
		body = body[start+len(credential):]
	}
	return append(redacted, body...)
}

// indexText returns where the credential stands as the whole of a text, -1 if it does
// nowhere.
func indexText(body []byte, credential string) int {
	beginning := credential[:min(len(credential), beginningLen)]
	for from := 0; ; {
		i := index(body[from:], beginning)
		if i < 0 {
			return -1
		}
		start, end := from+i, from+i+len(credential)
		if start > 0 && body[start-1] == '"' && end < len(body) && body[end] == '"' && string(body[start:end]) == credential {
			return start
		}
		from = start + 1
	}
}

// beginningLen is how much of a credential, in bytes, is looked for before all of it is.
const beginningLen = 16

// index is bytes.Index for a text of beginningLen bytes at most, which is not copied to the
// heap.
func index(body []byte, short string) int {
	var text [beginningLen]byte
	return bytes.Index(body, text[:copy(text[:], short)])
}
