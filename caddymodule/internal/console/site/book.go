package site

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// Book is a gateway's book as a page offers it.
type Book struct {
	*intake.Book
	// Number counts the gateways of the configuration from 1. It is 0 for the rules as they are without
	// a gateway.
	Number int
	// Brief says in two or three words what it does about findings.
	Brief string
	// Terms say how it judges, one each.
	Terms []Term
}

// Term is a part of how a gateway judges.
type Term struct {
	// Text is for people, Option how the configuration has it, empty for what it does not say.
	Text, Option string
}

// Books returns the books of the configuration's gateways, or the standard one if it has none.
func (s *Site) Books(f *Frame) (all []Book) {
	if s.Shelf != nil {
		if shelf := s.Shelf(); shelf != nil {
			for i, book := range shelf.Books {
				all = append(all, Book{f.scoped(book), i + 1, f.T("book.brief." + modeOf(book)), f.termsOf(book)})
			}
		}
	}
	if len(all) == 0 {
		terms := append([]Term{{Text: f.T("book.none")}}, f.termsOf(intake.Standard)...)
		all = append(all, Book{Book: intake.Standard, Brief: f.T("book.brief." + modeOf(intake.Standard)), Terms: terms})
	}
	return all
}

// scoped returns a book as it judges for the reader: whether a gateway serves another issuer (option cuits) is not
// the reader's to know.
func (f *Frame) scoped(book *intake.Book) *intake.Book {
	if !f.IsBound() || book.Allows == nil {
		return book
	}
	own := *book
	own.Allows = func(cuit wsfev1.CUIT) bool { return !f.scope.Sees(cuit) || book.Allows(cuit) }
	return &own
}

// BookOf returns the book that the parameter gateway of a request names, the first if it names none.
func (s *Site) BookOf(f *Frame, number string) (Book, error) {
	books := s.Books(f)
	if number == "" {
		return books[0], nil
	}
	for _, book := range books {
		if number == strconv.Itoa(book.Number) {
			return book, nil
		}
	}
	return Book{}, fmt.Errorf("%w: there is no gateway of this number", ErrBadRequest)
}

// Counts returns what was counted about a rule since the process began, false if nothing counts. It was counted
// about all issuers: a reader who may see some gets nothing.
func (f *Frame) Counts(code int32) (rulebook.Counts, bool) {
	if f.site.Shelf != nil && !f.IsBound() {
		if shelf := f.site.Shelf(); shelf != nil && shelf.Counts != nil {
			return shelf.Counts(code), true
		}
	}
	return rulebook.Counts{}, false
}

// Moment returns the time as of which a book's gateway judges.
func (s *Site) Moment(book Book) time.Time {
	if book.Now != nil {
		return book.Now()
	}
	return s.Now()
}

// modeOf returns the configuration's word for what a gateway does about findings.
func modeOf(book *intake.Book) string {
	if book.Observe {
		return "observe"
	}
	return "enforce"
}

// termsOf says how a gateway judges.
func (f *Frame) termsOf(book *intake.Book) []Term {
	terms := []Term{
		{f.T("book.mode." + modeOf(book)), "mode " + modeOf(book)},
		{f.T("book.contract." + string(book.Contract)), "contract " + string(book.Contract)},
	}
	for _, code := range slices.Sorted(maps.Keys(book.Named)) {
		level := string(book.Named[code])
		terms = append(terms, Term{f.T("book.rule") + " " + code + ": " + f.T("book.rule."+level), "rule " + code + " " + level})
	}
	for _, option := range []struct {
		name   string
		amount wsfev1.Amount
	}{
		{"absolute_tolerance", book.Settings.AbsoluteTolerance},
		{"relative_tolerance", book.Settings.RelativeTolerance},
		{"consumer_final_threshold", book.Settings.ConsumerFinalThreshold},
		{"fce_minimum", book.Settings.FCEMinimum},
	} {
		if option.amount.Sent() {
			terms = append(terms, Term{f.T("book."+option.name) + ": " + f.Amount(option.amount), option.name + " " + option.amount.String()})
		}
	}
	if book.Filler != nil {
		terms = append(terms, Term{f.T("book.fill"), "fill"})
	}
	return terms
}

// Amount formats an amount in the language of the page.
func (f *Frame) Amount(a wsfev1.Amount) string { return spanish.AmountIn(f.Lang, a) }

// Count formats a number of things in the language of the page.
func (f *Frame) Count(n int64) string { return spanish.CountIn(f.Lang, n) }
