package mask

import "github.com/fielato/fielato/validate"

// Findings removes the credentials from findings, in place: their places may hold names made by the client or
// the service, and their texts values.
func (c *Credentials) Findings(findings []validate.Finding) {
	// The invoices of a lot often have the same texts, and searching a text for a long Token
	// costs microseconds.
	clean := map[string]string{}
	pointers, quoted := make([]*string, 0, 2*len(findings)), make([]*string, 0, len(findings))
	for i := range findings {
		pointers, quoted = append(pointers, &findings[i].Pointer, &findings[i].Path), append(quoted, &findings[i].Got)
	}
	c.Together(pointers, quoted)
	for i := range findings {
		f := &findings[i]
		f.Pointer, f.Path = c.Pointer(f.Pointer), c.Pointer(f.Path)
		for _, text := range []*string{&f.Text, &f.Expected, &f.Got, &f.Difference} {
			cleaned, done := clean[*text]
			if !done {
				cleaned = c.Text(*text)
				clean[*text] = cleaned
			}
			*text = cleaned
		}
	}
}
