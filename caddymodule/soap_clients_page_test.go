package caddymodule_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// programsOfThePage are the programs in docs/clients.md that run as they stand.
var programsOfThePage = []struct{ begin, file string }{
	{"```php\n<?php\n", "program.php"},
	{"```python\nimport zeep\n", "program.py"},
	{"```js\nconst soap = ", "program.js"},
}

// wantThePage runs the programs of docs/clients.md against the place. Each asks for the state of
// the service, and prints it.
func (p *soapPlace) wantThePage(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(caddytest.Root(t), "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer(
		"http://localhost:8080", p.site.URL,
		"<?php\n", "<?php ini_set('soap.wsdl_cache_enabled', '0');\n", // its files would stay in the system's folder
	)
	for _, program := range programsOfThePage {
		t.Run(program.file, func(t *testing.T) {
			t.Parallel()
			_, rest, found := strings.Cut(string(page), program.begin)
			text, _, ended := strings.Cut(rest, "```")
			if !found || !ended {
				t.Fatalf("docs/clients.md has no program that begins with %q", program.begin)
			}
			_, begin, _ := strings.Cut(program.begin, "\n")
			file := filepath.Join(t.TempDir(), program.file)
			if err := os.WriteFile(file, []byte(here.Replace(begin+text)), 0o600); err != nil {
				t.Fatal(err)
			}
			command := p.command(t, &soapClient{script: program.file})
			last := len(command) - 1
			packages := filepath.Join(filepath.Dir(command[last]), "node_modules")
			command[last] = file // the page's own, in place of a script of testdata
			cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(file), "NODE_PATH=" + packages}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if out, err := cmd.Output(); err != nil || string(out) != "OK\n" {
				t.Errorf("%v: %s%s", err, out, &stderr)
			}
		})
	}
}
