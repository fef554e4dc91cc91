package caddymodule_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/openapi"
	"github.com/fielato/fielato/internal/testrun"
)

// TestAGeneratedClientWorks: types are generated from the OpenAPI document, a client that
// uses them compiles, and issues an invoice through the gateway. It needs node, and npm
// with a registry or its cache; with CI set it fails where it has not got them. Only the long form
// has it: the compiler takes ten seconds.
func TestAGeneratedClientWorks(t *testing.T) {
	t.Parallel()
	if testrun.Factor(t) == 0 {
		t.Skip("the long form compiles a client: " + testrun.Long)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/client")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), openapi.Document, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name string, arguments ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), name, arguments...)
		cmd.Dir = folder
		return cmd.CombinedOutput()
	}
	if out, err := run("npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
		t.Skipf("the client's tools cannot be had: %v\n%s", err, out)
	}
	bin := filepath.Join(folder, "node_modules", ".bin")
	s := caddytest.StartProcess(t, caddytest.WithBackend(t))
	for _, step := range [][]string{
		{filepath.Join(bin, "openapi-typescript"), "openapi.json", "--output", "wsfev1.d.ts"},
		{filepath.Join(bin, "tsc"), "--project", "."},
		{"node", filepath.Join("out", "client.js"), s.URL},
	} {
		if out, err := run(step[0], step[1:]...); err != nil {
			t.Fatalf("%v: %v\n%s", step, err, out)
		}
	}
	s.End()
	for _, want := range []string{"answered", "approved", "refused", "malformed"} {
		found := false
		for _, r := range s.Records() {
			found = found || string(r.Outcome) == want
		}
		if !found {
			t.Errorf("no record of what was %s", want)
		}
	}
}
