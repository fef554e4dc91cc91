package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/wsfev1"
)

// ErrNoReader: the configuration says who may read, and that is not who asks.
var ErrNoReader = errors.New("who asks is no reader")

// Scope is which records a reader may see. The zero Scope sees none.
type Scope struct {
	// Reader is the name of the reader's row, empty where no row says who reads.
	Reader string
	// Mask hides the documents of receivers from this reader.
	Mask bool

	all   bool
	cuits []wsfev1.CUIT
}

// Everything is the scope of somebody who may see all records.
var Everything = Scope{all: true}

// ScopeOf returns the scope of a reader.
func ScopeOf(r *clients.Reader) Scope {
	return Scope{Reader: r.Name, Mask: r.Mask, all: r.All(), cuits: r.Cuits()}
}

// All reports whether all records are in the scope, also those that are about no issuer.
func (s Scope) All() bool { return s.all }

// May reports whether the reader may see something about all of these issuers, of whom there must be one.
func (s Scope) May(cuits ...wsfev1.CUIT) bool {
	return s.all || len(cuits) > 0 && !slices.ContainsFunc(cuits, func(cuit wsfev1.CUIT) bool { return !slices.Contains(s.cuits, cuit) })
}

// Sees reports whether the reader may see the records of an issuer; 0 stands for those that name none.
func (s Scope) Sees(cuit wsfev1.CUIT) bool { return s.May(cuit) }

// Key is the same for two scopes with the same records.
func (s Scope) Key() string {
	if s.all {
		return clients.All
	}
	return fmt.Sprint(s.cuits)
}

// equal reports whether a reader sees the same in both.
func (s Scope) equal(other Scope) bool {
	return s.Reader == other.Reader && s.Mask == other.Mask && s.Key() == other.Key()
}

// maxNamed is how many issuers a page names.
const maxNamed = 5

// names lists the first issuers of the scope.
func (s Scope) names() string {
	var all []string
	for _, cuit := range s.cuits[:min(len(s.cuits), maxNamed)] {
		all = append(all, spanish.CUIT(cuit))
	}
	return strings.Join(all, ", ")
}

// scopeKey is the key of a request's scope in its context.
type scopeKey struct{}

// withScope returns the request with its reader's scope, which holds for the whole answer.
func (s *Site) withScope(r *http.Request) (*http.Request, error) {
	scope, err := s.ask(r)
	if err != nil {
		return nil, err
	}
	return r.WithContext(context.WithValue(r.Context(), scopeKey{}, scope)), nil
}

// ask returns the scope of who asks, as of now.
func (s *Site) ask(r *http.Request) (Scope, error) {
	if s.ReaderScope == nil {
		return Everything, nil
	}
	return s.ReaderScope(r)
}

// Scope returns the scope of the reader. A request that no reader sends has the zero Scope.
func (s *Site) Scope(r *http.Request) Scope {
	if scope, ok := r.Context().Value(scopeKey{}).(Scope); ok {
		return scope
	}
	scope, err := s.ask(r)
	if err != nil {
		return Scope{}
	}
	return scope
}

// present returns the scope of the reader as of now. An answer goes on for as long as its reader stays: one
// that began with another scope ends.
func (s *Site) present(r *http.Request) (Scope, error) {
	scope, err := s.ask(r)
	if began, ok := r.Context().Value(scopeKey{}).(Scope); err == nil && ok && !began.equal(scope) {
		err = fmt.Errorf("%w any more: the scope has changed meanwhile", ErrNoReader)
	}
	return scope, err
}

// StillMay returns why a reader may no longer see what an answer has begun to show, nil if that may go on.
func (s *Site) StillMay(r *http.Request) error {
	_, err := s.present(r)
	return err
}

// Knows reports whether a row names the reader, however the request has proven that.
func (s *Site) Knows(r *http.Request) bool {
	scope, err := s.ask(r)
	return err == nil && scope.Reader != ""
}

// Masks reports whether documents of receivers are hidden from the reader.
func (s *Site) Masks(r *http.Request) bool { return s.MaskAll || s.Scope(r).Mask }
