package send

import (
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/internal/redact"
)

// HeaderMask removes the credentials of one exchange from headers: Caddy's access log writes the
// headers of the answer, and so may any program between gateway and client.
type HeaderMask struct {
	redactor    *redact.Redactor
	credentials *redact.Credentials
}

// NewHeaderMask returns the mask for some credentials, nil for none. A nil mask hides nothing.
func NewHeaderMask(redactor *redact.Redactor, credentials []string) *HeaderMask {
	if len(credentials) == 0 {
		return nil
	}
	return &HeaderMask{redactor: redactor, credentials: redactor.Credentials(credentials...)}
}

// inName reports whether a header's name contains a part of a credential.
func (v *HeaderMask) inName(name string) bool {
	return !slices.Contains(commonAnswerHeaders, name) && v.credentials.In(name)
}

// plainValues are values of headers that Caddy and most services write. They need no search:
// no credential is that short.
var plainValues = []string{"application/json", "application/json; charset=utf-8", "Caddy", "1.1 Caddy", "2.0 Caddy"}

// Hide replaces each value that contains a part of a credential by a fingerprint, and deletes
// headers whose name contains one. It calls changed, unless it is nil, with the name and the
// new value.
func (v *HeaderMask) Hide(header http.Header, changed func(name, value string)) {
	if v == nil {
		return
	}
	for name, values := range header {
		if v.inName(name) {
			delete(header, name)
			continue
		}
		inPieces := len(values) > 1 && v.holds(strings.Join(values, " "))
		if name == "Date" || name == "Content-Length" || !inPieces && !slices.ContainsFunc(values, v.holds) {
			continue
		}
		values = slices.Clone(values) // Caddy's own are shared by all requests
		texts := make([]*string, len(values))
		for i := range values {
			texts[i] = &values[i]
		}
		v.credentials.Together(nil, texts)
		header[name] = values
		if changed != nil {
			changed(name, strings.Join(values, ","))
		}
	}
}

// text returns the text, or its fingerprint if it contains a part of a credential.
func (v *HeaderMask) text(text string) string {
	if v.holds(text) {
		return v.redactor.Fingerprint([]byte(text))
	}
	return text
}

// holds reports whether a text contains a part of a credential.
func (v *HeaderMask) holds(text string) bool {
	return !slices.Contains(plainValues, text) && v.credentials.In(text)
}

// hideInAnswer removes the credentials from the header of the upstream's answer, and from the
// placeholders that reverse_proxy sets from it.
func (v *HeaderMask) hideInAnswer(sent http.Header, repl *caddy.Replacer) {
	if v == nil {
		return
	}
	v.Hide(sent, func(name, value string) { repl.Set("http.reverse_proxy.header."+name, value) })
	const status = "http.reverse_proxy.status_text"
	if text, ok := repl.GetString(status); ok {
		if kept := v.text(text); kept != text {
			repl.Set(status, kept)
		}
	}
}
