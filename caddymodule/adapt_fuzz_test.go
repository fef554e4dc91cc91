package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzCaddyfile reads a block of each directive with anything in it: it is an error or a configuration, and no panic.
func FuzzCaddyfile(f *testing.F) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		f.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		caddyfile, _, _ := strings.Cut(string(text), adaptSeparator)
		f.Add(caddyfile)
	}
	f.Fuzz(func(t *testing.T, caddyfile string) {
		if strings.Contains(caddyfile, "import") || strings.Contains(caddyfile, "{$") {
			return // Caddy's own, which reads files
		}
		config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
		if err == nil && !jsontext.Value(config).IsValid() {
			t.Fatalf("%q is adapted to %q", caddyfile, config)
		}
	})
}
