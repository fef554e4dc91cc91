package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// runInit runs the command.
func runInit(arguments ...string) (out string, err error) {
	r := run(append([]string{"init"}, arguments...)...)
	return r.out, r.err
}

// TestWhatIsWrittenIsValidAndFormatted.
func TestWhatIsWrittenIsValidAndFormatted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, kind := range []string{"demo", "forward", "cluster"} {
		file := filepath.Join(t.TempDir(), "Caddyfile")
		if _, err := runInit(kind, file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(caddyfile.Format(text), text) {
			t.Errorf("%s: caddy fmt would change it", kind)
		}
		adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(text, map[string]any{"filename": file})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", kind, err, warnings)
		}
		var config *caddy.Config
		if err := caddy.StrictUnmarshalJSON(adapted, &config); err != nil {
			t.Fatal(err)
		}
		if err := caddy.Validate(config); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if out, err := runInit(kind, "-"); err != nil || out != string(text) {
			t.Errorf("%s to the standard output: %v\n%s", kind, err, out)
		}
	}
}

// TestAFileThatIsThereStays.
func TestAFileThatIsThereStays(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("Caddyfile", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runInit(); err == nil || !strings.Contains(err.Error(), "Caddyfile is there already") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile("Caddyfile"); err != nil || string(text) != "mine" {
		t.Errorf("%v %s", err, text)
	}
	if _, err := runInit("forwad"); err == nil || !strings.HasSuffix(err.Error(), "use demo, forward or cluster; did you mean forward?") {
		t.Errorf("%v", err)
	}
	if _, err := runInit("bogus"); err == nil || !strings.Contains(err.Error(), `"bogus": use demo, forward or cluster`) {
		t.Errorf("%v", err)
	}
}
