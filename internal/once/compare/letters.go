package compare

import (
	"unicode"
	"unicode/utf8"
)

// isBlank reports whether a letter separates words: white space, or a control character, which the
// service may turn into white space or drop.
func isBlank(letter rune) bool { return unicode.IsSpace(letter) || unicode.IsControl(letter) }

// lettersOf returns the first letters of a text, with one space for each run of blanks in it and none
// around it.
func lettersOf(text string, most int) []rune {
	var letters []rune
	n, blank := 0, false
	for _, letter := range text {
		if n++; n > most && len(letters) > 0 {
			break
		}
		if isBlank(letter) {
			if len(letters) == 0 {
				n--
			}
			blank = len(letters) > 0
			continue
		}
		if blank {
			letters, blank = append(letters, ' '), false
		}
		letters = append(letters, letter)
	}
	return letters
}

// mostOfOne is how many letters one that is not ASCII may become: its bytes in UTF-8, read one by one.
const mostOfOne = utf8.UTFMax

// mayBecome reports whether a service that changes letters which are not ASCII may make kept of sent: it
// may replace such a letter, write it as several, or drop it. An ASCII letter with a combining accent is
// such a letter in two parts.
func mayBecome(sent, kept []rune) bool {
	// reached[j]: what was examined of sent may have become the first j letters of kept.
	reached, next := make([]bool, len(kept)+1), make([]bool, len(kept)+1)
	reached[0] = true
	for i, letter := range sent {
		clear(next)
		changes := letter >= utf8.RuneSelf || i+1 < len(sent) && unicode.Is(unicode.Mn, sent[i+1])
		for j := range reached {
			switch {
			case !reached[j]:
			case changes:
				next[j] = true
				for n := j; n < min(j+mostOfOne, len(kept)) && (n == j || kept[n] >= utf8.RuneSelf || kept[n] == '?'); n++ {
					next[n+1] = true
				}
			case j < len(kept) && kept[j] == letter:
				next[j+1] = true
			}
		}
		reached, next = next, reached
	}
	return reached[len(kept)]
}
