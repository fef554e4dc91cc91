package fielato_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// benchmark is the folder of the module that has what no user of the gateway needs.
const benchmark = "cmd/fielato-bench"

// forTests are the requirements that tests alone import: they bring next to nothing along.
var forTests = []string{
	"go.uber.org/goleak", "pgregory.net/rapid",
	"github.com/transparency-dev/formats", "github.com/transparency-dev/merkle", // another's proofs, beside ours
	"github.com/chromedp/chromedp", "github.com/chromedp/cdproto", // a browser that looks at the pages of the console
	"golang.org/x/net",             // frames of HTTP/2, and in Caddy's own graph
	"go.opentelemetry.io/otel/sdk", // what Caddy's tracing records with
}

// requirements reads those that a go.mod names, direct or not.
func requirements(t *testing.T, file string) []*modfile.Require {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := modfile.Parse(file, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Require
}

// TestWhatOnlyTheBenchmarkNeedsIsInItsModule: who builds with the gateway has all that the
// root go.mod names in the graph of their own module.
func TestWhatOnlyTheBenchmarkNeedsIsInItsModule(t *testing.T) {
	var imported []string
	for _, s := range sources(t) {
		if !s.test && !within(s.folder, benchmark) {
			imported = append(imported, s.imports...)
		}
	}
	for _, required := range requirements(t, "go.mod") {
		name := required.Mod.Path
		if strings.HasPrefix(name, "github.com/getkin/") {
			t.Errorf("go.mod requires %s, which belongs into %s/go.mod", name, benchmark)
		}
		if required.Indirect || slices.Contains(forTests, name) {
			continue
		}
		if !slices.ContainsFunc(imported, func(p string) bool { return within(p, name) }) {
			t.Errorf("go.mod requires %s, which tests and tools alone import", name)
		}
	}
	if !slices.ContainsFunc(requirements(t, benchmark+"/go.mod"), func(r *modfile.Require) bool {
		return r.Mod.Path == "github.com/getkin/kin-openapi"
	}) {
		t.Errorf("%s/go.mod does not require what it measures", benchmark)
	}
}

// slowToStart are modules of Caddy that gateways under test do without: the first, and those that import it.
var slowToStart = []string{
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/templates",
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/fileserver",
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy/fastcgi",
}

// TestGatewaysUnderTestHaveTheModulesOfTheProgram: what Caddy's package standard imports, except those that are
// slow to start.
func TestGatewaysUnderTestHaveTheModulesOfTheProgram(t *testing.T) {
	const all, http = "github.com/caddyserver/caddy/v2/modules/standard", "github.com/caddyserver/caddy/v2/modules/caddyhttp/standard"
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`, all, http)
	list.Stderr = t.Output()
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	standard := strings.Fields(string(out))
	var want, got []string
	for _, name := range standard {
		if name != http && !slices.Contains(slowToStart, name) {
			want = append(want, name)
		}
	}
	if len(want) != len(standard)-1-len(slowToStart) {
		t.Errorf("Caddy has not all of %q among its modules: %q", slowToStart, standard)
	}
	for _, s := range sources(t) {
		if s.file == "caddymodule/internal/caddytest/modules.go" {
			got = s.imports
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("gateways under test have\n%q, the program has\n%q", got, want)
	}
}

// foreignModules are the folders of the modules of others' programs that tests of .ci/run build.
var foreignModules = []string{
	"caddymodule/internal/command/witness/testdata/foreign", "caddymodule/internal/cosigned/testdata/foreign",
	"caddymodule/internal/cosigned/testdata/omniwitness", "caddymodule/publiclog/testdata/foreign", "internal/cosignature/testdata/foreign",
}

// TestForeignProgramsShareWhatIsCompiled: they require the versions that Fielato requires, so that .ci/run compiles these
// packages once. SQLite alone takes 20 seconds. What others verify with has the versions that they chose.
func TestForeignProgramsShareWhatIsCompiled(t *testing.T) {
	ours := map[string]string{}
	for _, required := range requirements(t, "go.mod") {
		ours[required.Mod.Path] = required.Mod.Version
	}
	for _, folder := range foreignModules {
		for _, required := range requirements(t, folder+"/go.mod") {
			name, version := required.Mod.Path, required.Mod.Version
			if within(name, "github.com/transparency-dev") {
				continue
			}
			if own := ours[name]; own != "" && own != version {
				t.Errorf("%s has %s %s: go get %s@%s", folder, name, version, name, own)
			}
		}
	}
}
