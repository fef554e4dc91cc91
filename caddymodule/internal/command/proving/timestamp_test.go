package proving_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// reportedStamp is what `audit timestamp --format json` reports.
type reportedStamp struct {
	Log       string `json:"log"`
	Records   uint64 `json:"records"`
	Time      string `json:"time"`
	Authority string `json:"authority"`
	Document  string `json:"document"`
	Reply     string `json:"reply"`
	PublicKey string `json:"public_key"`
}

// TestAStrangerVerifiesATimestamp word for word as the documentation says, without the trail.
func TestAStrangerVerifiesATimestamp(t *testing.T) {
	tsa := caddytest.NewAuthority(t, tsatest.RSA)
	s := caddytest.Start(t, caddytest.WithBackend(t), tsa.Option(" 1s"))
	store := "sqlite:" + s.Store
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	var got reportedStamp
	folder := ""
	caddytest.Eventually(t, "both records are stamped", func() bool {
		folder = filepath.Join(t.TempDir(), "for-the-court")
		out, _, err := caddytest.AuditCommand("timestamp", "--store", store, "--output", folder, "--format", "json")
		return err == nil && json.Unmarshal([]byte(out), &got) == nil && got.Records == 2
	})
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, got.Time)
	if err != nil || time.Since(at).Abs() > time.Minute || got.Authority != tsa.Name {
		t.Errorf("%+v, %v", got, err)
	}
	roots, err := os.ReadFile(tsa.Roots)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "ca.crt"), roots, 0o600); err != nil {
		t.Fatal(err)
	}
	documentation, err := os.ReadFile("../../../../docs/evidence.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^openssl ts .*$`).FindAllString(string(documentation), -1)
	if len(commands) != 3 {
		t.Fatalf("the documentation has %q", commands)
	}
	for i, want := range []string{"Verification: OK", "Time stamp: " + at.UTC().Format("Jan _2 15:04:05 2006"), "Verification: OK"} {
		line := regexp.MustCompile(`-attime \d+`).ReplaceAllString(commands[i], fmt.Sprint("-attime ", at.Unix()))
		if out := run(t, folder, line); !strings.Contains(out, want) {
			t.Errorf("%s: %s", line, out)
		}
	}
	_, _, err = caddytest.AuditCommand("timestamp", "--store", store, "--output", folder)
	if err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a second time: %v", err)
	}
	checkpoint := filepath.Join(t.TempDir(), "later.txt")
	newest, _, err := caddytest.AuditCommand("checkpoint", "--store", store)
	if err != nil || os.WriteFile(checkpoint, []byte(newest), 0o600) != nil {
		t.Fatal(err)
	}
	if out, errs, err := caddytest.AuditCommand("consistency", "--store", store, "--key", got.PublicKey, got.Document, checkpoint); err != nil {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}

// run runs a line of the documentation in a folder. openssl writes to both outputs.
func run(t *testing.T, folder, line string) string {
	t.Helper()
	words := strings.Fields(line)
	command := exec.Command(words[0], words[1:]...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return string(out)
}

// TestATimestampOfADay is found by its day, is in a copy of the trail too, and its absence is explained.
func TestATimestampOfADay(t *testing.T) {
	tsa := caddytest.NewAuthority(t, tsatest.P256)
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	store := "sqlite:" + s.Store
	stamp := func(more ...string) (string, error) {
		t.Helper()
		folder := filepath.Join(t.TempDir(), "new")
		out, _, err := caddytest.AuditCommand(append([]string{"timestamp", "--output", folder}, more...)...)
		if err != nil {
			if _, err := os.Stat(folder); err == nil {
				t.Error("a failure leaves a folder")
			}
		}
		return out, err
	}
	if _, err := stamp("--store", store); err == nil || !strings.Contains(err.Error(), "name an authority with timestamp") {
		t.Errorf("without an authority: %v", err)
	}
	if err := caddytest.LoadCaddyfile(s.Config(s.WithAudit(tsa.Option("")), caddytest.WithBackend(t))); err != nil {
		t.Fatal(err)
	}
	today := timestamped.DayOf(time.Now())
	caddytest.Eventually(t, "there is one of today", func() bool {
		_, err := stamp("--store", store, "--day", today)
		return err == nil
	})
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	copied := "sqlite:" + filepath.Join(t.TempDir(), "copy.db")
	if _, errs, err := caddytest.AuditCommand("copy", "--from", store, "--to", copied); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	for _, at := range []string{store, copied} {
		if out, err := stamp("--store", at, "--day", today); err != nil || !strings.Contains(out, "Sello de prueba has stamped the log") || !strings.Contains(out, "with 2 records") {
			t.Errorf("%s: %v, %s", at, err, out)
		}
	}
	if _, err := stamp("--store", store, "--day", "2020-02-01"); err == nil || !strings.Contains(err.Error(), "no time-stamp of 2020-02-01") {
		t.Errorf("a day without one: %v", err)
	}
	if _, err := stamp("--store", store, "--day", "01/02/2020"); err == nil || !strings.Contains(err.Error(), "is not a day") {
		t.Errorf("no day: %v", err)
	}
}
