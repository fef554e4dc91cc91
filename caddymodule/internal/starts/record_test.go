package starts

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/version"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// TestStartWithoutADigest has no field for it, as an empty one could be taken for a digest; and a path in any bytes
// is written.
func TestStartWithoutADigest(t *testing.T) {
	r, err := record("gw-1", &version.Program{Version: "v0.1.0", Settings: map[string]string{"-pgo": "/\xff"}}, time.Unix(0, 0))
	if err != nil || strings.Contains(string(r.Request), "sha256") || r.Detail != "start: Fielato v0.1.0" {
		t.Errorf("%s: %s, %v", r.Detail, r.Request, err)
	}
}
