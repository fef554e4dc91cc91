package caddytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/go-json-experiment/json"
)

// Provision does what `caddy validate` does.
func Provision(t *testing.T, caddyfile []byte) error {
	t.Helper()
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(caddyfile, map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return err
	}
	config := new(caddy.Config)
	if err := json.Unmarshal(adapted, config, json.DefaultOptionsV2()); err != nil {
		return err
	}
	return caddy.Validate(config)
}

// ValidateJSON provisions a configuration of one handler.
func ValidateJSON(t *testing.T, handler string) error {
	t.Helper()
	config := new(caddy.Config)
	text := `{"apps":{"http":{"servers":{"s":{"listen":[":80"],"routes":[{"handle":[` + handler + `,{"handler":"static_response"}]}]}}}}}`
	if err := json.Unmarshal([]byte(text), config); err != nil {
		t.Fatal(err)
	}
	return caddy.Validate(config)
}

// InEmptyFolder runs the test in a folder that must be empty in the end.
func InEmptyFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Cleanup(func() {
		for _, folder := range []string{".", filepath.Join(caddy.AppDataDir(), "wsfev1")} {
			entries, err := os.ReadDir(folder)
			if err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
			for _, e := range entries {
				t.Errorf("validating has made %s in %s", e.Name(), folder)
			}
		}
	})
}

// Root is the folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("the tests do not run in the module")
		}
		folder = filepath.Dir(folder)
	}
}

// RecipeText returns the Caddyfile of one chapter.
func RecipeText(t testing.TB, title string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(Root(t), "docs", "recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, found := strings.Cut(string(page), "\n## "+title+"\n")
	_, rest, fenced := strings.Cut(chapter, "\n```caddyfile\n")
	text, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !fenced || !closed {
		t.Fatalf("docs/recipes.md has no Caddyfile under %q", title)
	}
	return text + "\n"
}

// PortOf returns the port of an address.
func PortOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }
