package gateway

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit/redact"
)

// headerMask removes the credentials of one exchange from headers: Caddy's access log writes the
// headers of the answer, and so may any program between gateway and client.
type headerMask struct {
	redactor    *redact.Redactor
	credentials []string
	// values finds the credentials, names finds them in lower case: Go changes the case of a
	// header's name. Both are nil until they are needed.
	values, names *redact.Echoes
}

// headerMask returns the mask of the exchange, nil while no credentials are known.
func (x *exchange) headerMask() *headerMask {
	if len(x.in.credentials) > 0 && x.headers == nil {
		x.headers = &headerMask{redactor: x.trail.Redactor, credentials: x.in.credentials}
	}
	return x.headers
}

// inName reports whether a header's name contains a part of a credential.
func (v *headerMask) inName(name string) bool {
	if slices.Contains(commonAnswerHeaders, name) {
		return false
	}
	if v.names == nil {
		var small []string
		for _, credential := range v.credentials {
			small = append(small, strings.ToLower(credential))
		}
		v.names = v.redactor.Echoes(small...)
	}
	return v.names.In(strings.ToLower(name))
}

// inForm reports whether one form of a text contains a part of a credential.
func (v *headerMask) inForm(text string) bool {
	if v.values == nil {
		all := slices.Clone(v.credentials)
		for _, credential := range v.credentials {
			// The Token is a document in base64: the plain text is secret too.
			if plain, err := base64.StdEncoding.DecodeString(credential); err == nil {
				all = append(all, string(plain))
			}
		}
		v.values = v.redactor.Echoes(all...)
	}
	return v.values.In(text)
}

// plainValues are values of headers that Caddy and most services write. They need no search:
// no credential is that short.
var plainValues = []string{"application/json", "application/json; charset=utf-8", "Caddy", "1.1 Caddy", "2.0 Caddy"}

// header replaces each value that contains a part of a credential by a fingerprint, and deletes
// headers whose name contains one. It calls changed, unless it is nil, with the name and the
// new value.
func (v *headerMask) header(header http.Header, changed func(name, value string)) {
	if v == nil {
		return
	}
	for name, values := range header {
		if v.inName(name) {
			delete(header, name)
			continue
		}
		if name == "Date" || name == "Content-Length" || !slices.ContainsFunc(values, v.holds) {
			continue
		}
		values = slices.Clone(values) // Caddy's own are shared by all requests
		for i, value := range values {
			values[i] = v.text(value)
		}
		header[name] = values
		if changed != nil {
			changed(name, strings.Join(values, ","))
		}
	}
}

// text returns the text, or its fingerprint if it contains a part of a credential.
func (v *headerMask) text(text string) string {
	if v.holds(text) {
		return v.redactor.Fingerprint([]byte(text))
	}
	return text
}

// holds reports whether a text contains a part of a credential, in any of the forms in which
// services quote text.
func (v *headerMask) holds(text string) bool {
	return !slices.Contains(plainValues, text) && slices.ContainsFunc(formsOf(text), v.inForm)
}

// minHexadecimal is the shortest part of a credential to look for, in bytes.
const minHexadecimal = 12

// hexadecimals are runs of digits of that length at least.
var hexadecimals = regexp.MustCompile(`(?:[0-9a-fA-F]{2}[:\s]?){12,}`)

// formsOf returns a text and its decoded forms: percent-decoded, without the escapes of JSON or
// of a JSON Pointer, from hexadecimal, and from the URL alphabet of base64.
func formsOf(text string) []string {
	forms := []string{text}
	if strings.Contains(text, "%") {
		forms = append(forms, percentDecoded(text))
	}
	if strings.Contains(text, `\`) {
		forms = append(forms, unescaped(unescaped(text)))
	}
	if strings.ContainsAny(text, "-_~") {
		forms = append(forms, strings.NewReplacer("-", "+", "_", "/", "~1", "/").Replace(text))
	}
	if len(text) < 2*minHexadecimal {
		return forms
	}
	for _, digits := range hexadecimals.FindAllString(text, -1) {
		digits = strings.NewReplacer(":", "", " ", "").Replace(digits)
		if plain, err := hex.DecodeString(digits); err == nil {
			forms = append(forms, string(plain))
		}
	}
	return forms
}

var escapes = regexp.MustCompile(`\\u00[0-9a-fA-F]{2}|\\.`)

// unescaped decodes the escapes of JSON that credentials can need.
func unescaped(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(escape string) string {
		if digits, ok := strings.CutPrefix(escape, `\u`); ok {
			if code, err := strconv.ParseUint(digits, 16, 8); err == nil {
				return string(rune(code))
			}
		}
		return escape[1:]
	})
}

// maskAnswerHeader removes the credentials from the header of the upstream's answer, and from the
// placeholders that reverse_proxy sets from it.
func (x *exchange) maskAnswerHeader(sent http.Header) {
	v := x.headerMask()
	if v == nil {
		return
	}
	v.header(sent, func(name, value string) { x.repl.Set("http.reverse_proxy.header."+name, value) })
	const status = "http.reverse_proxy.status_text"
	if text, ok := x.repl.GetString(status); ok {
		if kept := v.text(text); kept != text {
			x.repl.Set(status, kept)
		}
	}
}
