package site

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/fielato/fielato/internal/clients"
)

// Readers say who may see what.
type Readers struct {
	// Find returns who asks, nil if everybody may see all.
	Find func(*http.Request) (*clients.Reader, error)
	// Unproven is Find's error where nothing was proven about who asks.
	Unproven error
}

// Scope returns which records the sender of a request may see (ErrNoReader). Where somebody is a reader, nobody
// else sees anything, except from this machine where nothing has asked who reads.
func (a *Readers) Scope(r *http.Request) (Scope, error) {
	reader, err := a.Find(r)
	switch {
	case err == nil && reader == nil:
		return Everything, nil
	case err == nil:
		return ScopeOf(reader), nil
	case errors.Is(err, a.Unproven) && ReaderOf(r) == "" && IsLocal(r):
		return Everything, nil
	}
	return Scope{}, fmt.Errorf("%w: %w", ErrNoReader, err)
}
