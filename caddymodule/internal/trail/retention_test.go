package trail_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTheStoreRemembersTheRetention for commands that know nothing of the configuration, and a
// reload changes it.
func TestTheStoreRemembersTheRetention(t *testing.T) {
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next)
	kept := func(want int) {
		t.Helper()
		store, err := auditsqlite.OpenReader(s.Store)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		log, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		if years, err := audit.Retention(t.Context(), store, log); years != want || err != nil {
			t.Errorf("%d, %v, want %d", years, err, want)
		}
	}
	s.Post("FEDummy", "{}")
	kept(audit.DefaultRetention)
	for _, test := range []struct {
		option string
		years  int
	}{{"retention 3", 3}, {"retention 20", 20}, {"retention 0", 0}, {"on_failure refuse", audit.DefaultRetention}} {
		s.Load(s.Config(s.WithAudit(caddytest.TrailOption+test.option), next))
		kept(test.years)
	}
}

// TestHandlersThatShareATrailAgreeOnTheRetention.
func TestHandlersThatShareATrailAgreeOnTheRetention(t *testing.T) {
	s := caddytest.NewSite(t)
	next := caddytest.WithBackend(t)
	one := s.Config(s.WithAudit(caddytest.TrailOption+"retention 3"), next)
	first, rest, found := strings.Cut(one, "\twsfev1 {")
	if !found {
		t.Fatal(one)
	}
	block, end, _ := strings.Cut(rest, "\n\t}")
	other := strings.Replace(block, "retention 3", "retention 4", 1)
	config := first + "\troute /a/* {\n\twsfev1 {" + other + "\n\t}\n}\n\twsfev1 {" + block + "\n\t}" + end
	if err := caddytest.LoadCaddyfile(config); err == nil || !strings.Contains(err.Error(), "retention: another wsfev1") {
		t.Errorf("%v\n%s", err, config)
	}
}
