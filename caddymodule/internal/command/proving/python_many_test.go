package proving_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// pythonMany starts a Python that runs docs/verify.py for a test of many cases, as python does for one.
// Python takes longer to start than to refuse what a case has changed. testdata/many.py still runs
// each case in a process of its own. It ends with the test.
func pythonMany(t *testing.T) (verify func(t *testing.T, key, path string) (said string, sound bool)) {
	t.Helper()
	cmd := exec.Command(pythonProgram(t), "-B", filepath.Join("testdata", "many.py"), filepath.Join(caddytest.Root(t), "docs", "verify.py"))
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	runs, results := json.NewEncoder(input), json.NewDecoder(output)
	return func(t *testing.T, key, path string) (string, bool) {
		t.Helper()
		var run struct {
			Status int    `json:"status"`
			Said   string `json:"said"`
		}
		if err := runs.Encode([]string{key, path}); err != nil {
			t.Fatal(err)
		}
		if err := results.Decode(&run); err != nil {
			t.Fatal(err)
		}
		if run.Status > 2 {
			t.Fatalf("status %d\n%s", run.Status, run.Said)
		}
		return run.Said, run.Status == 0
	}
}
