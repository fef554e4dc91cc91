package audit_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestAnOriginNamesOneLog, whatever stands before it, and other texts name none.
func TestAnOriginNamesOneLog(t *testing.T) {
	for _, name := range []string{"gw-1", "a/b", "con espacio", "más+", "%2F", "fielato", "x.20261127T150405Z"} {
		for _, before := range []string{"", "ejemplo.com.ar/", "a/b/", "fielato/", "ñandú.example/"} {
			origin := before + audit.Origin(name)
			if got, log, ok := audit.SplitOrigin(origin); !ok || got != before || log != name || !audit.IsOrigin(origin, name) {
				t.Errorf("%s: %q, %q, %v", origin, got, log, ok)
			}
		}
	}
	for _, origin := range []string{
		"", "gw-1", "fielato", "fielato/a b", "fielato/a%2fb", "fielato/%zz", "x.fielato/gw-1", "/fielato/gw-1", "a b/fielato/gw-1", "a+b/fielato/gw-1",
		"fielato/a/b", "ejemplo.com.ar/gw-1", "a\nb/fielato/gw-1", "\xff/fielato/gw-1",
	} {
		if before, log, ok := audit.SplitOrigin(origin); ok {
			t.Errorf("%q is the origin of %q behind %q", origin, log, before)
		}
	}
}
