package redact

// Echoes looks for parts of credentials in texts that are no bodies, such as headers: as they
// are, and in base64. It is for one goroutine.
type Echoes struct{ echoes *echoes }

// Echoes returns what looks for these credentials.
func (r *Redactor) Echoes(credentials ...string) *Echoes {
	return &Echoes{echoes: r.echoes(credentials)}
}

// In reports whether a part of a credential stands in the text.
func (e *Echoes) In(text string) bool { return e.echoes.in([]byte(text)) }
