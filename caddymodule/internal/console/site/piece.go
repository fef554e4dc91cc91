package site

import "regexp"

// Piece is a part of a text that a page shows.
type Piece struct {
	Text string
	// IsNumber: the piece is a CUIT or the number of a voucher. People read it at a glance, and compare it with another:
	// the page must not part it between two lines, which browsers do at a hyphen.
	IsNumber bool
}

// numbers finds CUITs and the numbers of vouchers, as package spanish writes them. search.js has the same expression.
var numbers = regexp.MustCompile(`\d{2}-\d{8}-\d|\d{4,5}-\d{8}`)

// Pieces parts a text before and behind each of its numbers. The template "pieces" shows the result.
func (*Frame) Pieces(text string) []Piece {
	var pieces []Piece
	add := func(text string, isNumber bool) {
		if text != "" {
			pieces = append(pieces, Piece{text, isNumber})
		}
	}
	end := 0
	for _, at := range numbers.FindAllStringIndex(text, -1) {
		add(text[end:at[0]], false)
		add(text[at[0]:at[1]], true)
		end = at[1]
	}
	add(text[end:], false)
	return pieces
}
