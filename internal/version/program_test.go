package version

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestProgramIsWhatTheGoCommandHasWritten, also in a Caddy of xcaddy, where Fielato is one of many.
func TestProgramIsWhatTheGoCommandHasWritten(t *testing.T) {
	const revision = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
	built := []debug.BuildSetting{
		{Key: "-tags", Value: "nobadger"},
		{Key: "CGO_ENABLED", Value: "0"},
		{Key: "GOOS", Value: "plan9"},
		{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: revision},
		{Key: "vcs.time", Value: "2026-11-22T23:30:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	settings := map[string]string{"-tags": "nobadger", "CGO_ENABLED": "0"}
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want Program
	}{
		"a clone": {
			debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: modulePath, Version: "v0.1.0"}, Settings: built},
			Program{Version: "v0.1.0", Module: modulePath, Main: modulePath},
		},
		"built by xcaddy": {
			debug.BuildInfo{
				GoVersion: "go1.26.8", Main: debug.Module{Path: "caddy"}, Settings: built,
				Deps: []*debug.Module{{Path: "example.com/other", Sum: "h1:other"}, {Path: modulePath, Version: "v0.1.0", Sum: "h1:ours"}},
			},
			Program{Version: "v0.1.0", Module: modulePath, Sum: "h1:ours", Main: "caddy"},
		},
		"a fork built by xcaddy": {
			debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "caddy"}, Settings: built, Deps: []*debug.Module{{
				Path: modulePath, Version: "v0.1.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.1.1", Sum: "h1:fork"},
			}}},
			Program{Version: "v0.1.1", Module: "example.com/fork", Sum: "h1:fork", Main: "caddy"},
		},
	} {
		c.want.Revision, c.want.Time, c.want.Modified = revision, "2026-11-22T23:30:00Z", true
		c.want.Go, c.want.OS, c.want.Arch, c.want.Settings = "go1.26.8", runtime.GOOS, runtime.GOARCH, settings
		if got := programOf(&c.info); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", name, got, c.want)
		}
	}
}

// TestDigestIsThatOfTheRunningFile, which this test reads by its path.
func TestDigestIsThatOfTheRunningFile(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	p, err := ReadProgram()
	if err != nil || p.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%q %v, want %x", p.SHA256, err, sum)
	}
	if _, err := digestOf(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there has a digest")
	}
}
