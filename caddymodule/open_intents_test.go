package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestOpenIntentsAreWarnedOfAtStart, once, with how to list them; a reload that keeps
// the trail does not say it again.
func TestOpenIntentsAreWarnedOfAtStart(t *testing.T) {
	kept := keptTrail(t, &audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar"})
	s := start(t, "respond ok")
	s.store = kept.store
	file := filepath.Join(t.TempDir(), "log")
	caddyfile := strings.Replace(s.config("audit sqlite "+s.store, "respond ok"), "admin off", "log {\n"+logTo(file)+"}\nadmin off", 1)
	s.load(caddyfile)
	s.load(strings.Replace(caddyfile, "respond ok", "respond OK", 1))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `"intents":1,"list_them":"wsfev1 audit search --outcome open --store sqlite:` + s.store + `"`
	if n := strings.Count(string(text), want); n != 1 {
		t.Errorf("said %d times, want once: %s\n%s", n, want, text)
	}
}
