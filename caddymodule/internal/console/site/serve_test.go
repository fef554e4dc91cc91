package site_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/panics"
)

// secret is what a page that fails has in its hands.
const secret = "20-30000000-7"

// failing is a site whose pages fail, and a counter of its panics.
func failing(t *testing.T) (s *site.Site, logs *observer.ObservedLogs, caught *int) {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	s = &site.Site{
		Base: "/consola", Now: time.Now, Logger: zap.New(core),
		Open: func(context.Context, func([]site.Source) error) error { return site.ErrNoTrail },
	}
	caught = new(int)
	panics.Observe(func(*panics.Error) { *caught++ })
	t.Cleanup(func() { panics.Observe(func(*panics.Error) {}) })
	s.Prepare()
	s.Get("/panics", func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Disposition", "attachment; filename=table.csv")
		w.Header().Set("Content-Type", "text/csv")
		panic("a request of " + secret)
	})
	s.Post("/panics", func(http.ResponseWriter, *http.Request) error { panic(errors.New(secret)) })
	s.Get("/half", func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = w.Write([]byte("cuit;total\n"))
		panic(secret)
	})
	s.Get("/broken", func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = w.Write([]byte("cuit;total\n"))
		return errors.New("the store is gone")
	})
	s.Get("/fails", func(http.ResponseWriter, *http.Request) error {
		return errors.New("the store of " + secret + " is gone")
	})
	s.Get("/aborts", func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) })
	return s, logs, caught
}

// TestAPageThatPanicsSaysThatItIsBroken: no stack and no value is shown, and it is logged once.
func TestAPageThatPanicsSaysThatItIsBroken(t *testing.T) {
	s, logs, caught := failing(t)
	for i, method := range []string{http.MethodGet, http.MethodPost} {
		got := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/consola/panics", nil)
		r.Header.Set("Origin", "http://"+r.Host)
		s.ServeHTTP(got, r)
		text := got.Body.String()
		if got.Code != http.StatusInternalServerError || !strings.Contains(text, "No se pudo mostrar") || strings.Contains(text, secret) || strings.Contains(text, "goroutine") {
			t.Errorf("%s: %d %s", method, got.Code, text)
		}
		if h := got.Header(); !strings.HasPrefix(h.Get("Content-Type"), "text/html") || h.Get("Content-Disposition") != "" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", method, h)
		}
		if *caught != i+1 || logs.Len() != 0 {
			t.Errorf("%s: %d panics were reported, and %d lines beside", method, *caught, logs.Len())
		}
	}
	got := httptest.NewRecorder()
	s.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/consola/fails", nil))
	if got.Code != http.StatusInternalServerError || strings.Contains(got.Body.String(), secret) || logs.Len() != 1 {
		t.Errorf("%d, %d lines: %s", got.Code, logs.Len(), got.Body)
	}
}

// TestHalfAPageBreaksOff: nobody takes it for a whole one, and no other page stands behind it.
func TestHalfAPageBreaksOff(t *testing.T) {
	s, logs, caught := failing(t)
	for address, reported := range map[string][2]int{"/half": {1, 0}, "/broken": {0, 1}, "/aborts": {0, 0}} {
		*caught = 0
		logs.TakeAll()
		got := httptest.NewRecorder()
		ended := func() (value any) {
			defer func() { value = recover() }()
			s.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/consola"+address, nil))
			return nil
		}()
		if ended != any(http.ErrAbortHandler) {
			t.Errorf("%s ends with %v", address, ended)
		}
		if text := got.Body.String(); strings.Contains(text, "<") || *caught != reported[0] || logs.Len() != reported[1] {
			t.Errorf("%s: %q, %d panics, %d lines", address, text, *caught, logs.Len())
		}
	}
}

// TestAllowNamesTheMethodsOfAnAddress.
func TestAllowNamesTheMethodsOfAnAddress(t *testing.T) {
	s, _, _ := failing(t)
	s.Post("/form", func(http.ResponseWriter, *http.Request) error { return nil })
	for request, want := range map[string]string{
		"PUT /consola/panics": "GET, POST, HEAD", "GET /consola/form": "POST", "POST /consola/half": "GET, HEAD", "PATCH /consola/assets/x.js": "GET, HEAD",
	} {
		method, address, _ := strings.Cut(request, " ")
		got := httptest.NewRecorder()
		s.ServeHTTP(got, httptest.NewRequest(method, address, nil))
		if got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") != want {
			t.Errorf("%s: %d, Allow %q, want %q", request, got.Code, got.Header().Get("Allow"), want)
		}
	}
}

// TestAnotherSiteReadsNothingInAReadersName: a page of another site that embeds one of the console's makes the browser
// ask as its user. Nothing is read, so that no reading is on record.
func TestAnotherSiteReadsNothingInAReadersName(t *testing.T) {
	s, _, _ := failing(t)
	read := 0
	s.Get("/page", func(http.ResponseWriter, *http.Request) error {
		read++
		return nil
	})
	for dest, want := range map[string]int{"image": http.StatusForbidden, "document": http.StatusOK} {
		mode := map[string]string{"image": "no-cors", "document": "navigate"}[dest]
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := httptest.NewRequest(method, "/consola/page", nil)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", mode)
			r.Header.Set("Sec-Fetch-Dest", dest)
			got := httptest.NewRecorder()
			s.ServeHTTP(got, r)
			if got.Code != want {
				t.Errorf("%s as %s: %d", method, dest, got.Code)
			}
		}
	}
	if read != 2 {
		t.Errorf("the page was read %d times", read)
	}
}
