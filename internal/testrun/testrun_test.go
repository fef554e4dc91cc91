package testrun_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// TestSizeOfACampaign by the variable.
func TestSizeOfACampaign(t *testing.T) {
	for value, want := range map[string]time.Duration{"": time.Second, "0": time.Second, "1": time.Minute, "10": 10 * time.Minute} {
		t.Setenv(testrun.Long, value)
		if got := testrun.Size(t, time.Second, time.Minute); got != want {
			t.Errorf("%s=%q: %v, want %v", testrun.Long, value, got, want)
		}
	}
}

// TestWholeOfALargeThing by the variable.
func TestWholeOfALargeThing(t *testing.T) {
	for value, want := range map[string]int{"": 1, "0": 1, "1": 1, "2": 8, "10": 8} {
		t.Setenv(testrun.Long, value)
		if got := testrun.Whole(t, 1, 8); got != want {
			t.Errorf("%s=%q: %d, want %d", testrun.Long, value, got, want)
		}
	}
}

// TestTemporaryFilesAreInTheFolderOfTheRun, which TMPDIR names where it is in memory.
func TestTemporaryFilesAreInTheFolderOfTheRun(t *testing.T) {
	folder := filepath.Dir(filepath.Dir(t.TempDir()))
	if folder != filepath.Clean(os.TempDir()) {
		t.Errorf("%s is not in %s", folder, os.TempDir())
	}
}
