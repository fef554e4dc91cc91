package exchange

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/wsfev1"
)

// TestStraysAreRecordedOnceAMinute: of each client, whatever the number of its addresses.
func TestStraysAreRecordedOnceAMinute(t *testing.T) {
	var s strays
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	want := func(address string, after time.Duration, record bool, skipped int) {
		t.Helper()
		if r, n := s.take(address, began.Add(after)); r != record || n != skipped {
			t.Errorf("%s after %s: %v, %d skipped", address, after, r, n)
		}
	}
	want("192.0.2.1", 0, true, 0)
	for range 99 {
		want("192.0.2.1", time.Second, false, 0)
	}
	want("192.0.2.2", time.Second, true, 0)
	want("::ffff:192.0.2.1", strayPause-1, false, 0)
	want("192.0.2.1", strayPause, true, 100)
	want("192.0.2.1", 2*strayPause, true, 0)
	want("2001:db8::1", 0, true, 0)
	want("2001:db8::ffff:2", time.Second, false, 0)
	want("2001:db8:0:1::1", time.Second, true, 0)
	want("no address", 0, true, 0)
	want("none either", time.Second, false, 0)
}

// TestStraysOfManyClientsTakeBoundedMemory: those that find no room share one record a minute, and
// room is made by those whose minute is over.
func TestStraysOfManyClientsTakeBoundedMemory(t *testing.T) {
	var s strays
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	recorded := 0
	for i := range maxStrayClients + 300 {
		if record, _ := s.take(fmt.Sprintf("10.%d.%d.1", i/256, i%256), began); record {
			recorded++
		}
	}
	if recorded != maxStrayClients+1 || len(s.clients) != maxStrayClients+1 {
		t.Errorf("%d records, %d clients remembered", recorded, len(s.clients))
	}
	if record, _ := s.take("192.0.2.1", began.Add(strayPause)); !record || len(s.clients) > maxStrayClients {
		t.Errorf("a minute later: %v, %d clients remembered", record, len(s.clients))
	}
}

// TestWhatMayBeMeantForTheInterfaceIsNoStray: it is always recorded.
func TestWhatMayBeMeantForTheInterfaceIsNoStray(t *testing.T) {
	for path, stray := range map[string]bool{
		"/wp-login.php":                   true,
		"/":                               true,
		"/.env":                           true,
		"/api/v1/users":                   true,
		"/api/wsfev1/":                    false,
		"/api/wsfev1/FENada":              false,
		"/API/WSFEV1/fedummy":             false,
		"/api/%77sfev1/FECAESolicitar":    false,
		"/api/%2577sfev1/x":               false,
		"/wsfev1/service.asmx":            false,
		"/x/fecaesolicitar":               false,
		"/api//wsfev1/../FECAESolicitar/": false,
	} {
		f := record.Facts{Decision: new(intake.Decision)}
		if got := isStray(&f, httptest.NewRequest(http.MethodGet, path, nil)); got != stray {
			t.Errorf("%s: %v", path, got)
		}
	}
	f := record.Facts{Decision: &intake.Decision{Operation: wsfev1.Operations[0]}}
	if isStray(&f, httptest.NewRequest(http.MethodPost, "/", nil)) {
		t.Error("an operation")
	}
}
