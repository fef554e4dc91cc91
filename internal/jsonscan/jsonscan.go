// Package jsonscan has the grammar of JSON tokens for those who read a document at once, and leave anything odd to
// package json: validate reads requests and answers so, audit/export the requests of a trail, and closing those of a month.
//
// It is a package of its own because they must not import validate.
package jsonscan

// NumberLen returns the length of the JSON number with which text begins, 0 if there is none.
func NumberLen(text []byte) int {
	n := 0
	if n < len(text) && text[n] == '-' {
		n++
	}
	if n < len(text) && text[n] == '0' {
		n++
	} else if n = pastDigits(text, n); n == 0 {
		return 0
	}
	if n < len(text) && text[n] == '.' {
		if n = pastDigits(text, n+1); n == 0 {
			return 0
		}
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		if n++; n < len(text) && (text[n] == '+' || text[n] == '-') {
			n++
		}
		return pastDigits(text, n)
	}
	return n
}

// pastDigits returns where the digits end that begin at a place, 0 if there are none.
func pastDigits(text []byte, from int) int {
	n := from
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == from {
		return 0
	}
	return n
}
