package record

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/wsfev1"
)

// TestExemplarsAreBoundedInNumberAndLength: one of what went well in a while, each of what
// took long or is of unknown outcome, none that OpenMetrics forbids.
func TestExemplarsAreBoundedInNumberAndLength(t *testing.T) {
	t.Cleanup(func() { // what was given in this test's time keeps nothing back in others
		for _, next := range exemplarNext {
			next.Store(0)
		}
	})
	x := &Facts{
		Log: "gateway-1", Started: time.Now().Add(time.Hour), Place: Place{Index: 7, Durable: true},
		Decision: &intake.Decision{Operation: wsfev1.OperationByName("FECAEASolicitar")}, Result: Result{Answer: send.Answer{Outcome: audit.OutcomeApproved}},
	}
	want := func(what string, given bool, failure audit.Failure, took time.Duration) {
		t.Helper()
		if got := x.exemplar(failure, took); (got["record"] == x.Address()) != given || (got != nil) != given {
			t.Errorf("%s: %v", what, got)
		}
	}
	inLog := func(name string) { x.Log, x.Place.address = name, "" }
	want("the first", true, "", 0)
	want("the next at once", false, "", exemplarPause/2)
	want("the next after a pause", true, "", exemplarPause)
	want("a slow one", true, "", exemplarSlow)
	want("the first failure", true, audit.FailureNetwork, 0)
	want("the next failure at once", false, audit.FailureNetwork, 0)
	x.Result.Outcome = audit.OutcomeUnknown
	want("one of unknown outcome", true, audit.FailureNetwork, 0)
	inLog(strings.Repeat("é", metrics.MaxExemplar-len("record/7")))
	want("as long as may be", true, audit.FailureNetwork, 0)
	inLog(x.Log + "e")
	want("too long", false, audit.FailureNetwork, 0)
	x.Trace = audit.TraceID{15: 1}
	inLog(strings.Repeat("é", metrics.MaxExemplar-len("record/7")-len("trace_id")-32))
	if got := x.exemplar(audit.FailureNetwork, 0); got["record"] != x.Address() || got["trace_id"] != x.Trace.String() {
		t.Errorf("both as long as may be: %v", got)
	}
	inLog(x.Log + "e")
	if got := x.exemplar(audit.FailureNetwork, 0); got["record"] != x.Address() || len(got) != 1 {
		t.Errorf("with a trace that does not fit: %v", got)
	}
	inLog("\xff")
	want("no text", false, audit.FailureNetwork, 0)
	inLog("gateway-1")
	x.Place.Durable = false
	want("without a record", false, audit.FailureNetwork, 0)
}

// BenchmarkCount measures what counting an exchange costs, with an exemplar and without.
func BenchmarkCount(b *testing.B) {
	for name, recorded := range map[string]bool{"exemplar": true, "plain": false} {
		b.Run(name, func(b *testing.B) {
			x := &Facts{
				Log: "gateway-1", Started: time.Now(), Place: Place{Durable: recorded},
				Decision: &intake.Decision{Operation: wsfev1.OperationByName("FECAESolicitar")}, Result: Result{Answer: send.Answer{Outcome: audit.OutcomeApproved}},
				Sent: send.Sent{Forwarded: true, Duration: 3 * time.Millisecond},
			}
			b.ReportAllocs()
			for b.Loop() {
				x.Place.Index++
				x.Count(time.Now())
			}
		})
	}
}
