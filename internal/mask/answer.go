package mask

import (
	"bytes"
	"slices"
	"strings"
)

// Answer returns an answer of the service in which fingerprints stand for the texts that contain a part of a
// credential, also one that is cut over several. Of one that is no JSON nothing is left if it contains any.
func (c *Credentials) Answer(body []byte) []byte {
	if kept, ok := c.Document(body); ok {
		return kept
	}
	if bytes.IndexByte(body, 0) >= 0 || c.In(string(body)) {
		return nil // with null bytes it is text of another encoding, or no text
	}
	return body
}

// plainValues are values of headers that Caddy and most services write. They need no search:
// no credential is that short.
var plainValues = []string{
	"application/json", "application/json; charset=utf-8", "text/xml; charset=utf-8", "application/soap+xml; charset=utf-8",
	"Caddy", "1.1 Caddy", "2.0 Caddy",
}

// Header replaces each value of a header that contains a part of a credential by a fingerprint, and deletes the
// headers whose name contains one and is none of the common ones. It calls changed, unless it is nil, with the
// name and the new value. The lists of values are not changed: others may share them.
func (c *Credentials) Header(header map[string][]string, common []string, changed func(name, value string)) {
	holds := func(value string) bool { return !slices.Contains(plainValues, value) && c.In(value) }
	for name, values := range header {
		if !slices.Contains(common, name) && c.In(name) {
			delete(header, name)
			continue
		}
		inPieces := len(values) > 1 && holds(strings.Join(values, " "))
		if name == "Date" || name == "Content-Length" || !inPieces && !slices.ContainsFunc(values, holds) {
			continue
		}
		values = slices.Clone(values)
		texts := make([]*string, len(values))
		for i := range values {
			texts[i] = &values[i]
		}
		c.Together(nil, texts)
		header[name] = values
		if changed != nil {
			changed(name, strings.Join(values, ","))
		}
	}
}
