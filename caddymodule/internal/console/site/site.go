package site

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/origin"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
)

// Site serves the pages below one path.
type Site struct {
	// Base is the path below which the pages are, without a slash at its end.
	Base string
	// MaskAll hides the documents of receivers from every reader, until the reader reveals them.
	MaskAll bool
	// ReaderScope returns which records the sender of a request may see (ErrNoReader); nil if everybody may see all.
	ReaderScope func(*http.Request) (Scope, error)

	Now    func() time.Time
	Logger *zap.Logger
	// Open calls do with the trails that may be read, which stay open for its length. It returns
	// ErrNoTrail if there are none.
	Open func(ctx context.Context, do func([]Source) error) error
	// Shelf returns the decisions of the configuration's gateways about the rules; nil without gateways.
	Shelf func() *rulebook.Shelf
	// Ending is closed when the configuration begins to end: an answer that goes on for as long as its
	// reader stays ends then, as Caddy waits for it. nil for never.
	Ending <-chan struct{}

	routes *http.ServeMux
	// patterns are the patterns of the routes, in the order in which they were added.
	patterns []string
	assets   map[string]asset // by their addresses below Base/assets/
	names    map[string]string
	share    *share
	// refused: that readers are refused is logged once, as strangers could fill the log.
	refused  sync.Once
	readings readings
}

// Handler shows a page. An error is shown in words; what none of the Err values of this package is, is
// the console's own failure, and logged.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Errors that a page explains to its reader.
var (
	ErrNotFound = errors.New("not found")
	ErrNoTrail  = errors.New("the configuration has no wsfev1, so there is no trail to read")
	// ErrBadRequest: the address or the form cannot be read.
	ErrBadRequest = errors.New("the request cannot be read")
	// ErrTooLarge: the request exceeds the page's bound.
	ErrTooLarge = errors.New("too large")
	// ErrBusy: the page's share of the processor is taken.
	ErrBusy = errors.New("too much is going on at a time")
	// ErrReadUnrecorded: each read of the trail is recorded (log_reads), which failed or is impossible here.
	ErrReadUnrecorded = errors.New("the read cannot be recorded, so nothing is shown")
)

// Prepare sets up the routes. It comes before Get, Post and Assets.
func (s *Site) Prepare() {
	s.patterns = nil
	s.routes, s.assets, s.names = http.NewServeMux(), map[string]asset{}, map[string]string{}
	s.share = newShare()
	s.routes.HandleFunc(s.Base+"/", s.showUnknown)
	s.Get("/assets/{name}", s.serveAsset)
	s.Assets(assetFiles, "assets")
}

// Get serves a path below the base, which begins with a slash, as http.ServeMux reads patterns.
func (s *Site) Get(path string, show Handler) { s.handle(http.MethodGet, path, show) }

// Post does so for a form. What no page of this site has sent is refused.
func (s *Site) Post(path string, show Handler) {
	s.handle(http.MethodPost, path, func(w http.ResponseWriter, r *http.Request) error {
		if !origin.IsOwnPage(r) {
			s.ShowProblem(w, r, http.StatusForbidden, "other_site")
			return nil
		}
		return show(w, r)
	})
}

// Routes returns the patterns of all pages and files, as http.ServeMux reads them.
func (s *Site) Routes() []string { return slices.Clone(s.patterns) }

func (s *Site) handle(method, path string, show Handler) {
	s.patterns = append(s.patterns, method+" "+s.Base+path)
	s.routes.HandleFunc(method+" "+s.Base+path, func(w http.ResponseWriter, r *http.Request) {
		if err := show(w, r); err != nil {
			s.showError(w, r, err)
		}
	})
}

// showError shows an error in words, and logs one that is the console's own. Nothing is shown behind half
// a page: the connection ends instead.
func (s *Site) showError(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case r.Context().Err() != nil: // the reader has left
	case hasBegun(w):
		s.Logger.Error("a page broke off", zap.String("path", r.URL.Path), zap.Error(err))
		panic(http.ErrAbortHandler)
	case errors.Is(err, ErrNotFound), errors.Is(err, audit.ErrNotFound):
		s.ShowProblem(w, r, http.StatusNotFound, "not_found")
	case errors.Is(err, ErrBadRequest):
		s.ShowProblem(w, r, http.StatusBadRequest, "bad_request")
	case errors.Is(err, ErrTooLarge):
		s.ShowProblem(w, r, http.StatusRequestEntityTooLarge, "too_large")
	case errors.Is(err, ErrBusy):
		w.Header().Set("Retry-After", "5")
		s.ShowProblem(w, r, http.StatusServiceUnavailable, "busy")
	case errors.Is(err, ErrBound):
		s.ShowProblem(w, r, http.StatusForbidden, "bound")
	case errors.Is(err, ErrNoReader):
		s.ShowStranger(w, r)
	case errors.Is(err, ErrNoTrail):
		s.ShowProblem(w, r, http.StatusServiceUnavailable, "no_trail")
	case errors.Is(err, ErrReadUnrecorded):
		s.Logger.Error("a page was not shown", zap.String("path", r.URL.Path), zap.Error(err))
		s.ShowProblem(w, r, http.StatusServiceUnavailable, "unrecorded")
	case damage.Is(err):
		s.Logger.Error("a page needs a record that is damaged", zap.String("path", r.URL.Path), zap.Error(err))
		s.ShowProblem(w, r, http.StatusInternalServerError, "damaged")
	default:
		s.Logger.Error("a page could not be shown", zap.String("path", r.URL.Path), zap.Error(err))
		s.ShowProblem(w, r, http.StatusInternalServerError, "broken")
	}
}
