package gateway

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/caddymodule/internal/trail"
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
	x := &exchange{
		trail: &trail.Trail{Log: "gateway-1"}, begun: time.Now().Add(time.Hour),
		rec: recording{index: 7, durable: true},
		in:  &intake.Decision{Operation: wsfev1.OperationByName("FECAEASolicitar")}, outcome: audit.OutcomeApproved,
	}
	want := func(what string, given bool, failure audit.Failure, took time.Duration) {
		t.Helper()
		if got := x.exemplar(failure, took); (got["record"] == x.address()) != given || (got != nil) != given {
			t.Errorf("%s: %v", what, got)
		}
	}
	want("the first", true, "", 0)
	want("the next at once", false, "", exemplarPause/2)
	want("the next after a pause", true, "", exemplarPause)
	want("a slow one", true, "", exemplarSlow)
	want("the first failure", true, audit.FailureNetwork, 0)
	want("the next failure at once", false, audit.FailureNetwork, 0)
	x.outcome = audit.OutcomeUnknown
	want("one of unknown outcome", true, audit.FailureNetwork, 0)
	x.trail.Log = strings.Repeat("é", metrics.MaxExemplar-len("record/7"))
	want("as long as may be", true, audit.FailureNetwork, 0)
	x.trail.Log += "e"
	want("too long", false, audit.FailureNetwork, 0)
	x.trace = audit.TraceID{15: 1}
	x.trail.Log = strings.Repeat("é", metrics.MaxExemplar-len("record/7")-len("trace_id")-32)
	if got := x.exemplar(audit.FailureNetwork, 0); got["record"] != x.address() || got["trace_id"] != x.trace.String() {
		t.Errorf("both as long as may be: %v", got)
	}
	x.trail.Log += "e"
	if got := x.exemplar(audit.FailureNetwork, 0); got["record"] != x.address() || len(got) != 1 {
		t.Errorf("with a trace that does not fit: %v", got)
	}
	x.trail.Log = "\xff"
	want("no text", false, audit.FailureNetwork, 0)
	x.trail.Log, x.rec.durable = "gateway-1", false
	want("without a record", false, audit.FailureNetwork, 0)
}

// BenchmarkCount measures what counting an exchange costs, with an exemplar and without.
func BenchmarkCount(b *testing.B) {
	for name, recorded := range map[string]bool{"exemplar": true, "plain": false} {
		b.Run(name, func(b *testing.B) {
			x := &exchange{
				gateway: &Gateway{now: time.Now}, trail: &trail.Trail{Log: "gateway-1"}, begun: time.Now(),
				in: &intake.Decision{Operation: wsfev1.OperationByName("FECAESolicitar")}, outcome: audit.OutcomeApproved,
				rec: recording{durable: recorded}, sent: &send.Sent{Forwarded: true, Duration: 3 * time.Millisecond},
			}
			b.ReportAllocs()
			for b.Loop() {
				x.rec.index++
				x.count()
			}
		})
	}
}
