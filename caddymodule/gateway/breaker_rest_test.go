package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// outageOf issues an invoice, and returns an error if it was not refused because of an outage.
func outageOf(t *testing.T, s *caddytest.Site) error {
	t.Helper()
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got.Status != 503 || got.Codes(t)[0] != "service.outage" || got.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(got.Body), "no responde desde el ") {
		return fmt.Errorf("while the breaker is open: %d %v %s", got.Status, got.Header, got.Body)
	}
	return nil
}

// breakerRest is how long a breaker rests in tests that look at it meanwhile and afterwards.
const breakerRest = 2 * time.Second

// awaitRest waits until a rest is over that began after since, or nearly so. Meanwhile nobody asks: each request
// would have a record.
func awaitRest(t *testing.T, since time.Time) {
	t.Helper()
	caddytest.Eventually(t, "the end of the rest", func() bool { return time.Since(since) >= breakerRest })
}

// whileItRests looks at a breaker that rests, and returns a time before the rest began. since is such a
// time: a look that ends later than a rest after it shows nothing, as a probe was due. It is taken again
// then, after the next probe: probe waits for that one, and returns a time before it.
func whileItRests(t *testing.T, since time.Time, probe func(since time.Time) time.Time, look func() error) time.Time {
	t.Helper()
	caddytest.Eventually(t, "a look while the breaker rests", func() bool {
		err := look()
		if time.Since(since) >= breakerRest {
			since = probe(since)
			return false
		}
		if err != nil {
			t.Error(err)
		}
		return true
	})
	return since
}

// failedProbe waits for a probe that finds the service down, and returns a time before it.
func failedProbe(t *testing.T, s *caddytest.Site, upstream *caddytest.Moody, since time.Time) (before time.Time) {
	t.Helper()
	awaitRest(t, since)
	caddytest.Eventually(t, "a probe that fails", func() bool {
		before = time.Now()
		wantOutage(t, s)
		return len(upstream.Since()) > 0
	})
	return before
}

// wantOnlyQuestion returns an error if the service was asked anything but one client's query.
func wantOnlyQuestion(upstream *caddytest.Moody) error {
	if asked := upstream.Since(); !slices.Equal(asked, []string{"FECompTotXRequest"}) {
		return fmt.Errorf("while the breaker is open the service was asked %v", asked)
	}
	return nil
}
