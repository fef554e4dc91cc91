package site

import (
	"net/http"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/origin"
	"github.com/fielato/fielato/internal/panics"
)

// begunWriter knows whether something of an answer was sent.
type begunWriter struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader implements http.ResponseWriter.
func (w *begunWriter) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *begunWriter) Write(part []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(part)
}

// Unwrap leads http.ResponseController to what can flush.
func (w *begunWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func hasBegun(w http.ResponseWriter) bool {
	b, ok := w.(*begunWriter)
	return ok && b.begun
}

// ServeHTTP serves a page to a reader. Its caller has found that the request may come here. A page that panics
// says that it is broken; one that does so in its middle breaks off, so that nobody takes it for whole.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := &begunWriter{ResponseWriter: w}
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if value == any(http.ErrAbortHandler) {
			panic(value) // the server knows it, and ends the connection alone
		}
		_ = panics.Recovered("a page of the console", value) // it is logged
		if answer.begun {
			panic(http.ErrAbortHandler)
		}
		s.ShowProblem(answer, r, http.StatusInternalServerError, "broken")
	}()
	scoped, err := s.withScope(r)
	if err != nil {
		s.refused.Do(func() {
			s.Logger.Warn("the console was refused to somebody whom no row reader names; the next ones are not logged", zap.String("user", ReaderOf(r)), zap.Error(err))
		})
		s.ShowStranger(answer, r)
		return
	}
	if origin.IsEmbedded(scoped) {
		s.ShowProblem(answer, scoped, http.StatusForbidden, "other_site")
		return
	}
	s.routes.ServeHTTP(answer, scoped)
}

// showUnknown answers for an address without a page, and for a method that a page does not take.
func (s *Site) showUnknown(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.WithContext(r.Context())
		other.Method = method
		if _, pattern := s.routes.Handler(other); pattern != s.Base+"/" {
			allowed = append(allowed, method)
		}
	}
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	if len(allowed) == 0 {
		s.ShowProblem(w, r, http.StatusNotFound, "not_found")
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.ShowProblem(w, r, http.StatusMethodNotAllowed, "method")
}
