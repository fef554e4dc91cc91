package mask

// Inspected hides the credentials of a body that is known to be of its operation's shape.
func (r *Redactor) Inspected(body []byte, credentials ...string) ([]byte, bool) {
	return r.Mask(nil).Body(body, true, credentials...)
}

// Malformed hides the credentials of a request of unknown shape.
func (r *Redactor) Malformed(body []byte, echoes ...string) ([]byte, bool) {
	return r.Mask(nil).Malformed(body, echoes...)
}
