package caddytest

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// Records returns everything in the store, oldest first. It opens the store anew,
// as an operator would beside the running gateway.
func (s *Site) Records() []*audit.Record { return ReadStore(s.T, s.Store) }

// ReadStore returns the records of a SQLite store, whose log it verifies.
func ReadStore(t testing.TB, path string) []*audit.Record {
	t.Helper()
	store, name := openStore(t, path)
	defer store.Close()
	records := readFrom(t, store, name, 0)
	verifier, err := store.Secret(t.Context(), "verifier-key", func() ([]byte, error) { return nil, io.EOF })
	if err != nil {
		t.Fatal(err)
	}
	audittest.VerifyWith(t, store, name, string(verifier))
	return records
}

// Last returns the newest record.
func (s *Site) Last() *audit.Record {
	s.T.Helper()
	all := s.Records()
	if len(all) == 0 {
		s.T.Fatal("the trail is empty")
	}
	return all[len(all)-1]
}

// Metric returns the value of a series as /metrics prints it, no text if it is
// not there.
func (s *Site) Metric(series string) string {
	s.T.Helper()
	return ValueOf(s.Scrape(families(series)...), series)
}

// families returns the names of the families that a series may belong to.
func families(series string) []string {
	name, _, _ := strings.Cut(series, "{")
	all := []string{name}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} { // of a histogram
		if histogram, ok := strings.CutSuffix(name, suffix); ok {
			all = append(all, histogram)
		}
	}
	return all
}

// ValueOf returns the value of a series in what was scraped, no text if it is not there.
func ValueOf(scraped []byte, series string) string {
	for line := range strings.Lines(string(scraped)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Scrape returns /metrics, or what it has of these families. All of them are thousands of
// lines, which takes a tenth of a second under the race detector.
func (s *Site) Scrape(families ...string) []byte {
	s.T.Helper()
	r, err := http.NewRequest(http.MethodGet, s.Metrics+"/metrics?"+url.Values{"name[]": families}.Encode(), nil)
	if err != nil {
		s.T.Fatal(err)
	}
	return s.Do(r).Body
}

// WantMetrics waits until each series has had its value. A look at all of them takes no longer than at one.
func (s *Site) WantMetrics(t *testing.T, when string, want map[string]string) {
	t.Helper()
	missing := maps.Clone(want)
	defer func() {
		for series, value := range missing {
			t.Errorf("%s: %s never was %s", when, series, value)
		}
	}()
	Eventually(t, when, func() bool {
		var names []string
		for series := range missing {
			names = append(names, families(series)...)
		}
		scraped := s.Scrape(names...)
		maps.DeleteFunc(missing, func(series, value string) bool { return ValueOf(scraped, series) == value })
		return len(missing) == 0
	})
}

// LogTo is the output of a log; one that rolls its file leaves a goroutine behind.
func LogTo(file string) string { return " output file " + file + " {\n roll_disabled\n }\n" }
