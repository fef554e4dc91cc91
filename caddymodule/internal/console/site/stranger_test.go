package site_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// TestAStrangerLearnsNothing: whatever is asked for, the answer is the same page, in the reader's language, without a
// name, a link or an address of a file. That somebody was refused is logged once.
func TestAStrangerLearnsNothing(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	s := &site.Site{
		Base: "/consola", Now: time.Now, Logger: zap.New(core), Open: func(context.Context, func([]site.Source) error) error { return nil },
		ReaderScope: func(*http.Request) (site.Scope, error) { return site.Scope{}, site.ErrNoReader },
	}
	s.Prepare()
	s.Get("/here", func(w http.ResponseWriter, _ *http.Request) error {
		_, err := w.Write([]byte("a page"))
		return err
	})
	ask := func(method, path, language string) *httptest.ResponseRecorder {
		got := httptest.NewRecorder()
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Accept-Language", language)
		s.ServeHTTP(got, r)
		return got
	}
	for language, want := range map[string]string{"es-AR": "Usted no tiene permiso", "en": "You do not have permission"} {
		first := ask(http.MethodGet, "/consola/here", language)
		if first.Code != http.StatusForbidden || !strings.Contains(first.Body.String(), want) {
			t.Fatalf("%d %s", first.Code, first.Body)
		}
		for _, told := range []string{"Fielato", "href", "src=", "/consola", "reader"} {
			if strings.Contains(first.Body.String(), told) {
				t.Errorf("it tells of %q", told)
			}
		}
		if policy := first.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'; style-src 'sha256-") || strings.Contains(policy, "self") {
			t.Errorf("policy %q", policy)
		}
		for _, path := range []string{"/consola/", "/consola/nothing", "/consola/assets/console.css", "/consola/exchange/a/1"} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				if other := ask(method, path, language); other.Code != first.Code || other.Body.String() != first.Body.String() || len(other.Header()) != len(first.Header()) {
					t.Errorf("%s %s: %d %v", method, path, other.Code, other.Header())
				}
			}
		}
	}
	if n := logs.Len(); n != 1 {
		t.Errorf("%d lines are logged", n)
	}
}
