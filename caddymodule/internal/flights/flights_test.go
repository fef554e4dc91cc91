package flights

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestAStopTellsWhatItWaitsFor, again and again until the last exchange is done.
func TestAStopTellsWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		f := New()
		f.Report(zap.New(core))
		if n := logs.Len(); n != 0 {
			t.Errorf("%d lines without an exchange", n)
		}
		first := f.Enter("/api/wsfev1/FECAESolicitar", time.Now())
		second := f.Enter("/api/wsfev1/nothing", time.Now())
		f.Report(zap.New(core))
		f.Report(zap.New(core)) // another server of the configuration
		<-time.After(stopReport + time.Second)
		second.Leave()
		<-time.After(stopReport)
		first.Leave()
		f.reporting.Wait()
		var told []string
		for _, line := range logs.All() {
			told = append(told, line.Level.String()+": "+line.Message)
		}
		const waits = ": the stop or reload waits for exchanges under way"
		if !slices.Equal(told, []string{"info" + waits, "warn" + waits, "warn" + waits, "info: the stop or reload waits for no exchange any more"}) {
			t.Fatalf("%q", told)
		}
		fields := logs.All()[1].ContextMap()
		operations := fields["operations"].(map[string]int)
		if fields["exchanges"] != int64(2) || operations["FECAESolicitar"] != 1 || operations["unknown"] != 1 || fields["oldest"] != stopReport {
			t.Errorf("%v", fields)
		}
		if fields := logs.All()[2].ContextMap(); fields["exchanges"] != int64(1) {
			t.Errorf("%v", fields)
		}
	})
}
