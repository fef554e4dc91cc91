package record

import (
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/send"
)

// TestTheServiceThatWasAskedCountsMore than the one that the configuration tells: it may have chosen another one.
func TestTheServiceThatWasAskedCountsMore(t *testing.T) {
	for _, c := range []struct {
		upstream   string
		configured audit.Environment
		want       audit.Environment
	}{
		{"", audit.EnvironmentProduction, audit.EnvironmentProduction},
		{"wswhomo.afip.gov.ar:443", "", audit.EnvironmentTesting},
		{audit.BuiltInUpstream, audit.EnvironmentProduction, audit.EnvironmentBuiltIn},
		{"proxy.internal:443", audit.EnvironmentProduction, ""},
		{"", "", ""},
	} {
		f := Facts{Service: c.configured, Sent: send.Sent{Upstream: c.upstream}}
		if got := f.Environment(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		if allocated := testing.AllocsPerRun(10, func() { f.Environment() }); allocated > 0 {
			t.Errorf("%+v: %v allocations", c, allocated)
		}
	}
}
