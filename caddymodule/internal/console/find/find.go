package find

import (
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/fielato/fielato/audit"
)

// Request is what a text asks for.
type Request struct {
	// Query is the search, without log and limit. A class, such as B, stands for any of its types (CbteTipos).
	Query audit.Query
	// Record is the address of a record, nil unless the text is one.
	Record *Address
	// Readings are the ways to read a word that can mean several things, none if no word can. The request is the first
	// of them.
	Readings []Reading
	// Unread are the words that mean nothing here, in their order.
	Unread []string
	// Doubts are the words that mean something, but cannot be right: a CUIT whose check digit does not
	// fit.
	Doubts []string
}

// Address is the address of a record: log/index.
type Address struct {
	Log   string
	Index uint64
}

// IsEmpty reports whether the text asked for nothing that can be searched for.
func (r *Request) IsEmpty() bool {
	return r.Record == nil && reflect.DeepEqual(r.Query, audit.Query{})
}

// Parse reads a text. Words stand beside each other in any order; what they ask for must all hold. now
// is the time as of which "hoy" is a day, in the authority's zone.
func Parse(text string, now time.Time) Request {
	r := Request{}
	all := wordsOf(text)
	for words := all; len(words) > 0; {
		if r.Readings == nil {
			before := all[:len(all)-len(words)]
			for _, reading := range meaningsOf(&r, words, now) {
				reading.Text = strings.Join(append(append([]string(nil), before...), reading.Text), " ")
				if rest := words[reading.words:]; len(rest) > 0 {
					reading.Text += " " + strings.Join(rest, " ")
				}
				r.Readings = append(r.Readings, reading)
			}
		}
		words = words[r.take(words, now):]
	}
	if r.IsEmpty() && text != "" { // labels of nothing
		r.Unread = strings.Fields(strings.ToValidUTF8(text, ""))
	}
	return r
}

// wordsOf returns the words of a text. A label may stand at what it names, as in "CAE:96470000000018".
func wordsOf(text string) (words []string) {
	for word := range strings.FieldsSeq(strings.Map(asTyped, strings.ToValidUTF8(text, ""))) {
		word = strings.Trim(word, ",;()")
		if n := len(word); n > 1 && word[n-1] == '.' && '0' <= word[n-2] && word[n-2] <= '9' {
			word = word[:n-1] // the end of a sentence; "pto." has its point
		}
		if word == "" {
			continue
		}
		if label, rest, found := strings.Cut(word, ":"); found && rest != "" && isLabel(label) {
			words = append(words, label, rest)
			continue
		}
		words = append(words, word)
	}
	return words
}

// asTyped returns a character as a keyboard has it. Numbers copied from a document or a mail have dashes of other lengths
// in them, and characters that nobody sees beside them.
func asTyped(r rune) rune {
	const minus = '−'
	switch {
	case r == minus || unicode.Is(unicode.Pd, r):
		return '-'
	case unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// take reads the beginning of the words, and returns how many of them it has taken: one at least.
func (r *Request) take(words []string, now time.Time) int {
	for _, read := range readers {
		if taken := read(r, words, now); taken > 0 {
			return taken
		}
	}
	if len(words) == 1 || !isLabel(words[0]) {
		r.Unread = append(r.Unread, words[0])
	}
	return 1
}

// reader reads the beginning of some words, and returns how many of them it has taken; 0 for none.
type reader func(r *Request, words []string, now time.Time) int

// readers are tried one after the other.
var readers = []reader{
	readLabelled, one(readQR), readDay, readInvoice, readSpacedCode, one(readRecord), one(readTrace), one(readExchange), one(readCode), one(readDigits),
	one(readRule), one(readOperation), one(readOutcome),
}

// one is a reader of a single word.
func one(read func(r *Request, word string) bool) reader {
	return func(r *Request, words []string, _ time.Time) int {
		if read(r, words[0]) {
			return 1
		}
		return 0
	}
}
