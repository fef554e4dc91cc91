package version

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Program is what a program was built from. Two programs from the same source, by the same Go and with the same
// settings, are the same bytes where these were built with -trimpath.
type Program struct {
	// Version is that of Fielato in the program, Module where it comes from, and Sum the checksum of the module if it
	// came from a module proxy.
	Version string `json:"version"`
	Module  string `json:"module"`
	Sum     string `json:"sum,omitempty"`
	// Main is the module of the program itself: Fielato's, or another one in a Caddy that xcaddy has built.
	Main string `json:"main,omitempty"`
	// Revision is the commit in the folder of Main, and Time when it was committed. Both are empty where the folder
	// was under no version control. Modified: it held something that was not committed.
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified"`
	// Go is the version of Go, OS and Arch the platform.
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	// Settings are the other settings of the build by their names, such as -tags and CGO_ENABLED.
	Settings map[string]string `json:"settings,omitempty"`
	// SHA256 is the digest of the program's file, empty if it cannot be read.
	SHA256 string `json:"executable_sha256,omitempty"`
}

// ReadProgram returns what this program was built from. The error says why there is no SHA256; all else is there.
func ReadProgram() (Program, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	p := programOf(info)
	var err error
	p.SHA256, err = digest()
	return p, err
}

// programOf reads what go build has written into a program.
func programOf(info *debug.BuildInfo) Program {
	p := Program{
		Version: of(info).Version, Module: modulePath, Main: info.Main.Path,
		Go: info.GoVersion, OS: runtime.GOOS, Arch: runtime.GOARCH, Settings: map[string]string{},
	}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path != modulePath {
			continue
		}
		p.Sum = module.Sum
		if module.Replace != nil && module.Replace.Version != "" {
			p.Module, p.Sum = module.Replace.Path, module.Replace.Sum
		}
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			p.Revision = setting.Value
		case "vcs.time":
			p.Time = setting.Value
		case "vcs.modified":
			p.Modified = setting.Value == "true"
		case "GOOS", "GOARCH":
		default:
			if !strings.HasPrefix(setting.Key, "vcs") {
				p.Settings[setting.Key] = setting.Value
			}
		}
	}
	return p
}
