// Package version names the build: the version of Fielato in the program and the commit that
// it was built from.
//
// It is a package of its own because the program, its commands and its metrics all name the build, and
// have nothing else in common.
package version

import (
	"runtime/debug"
	"time"
)

// modulePath is the path of Fielato's module.
const modulePath = "github.com/fielato/fielato"

// unknown is the version of a program that does not tell.
const unknown = "unknown"

// Build is what a program tells of the Fielato in it.
type Build struct {
	// Version is the module's version, such as v0.1.0. It is (devel) for a folder that is under
	// no version control, and unknown where the program has no build information.
	Version string
	// Commit is the revision, of 12 digits, and Time when it was committed. Both are empty in
	// a program whose main module is another, such as xcaddy's.
	Commit string
	Time   time.Time
	// Modified is whether the folder held something that was not committed.
	Modified bool
}

// Read returns the build of this program.
func Read() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: unknown}
	}
	return of(info)
}

// of finds Fielato in a program, as its main module or as one that was built in.
func of(info *debug.BuildInfo) Build {
	build := Build{Version: unknown}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path != modulePath {
			continue
		}
		if module.Replace != nil && module.Replace.Version != "" {
			module = module.Replace
		}
		if module.Version != "" {
			build.Version = module.Version
		}
	}
	if info.Main.Path == modulePath {
		build.readSettings(info.Settings)
	}
	return build
}

// readSettings takes in the go command's notes on version control. They are about the main module.
func (b *Build) readSettings(settings []debug.BuildSetting) {
	for _, setting := range settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value[:min(12, len(setting.Value))]
		case "vcs.time":
			if at, err := time.Parse(time.RFC3339, setting.Value); err == nil {
				b.Time = at
			}
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
}

// String is the build on one line: "Fielato v0.1.0 (1a2b3c4d5e6f, 2026-11-22)".
func (b Build) String() string {
	text := "Fielato " + b.Version
	if b.Commit == "" {
		return text
	}
	text += " (" + b.Commit
	if !b.Time.IsZero() {
		text += ", " + b.Time.UTC().Format(time.DateOnly)
	}
	if b.Modified {
		text += ", modified"
	}
	return text + ")"
}
