package trail_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// checkpointOf returns the checkpoint that the store has.
func checkpointOf(s *caddytest.Site) string {
	s.T.Helper()
	store, err := auditsqlite.OpenReader(s.Store)
	if err != nil {
		s.T.Fatal(err)
	}
	defer store.Close()
	name, err := store.Secret(s.T.Context(), "log-name", func() ([]byte, error) { return nil, io.EOF })
	if err != nil {
		s.T.Fatal(err)
	}
	head, err := store.Head(s.T.Context(), string(name))
	if err != nil {
		s.T.Fatal(err)
	}
	return string(head.Checkpoint)
}

func contentOf(t testing.TB, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestCheckpointIsKeptInAFile at the start, over a reload, and at the stop; the admin API
// and the metrics tell of it.
func TestCheckpointIsKeptInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	option := caddytest.TrailOption + "checkpoint_to " + file
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
	kept := s.Metric(`wsfev1_audit_checkpoint_posts_total{result="kept"}`)
	if got := s.Metric("wsfev1_audit_checkpoint_kept_timestamp_seconds"); got != "" {
		t.Errorf("without a place: %s", got)
	}
	s.Load(s.WithAdmin(s.Config(s.WithAudit(option), caddytest.WithBackend(t))))
	caddytest.Eventually(t, "the checkpoint of the start is kept", func() bool {
		got := s.Ask("GET", "/wsfev1/audit", "")
		return got.At(t, "/logs/0/checkpoint_to/0/at") != `""` && got.At(t, "/logs/0/checkpoint_to/0/place") == `"`+file+`"`
	})
	if contentOf(t, file) != checkpointOf(s.Site) {
		t.Errorf("kept\n%s\nwant\n%s", contentOf(t, file), checkpointOf(s.Site))
	}
	if got, want := s.Metric(`wsfev1_audit_checkpoint_posts_total{result="kept"}`), caddytest.Plus(t, kept, 1); got != want {
		t.Errorf("posts: %s, want %s", got, want)
	}
	if got := s.Metric("wsfev1_audit_checkpoint_kept_timestamp_seconds"); got == "" || got == "0" {
		t.Errorf("kept at %q", got)
	}
	before := contentOf(t, file)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if contentOf(t, file) != before {
		t.Error("kept before the interval is over")
	}
	s.Load(s.WithAdmin(s.Config("max_body 1MiB\n\t\t"+s.WithAudit(option), caddytest.WithBackend(t)))) // the old one keeps for the last time
	if contentOf(t, file) != checkpointOf(s.Site) || contentOf(t, file) == before {
		t.Errorf("after the reload\n%s\nwant\n%s", contentOf(t, file), checkpointOf(s.Site))
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if contentOf(t, file) != checkpointOf(s.Site) || !strings.Contains(contentOf(t, file), "\n4\n") {
		t.Errorf("after the stop\n%s\nwant\n%s", contentOf(t, file), checkpointOf(s.Site))
	}
}

// TestAdminShowsTheNewestCheckpoint, which the public key beside it has signed.
func TestAdminShowsTheNewestCheckpoint(t *testing.T) {
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	got := s.Ask("GET", "/wsfev1/audit", "")
	unquote := strings.NewReplacer(`\n`, "\n", `"`, "").Replace
	checkpoint, err := audit.OpenCheckpoint([]byte(unquote(got.At(t, "/logs/0/checkpoint"))), unquote(got.At(t, "/logs/0/public_key")))
	if err != nil || checkpoint.Size != 2 {
		t.Errorf("%v %+v: %s", err, checkpoint, got.Body)
	}
}

// copyStore copies the database of a gateway that is stopped to another path.
func copyStore(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(from + suffix)
		if err == nil {
			err = os.WriteFile(to+suffix, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(to + "-shm"); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// TestOlderCopyOfTheTrailKeepsTheGatewayFromStarting: it verifies, and only what was kept
// elsewhere shows that records are gone. Nor may another history go on.
func TestOlderCopyOfTheTrailKeepsTheGatewayFromStarting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	option := caddytest.TrailOption + "checkpoint_to " + file
	s := caddytest.Start(t, caddytest.WithBackend(t), option)
	stop := func() {
		t.Helper()
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	stop()
	older := filepath.Join(t.TempDir(), "older.db")
	copyStore(t, s.Store, older)
	if err := restart(s, option); err != nil {
		t.Fatal(err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	stop()
	kept := contentOf(t, file)

	copyStore(t, older, s.Store)
	// What stands beside the key was put back with it.
	if tips, err := filepath.Glob(s.Store + ".key.*.tip"); err != nil || len(tips) != 1 || os.Remove(tips[0]) != nil {
		t.Fatalf("%v, %v", tips, err)
	}
	for range 2 { // what was opened for the look is closed again
		err := restart(s, option)
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "4 records then, 2 now") {
			t.Fatalf("start with the older copy: %v", err)
		}
	}
	if contentOf(t, file) != kept {
		t.Errorf("the witness was replaced: %s", contentOf(t, file))
	}
	// A start without it makes another history, which is found as well.
	if err := restart(s); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.Post("FEDummy", "{}")
	}
	err := caddytest.LoadCaddyfile(s.Config(s.WithAudit(option), caddytest.WithBackend(t)))
	if err == nil || !strings.Contains(err.Error(), "another history") || !strings.Contains(err.Error(), "4 records then, 5 now") {
		t.Errorf("reload with another history: %v", err)
	}
	if got := s.Post("FEDummy", "{}"); got.Status != 200 {
		t.Errorf("the configuration of before is gone: %d %s", got.Status, got.Body)
	}
	if contentOf(t, file) != kept {
		t.Errorf("the witness was replaced: %s", contentOf(t, file))
	}
	if err := os.Remove(file); err != nil { // the operator knows why
		t.Fatal(err)
	}
	if err := restart(s, option); err != nil {
		t.Error(err)
	}
	stop()
	if contentOf(t, file) != checkpointOf(s) {
		t.Errorf("kept %s", contentOf(t, file))
	}
}

// TestCheckpointIsPosted to a URL whose credentials come from the environment, and stand
// in no log, metric or configuration, also when it fails.
func TestCheckpointIsPosted(t *testing.T) {
	var mu sync.Mutex // guards got and down
	var got []string
	down := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if user, password, _ := r.BasicAuth(); down || user != "user-7" || password != "word-7" || r.URL.Path != "/path-7" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		got = append(got, string(body))
	}))
	t.Cleanup(server.Close)
	last := func() string {
		mu.Lock()
		defer mu.Unlock()
		if len(got) == 0 {
			return ""
		}
		return got[len(got)-1]
	}
	t.Setenv("FIELATO_TEST_COLLECTOR", strings.Replace(server.URL, "http://", "http://user-7:word-7@", 1)+"/path-7")
	logs := filepath.Join(t.TempDir(), "default.log")
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
	load := func() {
		t.Helper()
		config := s.WithAdmin(s.Config(s.WithAudit(caddytest.TrailOption+"checkpoint_to {env.FIELATO_TEST_COLLECTOR} 1h"), caddytest.WithBackend(t)))
		s.Load(strings.Replace(config, "{\n", "{\n log {\n"+caddytest.LogTo(logs)+" level DEBUG\n }\n", 1))
	}
	load()
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	caddytest.Eventually(t, "the first checkpoint is posted", func() bool { return last() != "" })
	load()
	if last() != checkpointOf(s.Site) {
		t.Errorf("posted\n%s\nwant\n%s", last(), checkpointOf(s.Site))
	}
	mu.Lock()
	down = true
	mu.Unlock()
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	load()
	caddytest.Eventually(t, "the failure is logged", func() bool { return strings.Contains(contentOf(t, logs), "it answered 403 Forbidden") })
	if answer := s.Post("FECAESolicitar", caddytest.Invoice(2)); answer.Status != 200 || answer.Header.Get("Wsfev1-Record") == "" {
		t.Errorf("a receiver that is down is in the way: %d %s", answer.Status, answer.Body)
	}
	var state caddytest.Response
	caddytest.Eventually(t, "the admin API says so", func() bool { // the log may be of the configuration before
		state = s.Ask("GET", "/wsfev1/audit", "")
		return strings.Contains(state.At(t, "/logs/0/checkpoint_to/0/problem"), "403 Forbidden")
	})
	if state.At(t, "/logs/0/degraded") != "false" {
		t.Errorf("%s", state.Body)
	}
	for where, text := range map[string]string{
		"log": contentOf(t, logs), "metrics": string(s.Scrape()), "admin": string(state.Body),
		"configuration": string(s.Ask("GET", "/config/", "").Body),
	} {
		for _, secret := range []string{"user-7", "word-7", "path-7"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %s", where, secret)
			}
		}
	}
}

// TestTwoTrailsAreNotKeptInOneFile.
func TestTwoTrailsAreNotKeptInOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.TrailOption+"checkpoint_to "+file)
	second := "http://" + caddytest.FreeAddress(t) + " {\n bind " + caddytest.Loopback + "\n wsfev1 {\n audit sqlite $ {\n checkpoint_to " + file + "\n}\n }\n respond ok\n}\n"
	first := s.Config(s.WithAudit(caddytest.TrailOption+"checkpoint_to "+file), caddytest.WithBackend(t))
	err := caddytest.LoadCaddyfile(first + strings.Replace(second, "$", s.Store+".second", 1))
	if err == nil || !strings.Contains(err.Error(), file+": another trail is kept there") {
		t.Errorf("two trails: %v", err)
	}
	if err := caddytest.LoadCaddyfile(first + strings.Replace(second, "$", s.Store, 1)); err != nil {
		t.Errorf("two gateways of one trail: %v", err)
	}
}
