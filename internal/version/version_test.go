package version

import (
	"runtime/debug"
	"testing"
)

func TestBuildNamesFielatoWhereverItStands(t *testing.T) {
	vcs := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"},
		{Key: "vcs.time", Value: "2026-11-22T23:30:00-03:00"},
	}
	caddy := debug.Module{Path: "caddy", Version: "(devel)"}
	for _, c := range []struct {
		name, want string
		info       debug.BuildInfo
	}{
		{"a release", "Fielato v0.1.0 (1a2b3c4d5e6f, 2026-11-23)", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v0.1.0"}, Settings: vcs}},
		{"a changed folder", "Fielato v0.1.1-0.20261123023000-1a2b3c4d5e6f+dirty (1a2b3c4d5e6f, 2026-11-23, modified)", debug.BuildInfo{
			Main:     debug.Module{Path: modulePath, Version: "v0.1.1-0.20261123023000-1a2b3c4d5e6f+dirty"},
			Settings: append([]debug.BuildSetting{{Key: "vcs.modified", Value: "true"}}, vcs...),
		}},
		{"installed by version", "Fielato v0.1.0", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v0.1.0"}}},
		{"a folder without version control", "Fielato (devel)", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}},
		{"built by xcaddy", "Fielato v0.1.0", debug.BuildInfo{
			Main: caddy, Settings: vcs, // of another folder
			Deps: []*debug.Module{{Path: "example.com/other", Version: "v9.0.0"}, {Path: modulePath, Version: "v0.1.0"}},
		}},
		{"a fork built by xcaddy", "Fielato v0.1.1", debug.BuildInfo{
			Main: caddy, Deps: []*debug.Module{{Path: modulePath, Version: "v0.1.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.1.1"}}},
		}},
		{"a clone built by xcaddy", "Fielato v0.0.0-00010101000000-000000000000", debug.BuildInfo{
			Main: caddy, Deps: []*debug.Module{{Path: modulePath, Version: "v0.0.0-00010101000000-000000000000", Replace: &debug.Module{Path: "."}}},
		}},
		{"another program", "Fielato unknown", debug.BuildInfo{Main: caddy}},
		{"a revision that is short, and a time that is none", "Fielato (devel) (7)", debug.BuildInfo{
			Main:     debug.Module{Path: modulePath, Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "7"}, {Key: "vcs.time", Value: "yesterday"}},
		}},
	} {
		if got := of(&c.info).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
