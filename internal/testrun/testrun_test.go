package testrun_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// TestSizeOfACampaign by the variable.
func TestSizeOfACampaign(t *testing.T) {
	for value, want := range map[string]time.Duration{"": time.Second, "0": time.Second, "0.001": time.Second, "0.5": 30 * time.Second, "1": time.Minute, "10": 10 * time.Minute} {
		t.Setenv(testrun.Long, value)
		if got := testrun.Size(t, time.Second, time.Minute); got != want {
			t.Errorf("%s=%q: %v, want %v", testrun.Long, value, got, want)
		}
	}
}

// TestHalfACampaignOfOne still has one.
func TestHalfACampaignOfOne(t *testing.T) {
	t.Setenv(testrun.Long, "0.5")
	if got := testrun.Size(t, 0, 1); got != 1 {
		t.Errorf("%d, want 1", got)
	}
}

// TestSomeOfTheCases are left out in the short form alone.
func TestSomeOfTheCases(t *testing.T) {
	for value, want := range map[string]int{"": 1, "0": 1, "0.5": 3, "2": 3} {
		t.Setenv(testrun.Long, value)
		if got := len(testrun.Some(t, 1, []string{"a", "b", "c"})); got != want {
			t.Errorf("%s=%q: %d, want %d", testrun.Long, value, got, want)
		}
	}
}

// TestWholeOfALargeThing by the variable.
func TestWholeOfALargeThing(t *testing.T) {
	for value, want := range map[string]int{"": 1, "0": 1, "0.5": 1, "1": 1, "1.9": 1, "2": 8, "10": 8} {
		t.Setenv(testrun.Long, value)
		if got := testrun.Whole(t, 1, 8); got != want {
			t.Errorf("%s=%q: %d, want %d", testrun.Long, value, got, want)
		}
	}
}

// TestAThingIsFullInTheLongForm, and a part of it in .ci/run.
func TestAThingIsFullInTheLongForm(t *testing.T) {
	for value, want := range map[string]int{"": 1, "0": 1, "0.1": 1, "0.9": 1, "1": 8, "10": 8} {
		t.Setenv(testrun.Long, value)
		if got := testrun.Full(t, 1, 8); got != want {
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

// TestBenchmarksAreSmallUnlessTheyMeasure: one iteration measures nothing.
func TestBenchmarksAreSmallUnlessTheyMeasure(t *testing.T) {
	for _, test := range []struct {
		bench, benchtime string
		want             int
	}{{"", "1s", 1}, {".", "1x", 1}, {".", "1s", 1000}, {".", "20x", 1000}} {
		for name, value := range map[string]string{"test.bench": test.bench, "test.benchtime": test.benchtime} {
			before := flag.Lookup(name).Value.String()
			if err := flag.Set(name, value); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = flag.Set(name, before) })
		}
		if got := testrun.Scale(&testing.B{}, 1, 1000); got != test.want {
			t.Errorf("-bench %q -benchtime %s: %d, want %d", test.bench, test.benchtime, got, test.want)
		}
	}
}
