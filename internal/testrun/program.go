package testrun

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Foreign builds a program of a module that is not Fielato's, from its folder, and returns the program's path. The
// program is there for the length of the test.
func Foreign(t *testing.T, folder, name string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "foreign")
	if err := Build(t.Context(), folder, name, program); err != nil {
		t.Fatal(err)
	}
	return program
}

// Build builds a program with the flags that other packages are compiled with already: in .ci/run those of .ci/run,
// elsewhere those of `go test`. With the profile of cmd/fielato, all would be compiled again.
func Build(ctx context.Context, folder, name, program string) error {
	flags := []string{"build", "-pgo=off", "-ldflags=-s -w", "-o", program}
	environment := os.Environ()
	if os.Getenv("CI") != "" {
		flags = append(flags, "-trimpath", "-tags", "nobadger,nomysql,nopgx")
		environment = append(environment, "CGO_ENABLED=0")
	}
	build := exec.CommandContext(ctx, "go", append(flags, name)...) //nolint:gosec // tests name the programs
	build.Dir, build.Env = folder, environment
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s in %s: %w\n%s", name, folder, err, out)
	}
	return nil
}
