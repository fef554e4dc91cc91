package gateway_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
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
			upstream, arrived, release := caddytest.Holding(t)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
			first := s.Store
			done := caddytest.HeldRequest(t, s, arrived)

			s.Store = change.store(first)
			s.Load(s.Config("max_body 1MiB\n\t\taudit sqlite "+s.Store, caddytest.ProxyTo(upstream.URL)))

			// The new configuration serves. In the same series it would wait for its turn.
			second := caddytest.HeldRequestOf(t, s, arrived, strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":2`, 1))
			release()
			for _, answer := range []caddytest.Response{<-done, <-second} {
				if answer.Status != 200 || string(answer.Body) != caddytest.Approval || answer.Header.Get("Wsfev1-Record") == "" {
					t.Errorf("got %d %v %s", answer.Status, answer.Header, answer.Body)
				}
			}
			records := caddytest.ReadStore(t, first)
			if s.Store != first {
				records = append(records, s.Records()...)
			}
			if intents, outcomes := caddytest.Kinds(records); intents != 2 || outcomes != 2 {
				t.Errorf("%d intents and %d outcomes, want 2 and 2", intents, outcomes)
			}
		})
	}
}

// TestStopWaitsForTheExchangeUnderWay: a request that is at the upstream when Caddy stops still
// gets its answer and its record.
func TestStopWaitsForTheExchangeUnderWay(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	done := caddytest.HeldRequest(t, s, arrived)
	stopped := make(chan error, 1)
	go func() { stopped <- caddy.Stop() }()
	release()
	if answer := <-done; answer.Status != 200 {
		t.Errorf("got %d %s", answer.Status, answer.Body)
	}
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if intents, outcomes := caddytest.Kinds(s.Records()); intents != 1 || outcomes != 1 {
		t.Errorf("%d intents and %d outcomes", intents, outcomes)
	}
}

// TestReloadUnderLoad: every request that the gateway has read is answered and
// recorded, however often the configuration is replaced. A connection that Caddy
// drops unread, because it closes the old listener's queue, is the client's to
// open again: that it was not read shows in the number of records.
func TestReloadUnderLoad(t *testing.T) {
	s := caddytest.Start(t, "respond `"+caddytest.Approval+"`")
	configs := []string{
		s.Config("audit sqlite "+s.Store, "respond `"+caddytest.Approval+"`"),
		s.Config("contract base\n\t\taudit sqlite "+s.Store, "respond `"+caddytest.Approval+"`"),
	}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var answered, dropped atomic.Int64
	for range 4 {
		group.Go(func() {
			for ctx.Err() == nil {
				got, err := caddytest.Try(s.Request(t.Context(), "FECompTotXRequest", "{"+caddytest.AuthText+"}"))
				switch {
				case err != nil:
					dropped.Add(1)
				case got.Status != 200:
					t.Errorf("got %d %s", got.Status, got.Body)
				default:
					answered.Add(1)
				}
			}
		})
	}
	for i := range 6 {
		before := answered.Load()
		caddytest.Eventually(t, "answers between two reloads", func() bool { return answered.Load() > before+20 })
		s.Load(configs[i%2])
	}
	stop()
	group.Wait()
	if got := int64(len(s.Records())); got != answered.Load() {
		t.Errorf("%d records of %d answers (%d connections dropped)", got, answered.Load(), dropped.Load())
	}
}

// TestMetricsSurviveReloadsAndTwoSites.
func TestMetricsSurviveReloadsAndTwoSites(t *testing.T) {
	// All configurations answer alike: for a moment the one before may answer still.
	const next = "respond `{\"AppServer\":\"OK\",\"DbServer\":\"OK\",\"AuthServer\":\"OK\"}`"
	s := caddytest.Start(t, next)
	series := `wsfev1_exchanges_total{operation="FEDummy",outcome="answered"}`
	before := s.Metric(series)
	other := "http://" + caddytest.FreeAddress(t)
	second := fmt.Sprintf("%s {\n bind %s\n wsfev1 {\n audit sqlite %s\n }\n %s\n}\n", other, caddytest.Loopback, filepath.Join(t.TempDir(), "other.db"), next)
	both := s.Config("audit sqlite "+s.Store, next) + second
	s.Load(both)
	s.Post("FEDummy", "{}")
	s.Load(strings.Replace(both, "audit sqlite "+s.Store, "audit sqlite "+s.Store+"\n max_body 2MiB", 1))
	(&caddytest.Site{T: t, URL: other}).Post("FEDummy", "{}")
	s.Post("FEDummy", "{}")
	if got, want := s.Metric(series), caddytest.Plus(t, before, 3); got != want {
		t.Errorf("%s = %s, want %s", series, got, want)
	}
}

// TestTwoSitesShareOneStore: both write one trail, and it stays open until both
// are gone.
func TestTwoSitesShareOneStore(t *testing.T) {
	s := caddytest.Start(t, "respond `"+caddytest.Approval+"`")
	other := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
	config := s.Config("audit sqlite "+s.Store, "respond `"+caddytest.Approval+"`") +
		fmt.Sprintf("%s {\n bind "+caddytest.Loopback+"\n wsfev1 {\n audit sqlite %s\n replay off\n }\n respond `%s`\n}\n", other.URL, s.Store, caddytest.Approval)
	s.Load(config)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	other.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Load(s.Config("audit sqlite "+s.Store, "respond `"+caddytest.Approval+"`"))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if intents, outcomes := caddytest.Kinds(s.Records()); intents != 3 || outcomes != 3 {
		t.Errorf("%d intents and %d outcomes, want 3 and 3", intents, outcomes)
	}
}

// TestFailedReloadKeepsTheOldConfiguration.
func TestFailedReloadKeepsTheOldConfiguration(t *testing.T) {
	s := caddytest.Start(t, "respond `"+caddytest.Approval+"`")
	err := caddytest.LoadCaddyfile(s.Config("audit sqlite /proc/nowhere/audit.db", "respond `"+caddytest.Approval+"`"))
	if err == nil || !strings.Contains(err.Error(), "/proc/nowhere") {
		t.Fatalf("a store that cannot be opened: %v", err)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Errorf("the old configuration is gone: %d %s", got.Status, got.Body)
	}
}

// TestAReloadThatBeginsATrailIsWarnedOf: the gateway knows nothing of what was issued before. A first start is not, nor
// a reload that goes on.
func TestAReloadThatBeginsATrailIsWarnedOf(t *testing.T) {
	s, file := caddytest.NewSite(t), filepath.Join(t.TempDir(), "log")
	for i, load := range []struct {
		store string
		said  int
	}{{s.Store, 0}, {s.Store, 0}, {s.Store + ".other", 1}} {
		config := s.Config(fmt.Sprintf("max_body %dMiB\n\t\taudit sqlite %s", i+1, load.store), "respond `"+caddytest.Approval+"`")
		s.Load(strings.Replace(config, "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1))
		log, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(log), "this reload begins a new trail"); n != load.said {
			t.Errorf("load %d: said %d times, want %d:\n%s", i, n, load.said, log)
		}
		s.Post("FECAESolicitar", caddytest.Invoice(1))
	}
}
