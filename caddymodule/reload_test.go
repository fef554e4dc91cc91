package caddymodule_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// TestReloadLosesNoRequestAndNoRecord: a request that is at the upstream while the
// configuration is replaced gets its answer, and its outcome stands in the trail
// in which its intent does.
func TestReloadLosesNoRequestAndNoRecord(t *testing.T) {
	for _, change := range []struct {
		name string
		// store returns the store of the second configuration.
		store func(first string) string
	}{
		{"same store", func(first string) string { return first }},
		{"changed store", func(first string) string { return filepath.Join(filepath.Dir(first), "second.db") }},
	} {
		t.Run(change.name, func(t *testing.T) {
			upstream, arrived, release := holding(t)
			s := start(t, proxyTo(upstream.URL))
			first := s.store
			done := heldRequest(t, s, arrived)

			s.store = change.store(first)
			s.load(s.config("max_body 1MiB\n\t\taudit sqlite "+s.store, proxyTo(upstream.URL)))

			// The new configuration serves. In the same series it would wait for its turn.
			second := heldRequestOf(t, s, arrived, strings.Replace(invoice(1), `"PtoVta":1`, `"PtoVta":2`, 1))
			release()
			for _, answer := range []response{<-done, <-second} {
				if answer.status != 200 || string(answer.body) != approval || answer.header.Get("Wsfev1-Record") == "" {
					t.Errorf("got %d %v %s", answer.status, answer.header, answer.body)
				}
			}
			records := readStore(t, first)
			if s.store != first {
				records = append(records, s.records()...)
			}
			if intents, outcomes := kinds(records); intents != 2 || outcomes != 2 {
				t.Errorf("%d intents and %d outcomes, want 2 and 2", intents, outcomes)
			}
		})
	}
}

// TestStopWaitsForTheExchangeUnderWay: what is at the upstream when Caddy stops
// still gets its answer and its record.
func TestStopWaitsForTheExchangeUnderWay(t *testing.T) {
	upstream, arrived, release := holding(t)
	s := start(t, proxyTo(upstream.URL))
	done := heldRequest(t, s, arrived)
	stopped := make(chan error, 1)
	go func() { stopped <- caddy.Stop() }()
	release()
	if answer := <-done; answer.status != 200 {
		t.Errorf("got %d %s", answer.status, answer.body)
	}
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if intents, outcomes := kinds(s.records()); intents != 1 || outcomes != 1 {
		t.Errorf("%d intents and %d outcomes", intents, outcomes)
	}
}

// TestReloadUnderLoad: every request that the gateway has read is answered and
// recorded, however often the configuration is replaced. A connection that Caddy
// drops unread, because it closes the old listener's queue, is the client's to
// open again: that it was not read shows in the number of records.
func TestReloadUnderLoad(t *testing.T) {
	s := start(t, "respond `"+approval+"`")
	configs := []string{
		s.config("audit sqlite "+s.store, "respond `"+approval+"`"),
		s.config("contract base\n\t\taudit sqlite "+s.store, "respond `"+approval+"`"),
	}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var answered, dropped atomic.Int64
	for range 4 {
		group.Go(func() {
			for ctx.Err() == nil {
				got, err := try(s.request(t.Context(), "FECompTotXRequest", "{"+authText+"}"))
				switch {
				case err != nil:
					dropped.Add(1)
				case got.status != 200:
					t.Errorf("got %d %s", got.status, got.body)
				default:
					answered.Add(1)
				}
			}
		})
	}
	for i := range 6 {
		before := answered.Load()
		eventually(t, "answers between two reloads", func() bool { return answered.Load() > before+20 })
		s.load(configs[i%2])
	}
	stop()
	group.Wait()
	if got := int64(len(s.records())); got != answered.Load() {
		t.Errorf("%d records of %d answers (%d connections dropped)", got, answered.Load(), dropped.Load())
	}
}

// TestMetricsSurviveReloadsAndTwoSites.
func TestMetricsSurviveReloadsAndTwoSites(t *testing.T) {
	s := start(t, "respond `"+approval+"`")
	series := `wsfev1_exchanges_total{operation="FEDummy",outcome="answered"}`
	before := s.metric(series)
	other := "http://" + freeAddress(t)
	second := fmt.Sprintf("%s {\n wsfev1 {\n audit sqlite %s\n }\n respond `{\"AppServer\":\"OK\",\"DbServer\":\"OK\",\"AuthServer\":\"OK\"}`\n}\n",
		other, filepath.Join(t.TempDir(), "other.db"))
	both := s.config("audit sqlite "+s.store, "respond `{\"AppServer\":\"OK\",\"DbServer\":\"OK\",\"AuthServer\":\"OK\"}`") + second
	s.load(both)
	s.post("FEDummy", "{}")
	s.load(strings.Replace(both, "audit sqlite "+s.store, "audit sqlite "+s.store+"\n max_body 2MiB", 1))
	(&site{t: t, url: other}).post("FEDummy", "{}")
	s.post("FEDummy", "{}")
	if got, want := s.metric(series), plus(t, before, 3); got != want {
		t.Errorf("%s = %s, want %s", series, got, want)
	}
}

// TestTwoSitesShareOneStore: both write one trail, and it stays open until both
// are gone.
func TestTwoSitesShareOneStore(t *testing.T) {
	s := start(t, "respond `"+approval+"`")
	other := &site{t: t, url: "http://" + freeAddress(t)}
	config := s.config("audit sqlite "+s.store, "respond `"+approval+"`") +
		fmt.Sprintf("%s {\n wsfev1 {\n audit sqlite %s\n replay off\n }\n respond `%s`\n}\n", other.url, s.store, approval)
	s.load(config)
	s.post("FECAESolicitar", invoice(1))
	other.post("FECAESolicitar", invoice(1))
	s.load(s.config("audit sqlite "+s.store, "respond `"+approval+"`"))
	s.post("FECAESolicitar", invoice(1))
	if intents, outcomes := kinds(s.records()); intents != 3 || outcomes != 3 {
		t.Errorf("%d intents and %d outcomes, want 3 and 3", intents, outcomes)
	}
}

// TestFailedReloadKeepsTheOldConfiguration.
func TestFailedReloadKeepsTheOldConfiguration(t *testing.T) {
	s := start(t, "respond `"+approval+"`")
	err := loadCaddyfile(s.config("audit sqlite /proc/nowhere/audit.db", "respond `"+approval+"`"))
	if err == nil || !strings.Contains(err.Error(), "/proc/nowhere") {
		t.Fatalf("a store that cannot be opened: %v", err)
	}
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
		t.Errorf("the old configuration is gone: %d %s", got.status, got.body)
	}
}
