package caddymodule_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
)

// records returns everything in the store, oldest first. It opens the store anew,
// as an operator would beside the running gateway.
func (s *site) records() []*audit.Record { return readStore(s.t, s.store) }

func readStore(t testing.TB, path string) []*audit.Record {
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

// last returns the newest record.
func (s *site) last() *audit.Record {
	s.t.Helper()
	all := s.records()
	if len(all) == 0 {
		s.t.Fatal("the trail is empty")
	}
	return all[len(all)-1]
}

// metric returns the value of a series as /metrics prints it, no text if it is
// not there.
func (s *site) metric(series string) string {
	s.t.Helper()
	body := s.scrape()
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// scrape returns /metrics.
func (s *site) scrape() []byte {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.metrics+"/metrics", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(r).body
}

// wantMetrics waits until each series has its value.
func (s *site) wantMetrics(t *testing.T, when string, want map[string]string) {
	t.Helper()
	for series, value := range want {
		eventually(t, when+": "+series+" "+value, func() bool { return s.metric(series) == value })
	}
}

// logTo is the output of a log; one that rolls its file leaves a goroutine behind.
func logTo(file string) string { return " output file " + file + " {\n roll_disabled\n }\n" }
