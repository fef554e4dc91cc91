package send

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/internal/mask"
)

// HeaderMask removes the credentials of one exchange from headers: Caddy's access log writes the
// headers of the answer, and so may any program between gateway and client. The zero value hides nothing.
type HeaderMask struct{ credentials *mask.Credentials }

// NewHeaderMask returns the mask for some credentials.
func NewHeaderMask(redactor *mask.Redactor, credentials []string) HeaderMask {
	if len(credentials) == 0 {
		return HeaderMask{}
	}
	return HeaderMask{redactor.Credentials(credentials...)}
}

// Hide removes the credentials from a header, and calls changed, unless it is nil, with the name and the new
// value of each that had any.
func (v HeaderMask) Hide(header http.Header, changed func(name, value string)) {
	if v.credentials != nil {
		v.credentials.Header(header, commonAnswerHeaders, changed)
	}
}

// hideInAnswer removes the credentials from the header of the upstream's answer, and from the
// placeholders that reverse_proxy sets from it.
func (v HeaderMask) hideInAnswer(sent http.Header, repl *caddy.Replacer) {
	if v.credentials == nil {
		return
	}
	v.Hide(sent, func(name, value string) { repl.Set("http.reverse_proxy.header."+name, value) })
	const status = "http.reverse_proxy.status_text"
	if text, ok := repl.GetString(status); ok {
		if kept := v.credentials.Text(text); kept != text {
			repl.Set(status, kept)
		}
	}
}
