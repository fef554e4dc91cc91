package mask

import "github.com/fielato/fielato/internal/xmlscan"

// Inspected hides the credentials of a body that is known to be of its operation's shape.
func (r *Redactor) Inspected(body []byte, credentials ...string) ([]byte, bool) {
	return r.Mask(nil).Body(body, true, credentials...)
}

// Malformed hides the credentials of a request of unknown shape.
func (r *Redactor) Malformed(body []byte, echoes ...string) ([]byte, bool) {
	return r.Mask(nil).Malformed(body, echoes...)
}

// PlainXML is XML for a plain message alone, and WholeXML for one of any kind.
func (m *Mask) PlainXML(message []byte, request bool, echoes ...string) ([]byte, bool) {
	h := m.inMessage(message, request, echoes)
	if !h.plain() {
		return nil, false
	}
	return h.kept(message, xmlscan.UTF8), true
}

func (m *Mask) WholeXML(message []byte, request bool, echoes ...string) ([]byte, bool) {
	h := m.inMessage(message, request, echoes)
	if !h.whole(m, echoes) {
		return nil, false
	}
	return h.kept(message, xmlscan.UTF8), true
}
