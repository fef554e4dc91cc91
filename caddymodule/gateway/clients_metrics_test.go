package gateway_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// sentBy names the series of a client's requests with a result.
func sentBy(client, result string) string {
	return fmt.Sprintf(`wsfev1_client_requests_total{client="%s",result="%s"}`, client, result)
}

// TestWhatAnAlertCountsBeginsAtZero: each result that is possible for a client has a series from the table's load on,
// and no other result has one. So an alert sees the first refusal.
func TestWhatAnAlertCountsBeginsAtZero(t *testing.T) {
	file := filepath.Join(t.TempDir(), "customers")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("zero-late user late cuits * may *\n")
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "bounded", "free"), "clients "+file,
		"client zero-bounded {\n user bounded\n cuits 20-11111111-2\n pto_vta 1\n cbte_tipo 6\n may query\n max_amount 1000\n rate 1/h burst 5\n share 2\n}",
		"client zero-free {\n user free\n cuits *\n may *\n}")
	for result := range strings.FieldsSeq("admitted rate share cuits may pto_vta cbte_tipo max_amount") {
		if got := s.Metric(sentBy("zero-bounded", result)); got != "0" {
			t.Errorf("%s of a client with all bounds: %q, want 0", result, got)
		}
		want := ""
		if result == "admitted" {
			want = "0"
		}
		for _, client := range []string{"zero-free", "zero-late"} {
			if got := s.Metric(sentBy(client, result)); got != want {
				t.Errorf("%s of %s, which has no bound: %q, want %q", result, client, got, want)
			}
		}
	}
	if got := s.Metric(`wsfev1_client_slots{client="zero-bounded"}`); got != "" {
		t.Errorf("slots of a client without any request: %q", got)
	}
	as(t, s, "bounded", 0, "FEParamGetTiposIva", caddytest.Query)
	if got := s.Metric(sentBy("zero-bounded", "may")); got != "1" {
		t.Errorf("one refusal is counted as %q", got)
	}
	write("zero-late user late cuits * may tables rate 1/s\n")
	caddytest.Eventually(t, "the file is read again", func() bool { return s.Metric(sentBy("zero-late", "may")) == "0" })
	if got := s.Metric(sentBy("zero-late", "rate")); got != "0" {
		t.Errorf("a bound that is new: %q", got)
	}
}

// TestALargeTableCountsWhoSends: of more than 1,000 clients those alone have series that have sent something, and
// all of theirs begin then.
func TestALargeTableCountsWhoSends(t *testing.T) {
	var rows strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&rows, "large-%d user u%[1]d cuits 20-11111111-2 may tables rate 100/s\n", i)
	}
	file := filepath.Join(t.TempDir(), "customers")
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := caddytest.Start(t, caddytest.Accounts(caddytest.WithBackend(t), "u7"), "clients "+file)
	if scraped := string(s.Scrape("wsfev1_client_requests_total")); strings.Contains(scraped, `client="large-`) {
		t.Errorf("before any request: %s", scraped)
	}
	as(t, s, "u7", 0, "FEDummy", "{}")
	scraped := string(s.Scrape("wsfev1_client_requests_total"))
	for result, want := range map[string]string{"admitted": "1", "rate": "0", "cuits": "0", "may": "0", "share": "", "pto_vta": ""} {
		if got := caddytest.ValueOf([]byte(scraped), sentBy("large-7", result)); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
	if n := strings.Count(scraped, `client="large-`); n != 4 {
		t.Errorf("%d series", n)
	}
}
