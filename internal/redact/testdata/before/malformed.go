package redact

import (
	"bytes"
	"slices"
)

// maxSecrets bounds the bytes of a request of unknown shape that count as credentials: a client
// that writes a Token into every member must not make each of them be searched for it.
const maxSecrets = 64 << 10

// Malformed is Body for a request that is not of its operation's shape, so that its
// credentials could not be read, or not all of them. Those that it has are echoes too. And a
// member that the interface does not have keeps no text that is longer than a name: it may
// be the Token under a name of the client's own, or the whole request in another form.
func (r *Redactor) Malformed(body []byte, echoes ...string) ([]byte, bool) {
	w := redaction{redactor: r, body: body}
	return w.runMalformed(echoes)
}

// Malformed is Redactor.Malformed, and hides the fields as Body does.
func (m *Mask) Malformed(body []byte, echoes ...string) ([]byte, bool) {
	if m.empty() {
		return m.redactor.Malformed(body, echoes...)
	}
	m.collect(body, false)
	w := redaction{redactor: m.redactor, body: body, mask: m, loose: true}
	return w.runMalformed(echoes)
}

func (w *redaction) runMalformed(echoes []string) ([]byte, bool) {
	gather := redaction{redactor: w.redactor, body: w.body, secrets: new(bytes.Buffer)}
	if _, ok := gather.run(); !ok || gather.secrets.Len() > maxSecrets {
		return nil, false
	}
	w.malformed = true
	w.echoes = w.redactor.echoes(append(slices.Clip(echoes), gather.secrets.String()))
	return w.run()
}
