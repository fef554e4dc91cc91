package find

import (
	"regexp"
	"strings"
	"time"
)

// Reading is a way to read a text of which a word can mean several things.
type Reading struct {
	// Meaning is the meaning of the word: issuer, receiver, number, day, month, invoice, or an outcome.
	Meaning string
	// Text is the text with that said.
	Text string
	// words is how many words have the meaning.
	words int
}

// meaningsOf returns the ways to read the first word, none if it can mean one thing at most. The readers take it for
// the first of them.
func meaningsOf(r *Request, words []string, now time.Time) []Reading {
	word, tried := words[0], Request{Query: r.Query}
	if tried.take(words, now) != 1 {
		return nil // it is a part of something
	}
	if outcomes := outcomesOf(word); len(outcomes) > 1 && r.Query.Outcome == "" {
		var all []Reading
		for _, one := range outcomes {
			all = append(all, Reading{string(one), string(one), 1})
		}
		return all
	}
	as := func(meaning, label string) Reading { return Reading{meaning, label + " " + word, 1} }
	free := r.Query.Since.IsZero() && r.Query.Until.IsZero() && readDay(&Request{}, words, now) == 1
	switch {
	case isCUIT(word) && r.Query.Cuit == 0 && r.Query.Receiver == 0:
		return []Reading{as("issuer", "emisor"), as("receiver", "receptor")}
	case isDNI(word) && !strings.Contains(word, ".") && r.Query.Receiver == 0 && r.Query.Number == 0:
		if all := []Reading{as("receiver", "dni"), as("number", "número")}; !free {
			return all
		}
		return []Reading{as("day", "fecha"), as("receiver", "dni"), as("number", "número")}
	case free && isMonth.MatchString(word) && readInvoice(&Request{}, words, now) == 1:
		return []Reading{as("month", "mes"), as("invoice", "comprobante")}
	case free && readInvoice(&Request{}, words, now) == 1:
		return []Reading{as("day", "fecha"), as("invoice", "comprobante")}
	}
	return nil
}

// isMonth matches a month that may be a point of sale and a number.
var isMonth = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}$`)
