package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/cmd/fielato-bench/internal/pgo"
)

// root is the folder of the gateway's module, and defaultPGO the profile in it that builds take.
const root, defaultPGO = "../..", "../fielato/default.pgo"

// anew tells how the profile is made.
const anew = "make it anew: (cd cmd/fielato-bench && go run . -pgo " + defaultPGO + ")"

// mostStale is the share of the profile that may be of functions that are gone.
const mostStale = 0.1

// functions are the gateway's.
func functions(t *testing.T) pgo.Functions {
	t.Helper()
	f, err := pgo.FunctionsOf(os.DirFS(root), "github.com/fielato/fielato")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTheProfileForBuildsFitsTheCode: the compiler finds functions by their names.
func TestTheProfileForBuildsFitsTheCode(t *testing.T) {
	p, err := pgo.Read(defaultPGO)
	if err != nil {
		t.Fatal(err)
	}
	share, gone := functions(t).Stale(p)
	t.Logf("%.1f %% of the profile's samples are in functions that are gone: %v", 100*share, gone)
	if share > mostStale {
		t.Errorf("%.0f %% of %s is in functions that are gone, more than %.0f %%: %s", 100*share, defaultPGO, 100*mostStale, anew)
	}
}

// TestAProfileForBuildsIsMade by one command, briefly: it fits the code, and knows the console.
func TestAProfileForBuildsIsMade(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "default.pgo")
	var out, progress bytes.Buffer
	args := []string{"-pgo", file, "-duration", "300ms", "-targets", "enforce,console", "-invoices", "20", "-data", data}
	if code := run(t.Context(), args, &out, &progress); code != 0 {
		t.Fatalf("exit status %d\n%s", code, &progress)
	}
	p, err := pgo.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if share, gone := functions(t).Stale(p); share > 0 {
		t.Errorf("%v of it is stale when it is made: %v", share, gone)
	}
	for _, want := range []string{"internal/exchange.", "internal/console/"} {
		if text := p.String(); !strings.Contains(text, want) {
			t.Errorf("it has nothing of %s", want)
		}
	}
	wantEmpty(t, data)
}
