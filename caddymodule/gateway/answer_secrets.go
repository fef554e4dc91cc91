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

// headerVeil takes the credentials of one exchange out of headers: Caddy's access log writes down
// those of the answer, and so may whatever stands between gateway and client.
type headerMask struct {
	redactor    *redact.Redactor
	credentials []string
	// values looks for the credentials, names for them in small letters: Go writes a header's
	// name its own way. Both are nil as long as no header could hold any.
	values, names *redact.Echoes
}

// headerVeil returns nil while no credentials are known.
func (x *exchange) headerMask() *headerMask {
	if len(x.credentials) > 0 && x.headers == nil {
		x.headers = &headerMask{redactor: x.trail.Redactor, credentials: x.credentials}
	}
	return x.headers
}

// inName reports whether a part of a credential stands in a header's name.
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

// inForm reports whether a part of a credential stands in one form of a text.
func (v *headerMask) inForm(text string) bool {
	if v.values == nil {
		all := slices.Clone(v.credentials)
		for _, credential := range v.credentials {
			// The Token is a document in base64: its text tells as much.
			if plain, err := base64.StdEncoding.DecodeString(credential); err == nil {
				all = append(all, string(plain))
			}
		}
		v.values = v.redactor.Echoes(all...)
	}
	return v.values.In(text)
}

// plainValues are headers' values that Caddy and most services write: no ticket is as short and
// as plain.
var plainValues = []string{"application/json", "application/json; charset=utf-8", "Caddy", "1.1 Caddy", "2.0 Caddy"}

// header puts a fingerprint in the place of each value that holds a part of a credential, and
// takes out the headers with one in the name. It calls changed, unless that is nil, with the
// name and the value that is left.
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

// text returns the text, or a fingerprint in its place.
func (v *headerMask) text(text string) string {
	if v.holds(text) {
		return v.redactor.Fingerprint([]byte(text))
	}
	return text
}

// holds reports whether a part of a credential stands in a text, in any of the forms in which
// services write what they quote.
func (v *headerMask) holds(text string) bool {
	return !slices.Contains(plainValues, text) && slices.ContainsFunc(formsOf(text), v.inForm)
}

// minHexadecimal is how many bytes of a credential tell something of it.
const minHexadecimal = 12

// hexadecimals are runs of digits of that length at least.
var hexadecimals = regexp.MustCompile(`(?:[0-9a-fA-F]{2}[:\s]?){12,}`)

// formsOf returns a text and what it says where it is percent-encoded, escaped as in JSON or in
// a JSON Pointer, hexadecimal, or in the letters that base64 has for addresses.
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

// unescaped returns what stands behind the escapes of JSON, as far as credentials need any.
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

// veilAnswer takes the credentials out of the header with which the next handler has answered,
// and out of what reverse_proxy tells of it by placeholders.
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
