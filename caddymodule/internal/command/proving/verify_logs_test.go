package proving_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestVerifyGoesOverAllLogs, with one report each. It ends with the worst status among them.
func TestVerifyGoesOverAllLogs(t *testing.T) {
	s := caddytest.TwoNodes(t)
	out, _, err := s.Run("verify")
	if err != nil || strings.Count(out, "\nsound: every record is what was signed") != 2 || !strings.Contains(out, "fielato/north+") || !strings.Contains(out, "fielato/south+") {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = s.Run("verify", "--format", "json")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"log":"north","sound":true,`) || !strings.HasPrefix(lines[1], `{"log":"south","sound":true,`) {
		t.Errorf("%v\n%s", err, out)
	}
	damage(s, "north")
	out, _, err = s.Run("verify", "--format", "json")
	lines = strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if err == nil || len(lines) != 2 || !strings.Contains(lines[0], `"sound":false`) || !strings.Contains(lines[1], `"sound":true`) {
		t.Errorf("north is broken: %v\n%s", err, out)
	}
	if out, _, err = s.Run("verify", "--log", "south"); err != nil || strings.Contains(out, "north") {
		t.Errorf("south alone: %v\n%s", err, out)
	}
}

// damage cuts the newest record of a log off.
func damage(s *caddytest.SharedTrail, log string) {
	s.T.Helper()
	_, database, _ := strings.Cut(s.DSN[strings.Index(s.DSN, "://")+3:], "/")
	database, _, _ = strings.Cut(database, "?")
	postgrestest.Shared(s.T).Exec(s.T, database,
		"DELETE FROM audit_segments WHERE log = '"+log+"' AND first = (SELECT max(first) FROM audit_segments WHERE log = '"+log+"')")
}

// TestVerifyKnowsWhichLogAKeyIsOf, and asks where it cannot.
func TestVerifyKnowsWhichLogAKeyIsOf(t *testing.T) {
	s := caddytest.TwoNodes(t)
	out, _, err := s.Run("verify", "--key", s.Keys["south"].Verifier())
	if err != nil || strings.Contains(out, "north") || !strings.Contains(out, "given with --key") {
		t.Errorf("%v\n%s", err, out)
	}
	kept, _, err := s.Run("checkpoint", "--log", "south")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(file, []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"--checkpoint " + file:                                          "--log: north, south",
		"--key " + caddytest.NewKey(t, "elsewhere").Verifier():          "--log: north, south",
		"--log south --checkpoint " + file:                              "",
		"--key " + s.Keys["south"].Verifier() + " --checkpoint " + file: "",
	} {
		out, _, err := s.Run("verify", strings.Fields(flags)...)
		if want == "" && (err != nil || !strings.Contains(out, "an extension of the checkpoint that was kept")) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}
