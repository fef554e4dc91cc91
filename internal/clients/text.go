package clients

import "strings"

// String returns the row as a line of a file of rows. Lists of identities are in quotes, so that no identity
// passes for a word.
func (r *Row) String() string {
	var b strings.Builder
	b.WriteString(string(r.role()) + " " + r.Name)
	for i := range words {
		w := &words[i]
		if !w.isSet(r) {
			continue
		}
		b.WriteString(" " + w.name)
		switch {
		case w.text != nil:
			b.WriteString(" " + *w.text(r))
		case w.list != nil:
			for _, argument := range *w.list(r) {
				if isIdentity(w.name) {
					argument, _ = quote(argument)
				}
				b.WriteString(" " + argument)
			}
		}
	}
	return b.String()
}

func isIdentity(word string) bool {
	for _, kind := range Kinds {
		if string(kind) == word {
			return true
		}
	}
	return false
}

// quote returns a text in quotes as a Caddyfile has them. It reports false for a text that cannot be written so.
func quote(text string) (string, bool) {
	switch {
	case !strings.ContainsAny(text, `"`) && !strings.HasSuffix(text, `\`):
		return `"` + text + `"`, true
	case !strings.Contains(text, "`"):
		return "`" + text + "`", true
	}
	return "", false
}
