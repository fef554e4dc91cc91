package mask

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Of returns a Mask for an exchange of this issuer, 0 for none, with the documents that its records hold.
func Of(issuer wsfev1.CUIT, records ...*audit.Record) *Mask {
	m := New(issuer)
	for _, r := range records {
		if r == nil {
			continue
		}
		m.malformed = m.malformed || slices.ContainsFunc(r.Findings, isShape)
		m.Collect(r.Request)
		m.Collect(r.Answer)
		for _, l := range []*audit.Leg{r.Client, r.Service} {
			if l == nil {
				continue
			}
			for _, body := range [][]byte{l.Request, l.Answer} {
				if l.Form == audit.FormJSON {
					m.Collect(body)
				} else {
					m.CollectXML(body, l.Charset())
				}
			}
		}
	}
	return m
}

// isShape reports whether a finding says that a request is not of its operation's shape.
func isShape(f audit.Finding) bool { return strings.HasPrefix(f.Code, "shape.") }

// InSummary reports whether the summary of a record, which stays when its content goes, repeats a document.
// It does not look at the gateway's own measurements and numbers.
func (m *Mask) InSummary(r *audit.Record) bool {
	if m == nil || r == nil {
		return false
	}
	texts := []string{r.ClientIdentity, r.Operation, r.Resultado, string(r.Outcome), r.Upstream}
	for i := range r.Findings {
		texts = append(texts, r.Findings[i].Code, r.Findings[i].Pointer)
	}
	for _, v := range r.Vouchers {
		texts = append(texts, v.Resultado)
		if m.Code(v.Code) != v.Code || m.Code(v.Expires) != v.Expires {
			return true
		}
	}
	for _, l := range []*audit.Leg{r.Client, r.Service} {
		if l != nil {
			texts = append(texts, l.Form, l.RequestType)
		}
	}
	for _, text := range texts {
		if m.Text(text) != text {
			return true
		}
	}
	return false
}

// Code returns a code of digits as it is, unless it is a document, and another text without the documents
// that it repeats.
func (m *Mask) Code(code string) string {
	if m != nil && isCode(code) && !m.numbers[digitsOf(code)] {
		return code
	}
	return m.Text(code)
}

// isCode reports whether a text is a date, or a CAE or CAEA. A document has fewer digits than these.
func isCode(text string) bool {
	for i := range len(text) {
		if text[i]-'0' > 9 {
			return false
		}
	}
	return len(text) == len("20261120") || len(text) == len("86013409462920")
}
