package story

// Lang is a language, and the medium where that matters.
type Lang uint8

const (
	// Spanish is the language of a screen, as an Argentine accountant would say it.
	Spanish Lang = iota
	// English is the other language of a screen.
	English
	// Printed is the Spanish of a document that stands alone. Its readers have no console at hand that
	// explains a word, so it says more.
	Printed
)

// LangOf returns the language of a screen by its code, es or en.
func LangOf(code string) Lang {
	if code == "en" {
		return English
	}
	return Spanish
}

// Word is a text in each Lang. A text that is missing is the one in Spanish.
type Word [3]string

// In returns the text in a language.
func (w Word) In(l Lang) string {
	if w[l] == "" {
		return w[Spanish]
	}
	return w[l]
}

// Words are texts by their keys.
type Words map[string]Word

// T returns the text for a key of this package; empty if it has none.
func (l Lang) T(key string) string { return words[key].In(l) }
